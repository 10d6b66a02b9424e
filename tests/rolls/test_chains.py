"""Chains: closed forms, loops, what never ends, field cases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

import pytest

from rulekit import E, P, RulekitError, TooLarge, chain, chance, d, dist, roll, stat, table, where
from rulekit.rolls import chains


@dataclass(frozen=True)
class Duel:
    ours: int
    theirs: int


def test_a_duel_by_hand():
    def exchange(state):
        return Duel(state.ours - roll(d(4)), state.theirs - roll(d(6)))

    duel = chain(Duel(5, 7), exchange, until=lambda s: (s.ours <= 0) | (s.theirs <= 0))

    def by_hand(a, b):
        if a <= 0 or b <= 0:
            return {(a, b): Fraction(1)}
        out = {}
        for x in range(1, 5):
            for y in range(1, 7):
                for state, p in by_hand(a - x, b - y).items():
                    out[state] = out.get(state, 0) + p / 24
        return out

    want = by_hand(5, 7)
    end = duel.end
    assert P((end.theirs <= 0) & (end.ours > 0)) == sum(p for (a, b), p in want.items() if b <= 0 < a)
    assert E(end.ours + end.theirs) == sum(p * (a + b) for (a, b), p in want.items())
    assert sum(duel.steps.probability(n) for n in duel.steps.outcomes) == 1
    assert duel.never == 0


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 20)])
def test_waiting_for_a_success_is_geometric(p):
    waiting = chain(False, lambda done: roll(d(20)) <= int(20 * p), until=lambda done: done)
    assert waiting.steps.mean == 1 / p
    assert waiting.steps.variance == (1 - p) / p**2
    assert waiting.steps.probability(3) == (1 - p) ** 2 * p
    assert waiting.steps.leftover == (1 - p) ** 1000


def test_gamblers_ruin():
    walk = chain(3, lambda x: x + where(roll(d(3)) == 1, 1, -1), until=lambda x: (x == 0) | (x == 7))
    r = Fraction(2)  # odds against
    assert P(walk.end == 7) == (r**3 - 1) / (r**7 - 1)
    # E[T] = a/(q-p) - N/(q-p) * P(reach N)
    assert walk.mean == 3 * 3 - 7 * 3 * (r**3 - 1) / (r**7 - 1)
    assert chains._eliminated(
        [[Fraction(2), Fraction(1)], [Fraction(1), Fraction(3)]], [Fraction(3), Fraction(4)]
    ) == [
        1,
        1,
    ]


def test_without_flint_the_equations_have_the_same_answer(monkeypatch):
    def walk():
        return chain(3, lambda x: x + where(roll(d(3)) == 1, 1, -1), until=lambda x: (x == 0) | (x == 7))

    want = walk().variance
    monkeypatch.setitem(__import__("sys").modules, "flint", None)
    assert walk().variance == want


def test_what_may_never_end_says_so():
    stuck = chain(0, lambda x: where(x == 0, where(roll(d(4)) == 1, 1, 2), x), until=lambda x: x == 1)
    assert stuck.never == Fraction(3, 4)
    with pytest.raises(RulekitError, match="3/4 this chain never ends"):
        _ = stuck.mean
    with pytest.raises(RulekitError, match="3/4 this chain never ends"):
        _ = stuck.end
    assert stuck.steps.probability(1) == Fraction(1, 4)
    endless = chain(0, lambda x: x + 1)
    assert E(endless.after(7)) == 7
    with pytest.raises(RulekitError, match="has no end"):
        _ = endless.steps


def test_after_and_end_are_shared_draws():
    duel = chain(
        Duel(3, 3), lambda s: Duel(s.ours - roll(d(2)), s.theirs - s.ours * 0 - 1), lambda s: s.theirs <= 0
    )
    end = duel.end
    assert P(end.ours == end.ours) == 1
    assert P(duel.after(1).ours == 2, given=duel.after(1).theirs == 2) == Fraction(1, 2)
    assert duel.end is end
    assert duel.after(2) is duel.after(2)
    assert P(duel.after(0).ours == 3) == 1


def test_axes_in_the_start_and_in_the_step():
    hp = stat("hp", (3, 5))
    damage = stat("damage", (1, 2))
    falls = chain(hp, lambda x: x - damage - roll(d(2)), until=lambda x: x <= 0)
    mean = falls.mean
    assert mean.dims == ("hp", "damage")
    for start in (3, 5):
        for extra in (1, 2):
            plain = chain(start, lambda x: x - extra - roll(d(2)), until=lambda x: x <= 0)  # noqa: B023
            assert mean.at(hp=start, damage=extra) == plain.mean
            assert E(falls.steps, exact=True).sel(hp=start, damage=extra).item() == plain.mean
            assert P(falls.end < 0, exact=True).sel(hp=start, damage=extra).item() == P(plain.end < 0)


def test_a_step_in_plain_python_is_run_for_each_state():
    def step(n):
        return n - 1 if n > 3 else n - roll(d(2))

    falls = chain(5, step, until=lambda n: n <= 0)
    assert falls.steps.mean == 2 + chain(3, lambda n: n - roll(d(2)), until=lambda n: n <= 0).mean
    dice_left = chain(
        4, lambda n: sum(where(roll(d(2)) == 1, 1, 0) for _ in range(n)), until=lambda n: n == 0
    )
    # The largest of 4 geometric waits.
    by_inclusion = sum((-1) ** (j + 1) * comb(4, j) / (1 - Fraction(1, 2**j)) for j in range(1, 5))
    assert dice_left.mean == by_inclusion == Fraction(368, 105)


def test_a_field_that_starts_as_a_number_is_one_and_an_event_stays_true_or_false():
    # The same step on fields of either kind, one after the other: True and 1 are equal, and not the same.
    def of(start, dead):
        return chain(Duel(2, start), lambda s: Duel(s.ours - roll(d([1, 1])), s.theirs), dead).end

    coin = chance("1/2")
    was = of(where(roll(d(6)) == 6, 1, 0), lambda s: s.ours == 0).theirs
    assert E(was) == Fraction(1, 6)
    dead = of(roll(d(6)) == 6, lambda s: s.ours == 0).theirs
    assert P((dead & coin) | (dead & ~coin)) == Fraction(1, 6)
    counted = chain(0, lambda n: roll(d(6)) == 6, until=lambda n: n == 1)
    assert counted.mean == 6
    assert [type(value) for value in dist(counted.after(1)).outcomes] == [int, int]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: chain(3, lambda x: x - OUTSIDE, lambda x: x <= 0), "a roll made outside"),
        (lambda: chain(3, lambda x: "gone", lambda x: x == 0), "the step makes it a label"),
        # 1 is not True: this chain would never have ended
        (lambda: chain(False, lambda x: where(roll(d(2)) == 1, 1, 0), lambda x: x), "starts as an event"),
        (lambda: chain(3, lambda x: x - roll(d(2)), lambda x: roll(d(2)) > 1), "rolls nothing"),
        (lambda: chain(3, lambda x: x - 1, lambda x: x), "until gives an event"),
        (lambda: chain(3, lambda x: x - 1, lambda x: x <= 0, limit=0), "1 or more"),
        (lambda: chain(3, 4), "as functions"),
        (lambda: chain(Duel, lambda s: s), "not from the class"),
        (lambda: chain(Duel(1, 2), lambda s: s.ours), "gives a Duel"),
        (lambda: chain(3, lambda x: x - 1, lambda x: x <= 0).after(-1), "0 or more"),
        (lambda: chain(3, lambda x: 6 // x, lambda x: x > 9).steps, "never"),
        (lambda: chain(2, lambda x: (x - 1) // (x - 2), lambda x: x > 9).steps, "// of 1, 0"),
    ],
)
def test_what_cannot_be_is_refused(make, said):
    if said == "never":
        assert make().leftover == 1
        return
    with pytest.raises(RulekitError) as caught:
        make()
    assert said in str(caught.value)


OUTSIDE = roll(d(6), "outside")


def test_a_rolled_start():
    falls = chain(roll(d(4)), lambda x: x - 1, until=lambda x: x <= 0)
    assert falls.steps == d(4)


STEPS_DOWN = {20: 12, 12: 10, 10: 8, 8: 6, 6: 4, 4: 0}


def test_usage_die():
    def use(die):
        return where(roll(die) <= 2, table(die, STEPS_DOWN), die)

    ud6, ud20 = (chain(n, use, until=lambda die: die == 0).steps for n in (6, 20))
    assert (ud6.mean, ud20.mean, ud20.variance) == (5, 30, 160)
    assert (ud6.probability(2), ud6.probability(3)) == (Fraction(1, 6), Fraction(7, 36))
    assert P(ud6 >= 6) == Fraction(431, 1296)
    assert P(ud20 <= 6) == Fraction(1, 7200)


def test_hits_to_kill():
    badger = chain(3, lambda hp: hp - roll(d(4)), until=lambda hp: hp <= 0).steps
    assert [badger.probability(n) for n in (1, 2, 3)] == [Fraction(1, 2), Fraction(7, 16), Fraction(1, 16)]
    assert badger.mean == Fraction(25, 16)
    bear = chain(11, lambda hp: hp - roll(d(6)), until=lambda hp: hp <= 0).steps
    assert bear.mean == Fraction(218463217, 60466176)


@dataclass(frozen=True)
class Saves:
    good: int = 0
    bad: int = 0
    up: bool = False


def test_death_saves():
    def save(state):
        natural = roll(d(20))
        good = state.good + where((natural >= 10) & (natural < 20), 1, 0)
        return Saves(good, state.bad + where(natural == 1, 2, where(natural < 10, 1, 0)), natural == 20)

    end = chain(Saves(), save, until=lambda s: s.up | (s.good >= 3) | (s.bad >= 3)).end
    assert P(end.up) == Fraction(1451, 8000)
    assert P(end.good >= 3) == Fraction(331, 800)
    assert P(end.bad >= 3) == Fraction(3239, 8000)
    assert P(end.bad < 3) == Fraction(4761, 8000)

    def plain_save(state):
        passed = roll(d(20)) >= 10
        return Saves(state.good + where(passed, 1, 0), state.bad + where(passed, 0, 1), state.up)

    end = chain(Saves(), plain_save, until=lambda s: (s.good >= 3) | (s.bad >= 3)).end
    assert P(end.good >= 3) == Fraction(949003, 1600000)


def test_first_to_three_with_ties_rolled_again():
    def contest(state):
        rookie, veteran = roll(d(20)), roll(d(20)) + 2
        return Duel(state.ours + (rookie > veteran), state.theirs + (veteran > rookie))

    end = chain(Duel(0, 0), contest, until=lambda s: (s.ours == 3) | (s.theirs == 3)).end
    assert P(end.ours == 3) == Fraction(647373624327, 2033559215608)
    a, b = roll(d(20)), roll(d(20)) + 2
    assert P(a > b, given=a != b) == Fraction(153, 382)
    five = chain(Duel(0, 0), contest).after(5)
    assert P(five.ours > five.theirs) != P(end.ours == 3)


def test_steps_are_told_where_the_states_have_no_end(monkeypatch):
    monkeypatch.setattr("rulekit.rolls.chains.MOST_STATES", 500)
    walk = chain(0, lambda x: x + where(roll(d(2)) == 1, 1, -1), until=lambda x: x == 1, limit=9)
    assert [walk.steps.probability(n) for n in (1, 2, 3, 5)] == [
        Fraction(1, 2),
        0,
        Fraction(1, 8),
        Fraction(1, 16),
    ]
    assert walk.steps.leftover == Fraction(63, 256)
    with pytest.raises(TooLarge, match="states"):
        _ = walk.mean
