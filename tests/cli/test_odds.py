"""The command line: answers equal to the library's, clear errors, exit codes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from rulekit import E, NotAllowed, P, Roll, d, dist, rule, sd
from rulekit.cli import main
from rulekit.games.adventures_edge import Fighter, Target, attack
from rulekit.rules import shipped

BRAWN, GOBLIN = shipped(Fighter)["Brawn"].model, shipped(Target)["goblin"].model


@rule("YY-1")
def refuses(x: int = 0) -> Roll[int]:
    raise NotAllowed("YY-1", "not so")


def _told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(list(arguments)) == code
    captured = capsys.readouterr()
    assert (captured.err == "") == (code == 0)
    return captured.out if code == 0 else captured.err


def test_dice_are_shown_as_the_library_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert _told(capsys, "odds", "4d6kh3") == format(d("4d6kh3"), "percent") + "\n"
    assert _told(capsys, "odds", "d20 + 7", "--mode", "one_in") == format(d("d20+7"), "one_in") + "\n"


@pytest.mark.parametrize(
    ("measure", "probability"),
    [(">= 15", Fraction(301, 1296)), ("18", Fraction(21, 1296)), ("== 3", Fraction(1, 1296)),
     ("< 4", Fraction(1, 1296)), ("!= 3", Fraction(1295, 1296)), ("> 17.5", Fraction(21, 1296))],
)  # fmt: skip
def test_outcomes_of_dice(capsys: pytest.CaptureFixture[str], measure: str, probability: Fraction) -> None:
    told = _told(capsys, "odds", "4d6kh3", "-m", measure, "--mode", "fraction")
    if measure != ">= 15":
        assert Fraction(told) == probability
    else:
        assert Fraction(told) == d("4d6kh3").at_least(15)
    data = json.loads(_told(capsys, "odds", "4d6kh3", "-m", measure, "--json"))
    assert Fraction(data["measures"][measure]["exact"]) == Fraction(told)


def test_dice_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(_told(capsys, "odds", "3d4", "--json"))
    assert data["mean"] == {"exact": "15/2", "value": 7.5}
    assert {outcome: Fraction(p) for outcome, p, _ in data["distribution"]} == {
        outcome: d("3d4").probability(outcome) for outcome in range(3, 13)
    }
    rows = list(csv.DictReader(io.StringIO(_told(capsys, "odds", "3d4", "--csv"))))
    assert [int(row["outcome"]) for row in rows] == list(range(3, 13))
    for row in rows:
        assert float(row["at_least"]) == pytest.approx(float(d("3d4").at_least(int(row["outcome"]))))
        assert float(row["at_most"]) == pytest.approx(float(d("3d4").cdf(int(row["outcome"]))))


def test_a_rule_with_loadouts_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = attack(BRAWN, GOBLIN)
    told = _told(capsys, "odds", "adventures_edge.attack", "attacker=Brawn", "target=goblin")
    assert f"hit{'':<10}" in told
    assert format(dist(outcome.damage), "percent").splitlines()[5] in told
    data = json.loads(
        _told(capsys, "odds", "adventures_edge.attack", "attacker=Brawn", "target=goblin", "--json")
    )
    assert data["rule"] == "adventures_edge.attack"
    assert Fraction(data["measures"]["hit"]["probability"]["exact"]) == P(outcome.hit)
    assert Fraction(data["measures"]["damage"]["mean"]["exact"]) == E(outcome.damage)
    assert data["measures"]["damage"]["sd"] == pytest.approx(sd(outcome.damage))
    assert data["stats"]["attacker"]["attack_bonus"] == BRAWN.attack_bonus


def test_several_values_make_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "odds",
        "adventures_edge.attack",
        "attacker.attack_bonus=4..6",
        "target.defense=15,17",
        "-m",
        "hit",
    ]
    rows = list(csv.DictReader(io.StringIO(_told(capsys, *words, "--csv"))))
    assert [(row["attacker.attack_bonus"], row["target.defense"], row["hit"]) for row in rows] == [
        (
            str(bonus),
            str(defense),
            str(float(P(attack(Fighter(attack_bonus=bonus), Target(defense=defense)).hit))),
        )
        for bonus in (4, 5, 6)
        for defense in (15, 17)
    ]
    data = json.loads(_told(capsys, *words, "--json"))
    assert data["rows"][0] == {
        "attacker.attack_bonus": 4, "target.defense": 15, "hit": {"exact": "1/2", "value": 0.5},
    }  # fmt: skip
    table = _told(capsys, *words, "--mode", "fraction").splitlines()
    assert table[1].split() == ["4", "15", "1/2"]


def test_one_stat_over_several_values_gets_bars(capsys: pytest.CaptureFixture[str]) -> None:
    told = _told(capsys, "odds", "adventures_edge.attack", "target.defense=10..20", "-m", "hit").splitlines()
    bars = [line.count("█") for line in told[1:]]
    assert bars == sorted(bars, reverse=True)
    assert bars[0] == 24


def test_measures_of_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = attack(Fighter(), Target())
    told = _told(capsys, "odds", "adventures_edge.attack", "-m", "damage >= 5", "-m", "damage.sd",
                 "--mode", "fraction")  # fmt: skip
    assert ["damage", ">=", "5", str(P(outcome.damage >= 5))] in [line.split() for line in told.splitlines()]
    rows = list(
        csv.DictReader(io.StringIO(_told(capsys, "odds", "adventures_edge.attack", "-m", "hit", "--csv")))
    )
    assert sum(float(row["probability"]) for row in rows) == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["odds", "2d7x"], 2, "dice notation not understood at character 4"),
        (["odds", "adventures_edge.atack"], 2, "did you mean adventures_edge.attack?"),
        (["odds", "adventures_edge.attack", "target.defense=99"], 2, "target.defense: 99 is above 60"),
        (["odds", "adventures_edge.attack", "target.defence=9"], 2, "did you mean target.defense?"),
        (["odds", "adventures_edge.attack", "-m", "harm"], 2, "there is no measure 'harm'"),
        (["odds", "2d6", "ac=4"], 2, "dice have no stats such as 'ac=4'"),
        (["odds", "2d6", "-m", "x"], 2, "of dice one asks for an outcome"),
        (["odds", refuses.id], 1, "YY-1: not so"),
        (["odds"], 2, "the following arguments are required"),
        (["odds", "2d6", "--json", "--csv"], 2, "not allowed with"),
        (["ods", "2d6"], 2, "there is no command 'ods'; there are odds, rules"),
    ],
)
def test_what_goes_wrong_is_told_with_an_exit_code(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert message in _told(capsys, *arguments, code=code)


def test_the_rules_and_a_rules_stats(capsys: pytest.CaptureFixture[str]) -> None:
    told = _told(capsys, "rules").splitlines()
    assert any(line.startswith("elements.attack ") for line in told)
    one = _told(capsys, "rules", "adventures_edge.attack")
    assert "AE-12" in one
    assert any(line.split()[:3] == ["target.defense", "15", "0..60"] for line in one.splitlines())


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--help"]):
        told = _told(capsys, *arguments)
        assert "  odds" in told
    assert main(["odds", "--help"]) == 0
    assert "4d6kh3" in capsys.readouterr().out
    assert _told(capsys, "--version").startswith("rulekit ")


def test_another_package_may_bring_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []

    class Point:
        name = "greet"

        def load(self) -> Any:
            return lambda rest: called.append(rest) or 3

    monkeypatch.setattr("rulekit.cli.entry_points", lambda group: [Point()])
    assert main(["greet", "--loud"]) == 3
    assert called == [["--loud"]]


def test_the_program_is_installed_and_a_closed_pipe_is_no_fault() -> None:
    program = Path(sys.executable).parent / "rulekit"
    done = subprocess.run(
        f"'{program}' odds 40d6 | head -n 2", shell=True, capture_output=True, text=True, check=True,
        executable="/bin/bash",
    )  # fmt: skip
    assert done.stdout.startswith("mean 140")
    assert done.stderr == ""
    plain = subprocess.run(
        [program, "odds", "d6"], capture_output=True, text=True, check=True, env={"PYTHONIOENCODING": "ascii"}
    )
    assert "16.7 %" in plain.stdout


def test_the_package_itself_is_the_program_too() -> None:
    command = [sys.executable, "-m", "rulekit", "odds", "2d6", "--measure", ">= 10"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "16.7 %\n"
