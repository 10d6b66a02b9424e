"""The command line: `rulekit odds "4d6kh3"`, `rulekit odds adventures_edge.attack attacker.attack_bonus=7`.

Exit codes: 0 for an answer; 1 where a question that was understood has none (the rule does not apply, the
answer is too large); 2 for what was not understood.

Other packages add commands by an entry point in the group `rulekit.commands`: a function that takes the
arguments after the command's name and gives the exit code. It is loaded when its command is called.
"""

from __future__ import annotations

import argparse
import json
import os
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from rulekit._version import __version__
from rulekit.errors import NotAllowed, RulekitError, StatError, TooLarge

if TYPE_CHECKING:
    from rulekit.distributions import Dist
    from rulekit.rules import Setup

__all__ = ["main"]

COMMANDS = "rulekit.commands"
ANSWERED, NO_ANSWER, NOT_UNDERSTOOD = 0, 1, 2
BAR_WIDTH = 24

_RULE_ID = re.compile(r"[A-Za-z_]\w*(\.\w+)+")

_ODDS_HELP = """\
examples:
  rulekit odds 4d6kh3
  rulekit odds "2d20kh1 + 7" --mode one_in
  rulekit odds adventures_edge.attack attacker=Brawn target=goblin
  rulekit odds adventures_edge.attack attacker.attack_bonus=4..8 target.defense=15,17 --csv
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer a command line; what goes wrong is told on the standard error stream.

    Args:
        arguments: After the program's name; those it was called with by default.

    Returns:
        The exit code.

    >>> main(["odds", "2d6", "--measure", ">= 10"])
    16.7 %
    0
    >>> main(["rules"])  # doctest: +ELLIPSIS
    adventures_edge.actions ...
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without bars shows something in their place
    name, rest = (given[0], given[1:]) if given else ("--help", [])
    commands: dict[str, Callable[[list[str]], int]] = {"odds": _odds, "rules": _rules}
    try:
        if name in commands:
            return commands[name](rest)
        if name in ("-h", "--help"):
            return _help(commands)
        if name == "--version":
            _say(f"rulekit {__version__}")
            return ANSWERED
        for point in entry_points(group=COMMANDS):
            if point.name == name:
                return int(point.load()(rest))
        others = sorted({*commands, *(point.name for point in entry_points(group=COMMANDS))})
        raise RulekitError(f"there is no command {name!r}; there are {', '.join(others)}")
    except (NotAllowed, TooLarge) as fault:
        return _fail(fault, NO_ANSWER)
    except (RulekitError, ImportError) as fault:
        return _fail(fault, NOT_UNDERSTOOD)
    except BrokenPipeError:  # whoever reads has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ANSWERED


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _fail(fault: Exception, code: int) -> int:
    sys.stderr.write(f"rulekit: {fault}\n")
    return code


def _help(commands: dict[str, Callable[[list[str]], int]]) -> int:
    _say("usage: rulekit COMMAND ...\n\nTabletop rules as exact odds.\n\ncommands:")
    for name, command in commands.items():
        _say(f"  {name:8} {(command.__doc__ or '').splitlines()[0]}")
    for point in sorted(entry_points(group=COMMANDS), key=lambda point: point.name):
        _say(f"  {point.name:8} rulekit {point.name} --help")
    return ANSWERED


def _read(parser: argparse.ArgumentParser, arguments: list[str]) -> argparse.Namespace | int:
    try:
        return parser.parse_args(arguments)
    except SystemExit as end:  # argparse has said why
        return end.code if isinstance(end.code, int) else NOT_UNDERSTOOD


# -- rules -------------------------------------------------------------------------------------------------


def _rules(arguments: list[str]) -> int:
    """The rules that ship, or one rule's stats and measures."""
    parser = argparse.ArgumentParser("rulekit rules", description=_rules.__doc__)
    parser.add_argument("rule", nargs="?", help="a rule's id")
    read = _read(parser, arguments)
    if isinstance(read, int):
        return read
    _load_games()
    from rulekit.rules import registered
    from rulekit.rules.registry import find_rule
    from rulekit.studies.results import Table

    if read.rule is None:
        width = max(len(each.id) for each in registered())
        for each in registered():
            _say(f"{each.id:{width}}  {each.doc.partition(chr(10))[0]}")
        return ANSWERED
    rule = find_rule(read.rule)
    _say(f"{rule.id} ({', '.join(rule.sources)})\n{rule.doc}\n")
    stats = [
        (info.path, "" if info.value is None else str(info.value), _allowed(info), info.help)
        for info in rule.stats
    ]
    _say(Table(("stat", "default", "allowed", "help"), stats).lines())
    _say("")
    measures = [(info.path, info.kind, info.unit, info.help) for info in rule.measures]
    _say(Table(("measure", "kind", "unit", "help"), measures).lines())
    return ANSWERED


def _allowed(info: Any) -> str:
    if info.choices:
        return textwrap.shorten(", ".join(map(str, info.choices)), 40, placeholder=", …")
    low, high = info.bounds
    if low is None and high is None:
        return str(info.kind)
    return f"{'' if low is None else low}..{'' if high is None else high}"


def _load_games() -> None:
    import rulekit.games

    for module in pkgutil.iter_modules(rulekit.games.__path__):
        import_module(f"rulekit.games.{module.name}")


# -- odds --------------------------------------------------------------------------------------------------


def _odds(arguments: list[str]) -> int:
    """The odds of dice in notation, or of a rule."""
    parser = argparse.ArgumentParser(
        "rulekit odds", description=_odds.__doc__, epilog=_ODDS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("what", help="dice notation (4d6kh3), or a rule's id (see: rulekit rules)")
    parser.add_argument(
        "stats", nargs="*", metavar="path=values",
        help="a rule's stats: attacker.attack_bonus=7, several as 4..8 or 15,17, a loadout as attacker=Brawn",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--measure", action="append", dest="measures", metavar="MEASURE",
        help="what to show: damage, 'damage >= 10', damage.sd; of dice '>= 10'. May be given several times",
    )  # fmt: skip
    parser.add_argument("--mode", choices=("percent", "fraction", "one_in"), default="percent")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="exact fractions and decimals as JSON")
    form.add_argument("--csv", action="store_true", help="comma-separated values")
    read = _read(parser, arguments)
    if isinstance(read, int):
        return read
    if _RULE_ID.fullmatch(read.what):
        return _odds_of_rule(read)
    if read.stats:
        raise StatError(f"{read.what!r} is no rule's id, and dice have no stats such as {read.stats[0]!r}")
    return _odds_of_dice(read)


def _odds_of_dice(read: argparse.Namespace) -> int:
    from rulekit.distributions import d
    from rulekit.distributions.formatting import format_probability

    dist = d(read.what)
    if read.measures:
        found = {text: _compared(dist, text) for text in read.measures}
        if read.json:
            _say_json({"notation": read.what, "measures": {k: _number(p) for k, p in found.items()}})
        elif read.csv:
            _say("\n".join(["measure,probability", *(f"{k},{float(p)!r}" for k, p in found.items())]))
        else:
            for text, p in found.items():
                told = format_probability(p, read.mode)
                _say(told if len(found) == 1 else f"{text}: {told}")
        return ANSWERED
    if read.json:
        _say_json({"notation": read.what, **_of_dist(dist)})
    elif read.csv:
        _say("\n".join(["outcome,probability,at_least,at_most", *_csv_rows(dist)]))
    else:
        _say(format(dist, read.mode))
    return ANSWERED


def _compared(dist: Dist, text: str) -> Fraction:
    found = re.fullmatch(r"\s*(>=|<=|==|!=|>|<|)\s*(-?\d+(?:/\d+|\.\d+)?)\s*", text)
    if not found:
        raise StatError(f"{text!r}: of dice one asks for an outcome such as '>= 10' or '7'")
    if dist.kind != "number":
        raise StatError(f"{text!r}: these dice show no numbers")
    value = Fraction(found[2])
    events: dict[str, Callable[[], Any]] = {
        ">=": lambda: dist >= value, "<=": lambda: dist <= value, "==": lambda: dist == value,
        "!=": lambda: dist != value, ">": lambda: dist > value, "<": lambda: dist < value,
    }  # fmt: skip
    return Fraction(events[found[1] or "=="]().probability(True))


def _odds_of_rule(read: argparse.Namespace) -> int:
    _load_games()
    from rulekit.rules.registry import find_rule
    from rulekit.studies import sweep
    from rulekit.studies.batches import ranges_of

    rule = find_rule(read.what)
    setup = rule.setup()
    ranges = ranges_of(setup, read.stats)
    fixed = {path: values for path, values in ranges.items() if len(values) == 1}
    setup = setup.at(
        {path: next(iter(v.values() if hasattr(v, "values") else v)) for path, v in fixed.items()}
    )
    several = {path: values for path, values in ranges.items() if path not in fixed}
    if not several:
        return _odds_of_setup(setup, read)
    swept = sweep(setup, several, read.measures or _scalars(setup), exact=True)
    if read.json:
        _say_json({"rule": rule.id, "rows": [_plain(row) for row in swept.records()]})
    elif read.csv:
        sys.stdout.write(swept.to_csv())
    else:
        table = swept.tables(read.mode)[0]
        _say(_with_bars(table, swept) if len(several) == 1 else table.lines())
    return ANSWERED


def _scalars(setup: Setup[Any]) -> list[str]:
    return [info.path for info in setup.measures if info.kind != "label"]


def _with_bars(table: Any, swept: Any) -> str:
    """A table over one stat, with a bar for its first measure."""
    from rulekit.studies.results import Table

    name = next(name for name in swept.grids if swept.questions.get(name) != "dist")
    values = [float(value) for value in swept.grids[name].flat]
    most = max((abs(value) for value in values if value == value), default=0) or 1
    bars = ["" if value != value else "█" * round(abs(value) / most * BAR_WIDTH) for value in values]
    rows = [(*row, bar.ljust(BAR_WIDTH)) for row, bar in zip(table.rows, bars, strict=True)]
    return Table((*table.head, name.ljust(BAR_WIDTH)), rows).lines()


def _odds_of_setup(setup: Setup[Any], read: argparse.Namespace) -> int:
    from rulekit.rolls import ask, dist
    from rulekit.rules import measures_of
    from rulekit.studies.results import Table, value_text
    from rulekit.studies.sweeping import question_of

    outcome = setup()
    known = measures_of(outcome)
    units = {info.path: info.unit for info in setup.measures}
    wanted = [question_of(each, known, outcome) for each in read.measures or known]
    grids = ask([(question, roll) for _, question, roll in wanted], exact=True)
    answers = {
        name: (question, roll, grid) for (name, question, roll), grid in zip(wanted, grids, strict=True)
    }
    notes = list(getattr(outcome, "notes", ()))
    if read.json:
        measures = {
            name: _number(grid.item()) if question == "sd" else _of_dist(dist(roll))
            for name, (question, roll, grid) in answers.items()
        }
        _say_json({**setup.to_dict(), "measures": measures, "notes": notes})
        return ANSWERED
    if read.csv:
        lines = ["measure,outcome,probability,at_least,at_most"]
        for name, (_, roll, _) in answers.items():
            lines += [f"{_cell(name)},{row}" for row in _csv_rows(dist(roll))]
        _say("\n".join(lines))
        return ANSWERED
    rows = [
        (
            name,
            value_text(grid.item(), "event" if question == "P" else "number", units.get(name, ""), read.mode),
        )
        for name, (question, _, grid) in answers.items()
        if question != "dist"
    ]
    if rows:
        _say(Table(("measure", "value"), rows).lines())
    charts = [(name, roll) for name, (_, roll, _) in answers.items() if roll.kind != "event"]
    for name, roll in charts if read.measures else charts[:1]:
        _say(f"\n{name}: {format(dist(roll), read.mode)}")
    for note in notes:
        _say(f"\n{note}")
    return ANSWERED


# -- forms -------------------------------------------------------------------------------------------------


def _of_dist(dist: Dist) -> dict[str, Any]:
    """A distribution as plain data: figures where it has them, and every outcome's probability."""
    data: dict[str, Any] = {}
    if dist.kind == "event":
        return {"kind": "event", "probability": _number(dist.probability(True))}
    if dist.kind == "number" and not dist.leftover:
        data = {"mean": _number(dist.mean), "sd": dist.sd}
    odds = [
        [_outcome(outcome), str(Fraction(weight, dist.denominator)), weight / dist.denominator]
        for outcome, weight in dist.items()
    ]
    rest = {"leftover": _number(dist.leftover)} if dist.leftover else {}
    return {"kind": dist.kind, **data, "distribution": odds, **rest}


def _number(value: Any) -> Any:
    return {"exact": str(value), "value": float(value)} if isinstance(value, (int, Fraction)) else value


def _outcome(outcome: Any) -> Any:
    from rulekit.rules.fields import label_of

    plain = label_of(outcome)
    return plain if isinstance(plain, (int, str)) else str(plain)


def _csv_rows(dist: Dist) -> list[str]:
    rows, below, total = [], 0, dist.denominator
    for outcome, weight in dist.items():
        row = f"{_cell(str(_outcome(outcome)))},{weight / total!r}"
        if dist.kind == "number":
            row += f",{(total - below) / total!r},{(below + weight) / total!r}"
        else:
            row += ",,"
        below += weight
        rows.append(row)
    return rows


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n') else text


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: None if value != value else _number(value) if isinstance(value, Fraction) else value
        for key, value in row.items()
    }


def _say_json(data: Any) -> None:
    _say(json.dumps(data, ensure_ascii=False, indent=2))
