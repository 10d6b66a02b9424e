"""The front end's module on Node: what it shows, what it asks, and how it writes a number."""

from __future__ import annotations

import base64
import json
import math
import os
import random
import struct
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import playwright

import rulekit_widgets
from rulekit.distributions.formatting import ProbabilityMode, format_number, format_probability
from rulekit_widgets import cells as cells_module
from rulekit_widgets.cells import MODES, SMALLEST, packed

HERE = Path(__file__).parent
NODE = Path(playwright.__file__).parent / "driver" / "node"
MODULE = Path(rulekit_widgets.__file__).parent / "explorer.js"


def node(*arguments: str, given: str = "") -> str:
    environment = {**os.environ, "EXPLORER": str(MODULE)}
    done = subprocess.run(
        [str(NODE), *arguments], input=given, capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def written(asked: list[list[Any]]) -> list[str]:
    return json.loads(node(str(HERE / "numbers.mjs"), str(MODULE), given=json.dumps(asked)))


def odds(n: int, seed: int) -> list[float]:
    """Probabilities as rules have them (ties of rounding among them), and at every size."""
    random_ = random.Random(seed)
    numbers = [k / q for q in (20, 36, 400, 216, 1024) for k in range(q + 1)]
    numbers += [1e-6, 5e-7, 0.999, 0.9999, 0.99995, 0.999999, 1 - 1e-7, 1 - 1e-9, 0.00999, 0.0095, 0.01]
    while len(numbers) < n:
        x = random_.random() * 10 ** -random_.choice([0, 0, 0, 1, 2, 3, 6, 12, 25])
        numbers.append(random_.choice([x, 1 - x]))
    return numbers


def test_parts_that_need_no_document() -> None:
    said = node("--test", str(HERE / "explorer.test.mjs"))
    assert "fail 0" in said
    assert "pass 0" not in said


def test_ten_thousand_probabilities_are_written_as_python_writes_them() -> None:
    numbers = odds(10_000, seed=1)
    asked = [[p, "probability", mode] for p in numbers for mode in MODES]
    told = written(asked)
    wrong = [
        (p, mode, is_, said)
        for (p, _, mode), said in zip(asked, told, strict=True)
        if said != (is_ := format_probability(p, mode))
    ]
    assert not wrong, wrong[:10]


def test_ten_thousand_numbers_are_written_as_python_writes_them() -> None:
    random_ = random.Random(2)
    numbers = [k / 8 for k in range(-400, 400)] + [0.0, 1e15, 1e-7, 999.995, 1e20, 12345.675]
    while len(numbers) < 10_000:
        numbers.append(random_.uniform(-1, 1) * 10 ** random_.randint(-9, 17))
    asked = [[x, "number", signed] for x in numbers for signed in (False, True)]
    told = written(asked)
    wrong = [
        (x, signed, is_, said)
        for (x, _, signed), said in zip(asked, told, strict=True)
        if said != (is_ := format_number(x, signed=signed))
    ]
    assert not wrong, wrong[:10]


def as_single(p: float) -> float:
    return struct.unpack("<f", struct.pack("<f", p))[0]


def test_ten_thousand_cells_are_written_as_python_writes_the_exact_values() -> None:
    numbers = [p for p in odds(10_000, seed=3) if p == 0 or p > SMALLEST]
    # What decides the last digit: ties, and values just beside them that no tie is.
    ties = [Fraction(k, 2000) for k in range(1, 2000, 2)] + [
        Fraction(8, 27),
        Fraction(4, 49),
        Fraction(1, 80),
        *[Fraction(2000, n) for n in range(2003, 2010, 2)],  # "1 in 1.002" has four digits
    ]
    beside = [
        float(tie * (1 + side * Fraction(1, 10**size)))
        for tie in ties
        for side in (-1, 1)
        for size in (5, 6, 7, 9, 11, 12, 13)
    ]
    numbers += [float(tie) for tie in ties] + beside
    cells = list(struct.unpack(f"<{len(numbers)}f", base64.b64decode(packed([numbers]))))
    for p, cell in zip(numbers, cells, strict=True):
        assert math.isclose(p, cell, rel_tol=6e-6, abs_tol=1e-44)
    modes: tuple[ProbabilityMode, ...] = ("percent", "one_in")
    told = written([[cell, "cell", mode] for cell in cells for mode in modes])
    exact = [format_probability(p, mode) for p in numbers for mode in modes]
    wrong = [
        (p, a, b) for p, a, b in zip([p for p in numbers for _ in modes], exact, told, strict=True) if a != b
    ]
    assert not wrong, wrong[:10]


def test_python_knows_how_the_page_writes_a_cell() -> None:
    cells = [as_single(p) for p in odds(10_000, seed=4) if p == 0 or as_single(p) > 0]
    told = written([[cell, "cell", mode] for cell in cells for mode in MODES])
    mine = [cells_module.written(cell, mode) for cell in cells for mode in MODES]
    wrong = [
        (c, a, b) for c, a, b in zip([c for c in cells for _ in MODES], mine, told, strict=True) if a != b
    ]
    assert not wrong, wrong[:10]
