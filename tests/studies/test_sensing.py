"""What one point is worth, against two runs of the plain rule."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import pytest
from pydantic import Field, model_validator

from benchmarks.attack15 import SETUP as ATTACK15
from rulekit import E, NotAllowed, P, Roll, StatError, Stats, clip, d, roll, rule, sensitivity, where
from rulekit.games.adventures_edge import Fighter, Target, attack


@pytest.mark.parametrize("measure", ["damage", "hit", "kill"])
def test_the_worth_of_a_point_is_the_difference_of_two_runs(measure: str) -> None:
    ask = E if measure == "damage" else P
    here = ask(getattr(ATTACK15(), measure))
    found = sensitivity(ATTACK15, measure)
    assert found.value == here
    assert set(found.effects) == {info.path for info in ATTACK15.stats}
    for info in ATTACK15.stats:
        effect = found.effects[info.path]
        for gain, value in ((effect.more, info.value + 1), (effect.less, info.value - 1)):
            if not info.low <= value <= info.high:
                assert gain is None
            else:
                assert gain == ask(getattr(ATTACK15.at({info.path: value})(), measure)) - here
    sizes = [effect.size for effect in found.effects.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_one_point_of_attack_is_worth_one_point_of_defense() -> None:
    found = sensitivity(attack.setup(Fighter(attack_bonus=7), Target(defense=17)), "hit")
    assert found.value == Fraction(11, 20)
    assert found.effects["attacker.attack_bonus"].more == Fraction(1, 20)
    assert found.effects["target.defense"].more == Fraction(-1, 20)
    assert found.exchange("attacker.attack_bonus", "target.defense") == -1
    assert found.exchange("attacker.weapon.low", "target.defense") is None
    with pytest.raises(StatError, match=r"did you mean target\.defense\?"):
        found.exchange("target.defence", "attacker.attack_bonus")


def test_floats_agree_with_fractions() -> None:
    exact, fast = sensitivity(ATTACK15, "damage"), sensitivity(ATTACK15, "damage", exact=False)
    assert isinstance(fast.value, float)
    for path, effect in exact.effects.items():
        for ours, theirs in ((effect.more, fast.effects[path].more), (effect.less, fast.effects[path].less)):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                assert theirs == pytest.approx(float(ours), abs=1e-12)


@rule()
def shot(
    bonus: Annotated[int, Field(ge=0, le=20)] = 0,
    luck: Annotated[float, Field(ge=0, le=1)] = 0.5,
    distance: Annotated[int, Field(ge=0, le=100, multiple_of=5)] = 10,
    aimed: bool = False,
) -> Roll[int]:
    if distance > 10:
        raise NotAllowed("YY-7", "too far")
    return where(roll(d(20)) + bonus + where(aimed, 2, 0) >= 11, roll(d(6)), 0) * luck


def test_bounds_steps_and_holes() -> None:
    found = sensitivity(shot.setup(), "result")
    assert set(found.effects) == {"bonus", "luck", "distance"}  # a switch has no point more
    assert found.value == Fraction(7, 8)
    bonus, luck, distance = (found.effects[path] for path in ("bonus", "luck", "distance"))
    assert (bonus.less, bonus.more) == (None, Fraction(7, 80))
    assert (luck.step, luck.more) == (Fraction(1, 20), Fraction(7, 80))
    assert (distance.step, distance.less, distance.more) == (5, 0, None)
    assert distance.slope == 0


def test_what_it_says() -> None:
    found = sensitivity(shot.setup(bonus=20), "result")
    assert found.sentence == (
        "result is 1.75; luck weighs most: one more is worth +0.18, one less is worth -0.18. "
        "2 of 3 stats change nothing here."
    )
    assert found.tables()[0].rows == [("luck", "0.5", "-0.18", "+0.18", "+1")]
    assert '<th scope="row">luck</th>' in found._repr_html_()
    frame = found.to_dataframe()
    assert list(frame["stat"]) == ["luck", "bonus", "distance"]
    assert str(found).splitlines()[1].split() == ["stat", "now", "one", "less", "one", "more", "one", "more,",
                                                  "in", "points", "of", "luck"]  # fmt: skip


def test_a_label_has_no_one_value_and_a_rule_that_does_not_apply_says_so() -> None:
    @rule()
    def mood(bonus: int = 0) -> Roll[str]:
        return where(roll(d(20)) + bonus >= 11, "wary", "keen")

    with pytest.raises(StatError, match="result is not one number"):
        sensitivity(mood.setup(), "result")
    assert sensitivity(mood.setup(), "result == wary").effects["bonus"].more == Fraction(1, 20)
    with pytest.raises(NotAllowed, match="YY-7"):
        sensitivity(shot.setup(distance=15), "result")


class Range(Stats):
    low: Annotated[int, Field(ge=0, le=20)] = 6
    high: Annotated[int, Field(ge=0, le=20)] = 6

    @model_validator(mode="after")
    def _in_order(self) -> Range:
        if self.low > self.high:  # plain Python, which an axis is not
            raise ValueError("low is above high")
        return self


def test_a_point_that_a_model_does_not_allow_beside_its_other_stats() -> None:
    @rule()
    def hurt(span: Range = Range()) -> Roll[int]:
        return clip(roll(d(10)), span.low, span.high)

    found = sensitivity(hurt.setup(), "result")
    assert found.value == 6
    assert (found.effects["span.low"].less, found.effects["span.low"].more) == (Fraction(-1, 2), None)
    assert (found.effects["span.high"].less, found.effects["span.high"].more) == (None, Fraction(2, 5))


def test_a_stat_that_no_sweep_takes_by_its_name_has_its_worth_all_the_same() -> None:
    @rule()
    def told(outcome: int = 3, bonus: int = 0) -> Roll[int]:
        return roll(d(6)) + 2 * outcome + bonus

    assert sensitivity(told.setup(), "result").effects["outcome"].more == 2
