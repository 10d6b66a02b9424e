"""Distributions, pools and comparisons, beside icepool, dyce, lea and plain dictionaries."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import dyce
import flint
import icepool
import lea

from benchmarks.measuring import Case, Contender, answer
from rulekit.distributions import Pool, d

__all__ = ["CASES"]

lea.set_prob_type("r")
warnings.filterwarnings("ignore", category=dyce.lifecycle.ExperimentalWarning)


def ours(ask: Callable[[], Any]) -> Contender:
    return Contender("rulekit", ask, lambda dist: answer(dist.items()))


def icepools(ask: Callable[[], Any]) -> Contender:
    return Contender("icepool", ask, lambda die: answer(die.items()))


def dyces(ask: Callable[[], Any]) -> Contender:
    return Contender("dyce", ask, lambda h: answer(h.items()))


def leas(ask: Callable[[], Any]) -> Contender:
    def exact(distribution: Any) -> Any:
        odds = [(x, Fraction(p)) for x, p in distribution.pmf_tuple()]
        scale = 1
        for _, p in odds:
            scale = max(scale, p.denominator) if scale % p.denominator == 0 else scale * p.denominator
        return answer((x, int(p * scale)) for x, p in odds)

    return Contender("lea", lambda: ask().get_alea(), exact)


def plain_sum(n: int, sides: int) -> dict[int, int]:
    """The sum of n dice as the field does it: dictionaries multiplied, by squaring."""
    if n == 1:
        return dict.fromkeys(range(1, sides + 1), 1)
    half = plain_sum(n // 2, sides)
    total = _times(half, half)
    return _times(total, plain_sum(1, sides)) if n % 2 else total


def _times(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    out: dict[int, int] = {}
    for x, v in a.items():
        for y, w in b.items():
            out[x + y] = out.get(x + y, 0) + v * w
    return out


def flint_sum(n: int, sides: int) -> dict[int, int]:
    coefficients = (flint.fmpz_poly([1] * sides) ** n).coeffs()
    return {n + i: int(w) for i, w in enumerate(coefficients)}


def sums(n: int, sides: int, target: float) -> Case:
    return Case(
        f"{n}d{sides}",
        target,
        (
            ours(lambda: n @ d(sides)),
            icepools(lambda: n @ icepool.Die(range(1, sides + 1))),
            dyces(lambda: n @ dyce.H(sides)),
            leas(lambda: lea.interval(1, sides).times(n)),
            Contender("plain", lambda: plain_sum(n, sides), lambda x: answer(x.items()), is_peer=False),
            Contender("flint", lambda: flint_sum(n, sides), lambda x: answer(x.items()), is_peer=False),
        ),
        note="no slower than flint",
    )


def best(k: int, n: int, sides: int) -> Case:
    return Case(
        f"best {k} of {n}d{sides}",
        10,
        (
            ours(lambda: Pool([d(sides)] * n).highest(k)),
            icepools(lambda: icepool.d(sides).pool(n).highest(k).sum()),
            dyces(lambda: (n @ dyce.P(sides)).at(slice(-k, None))),
        ),
    )


MIXED = (4, 6, 8, 10, 12)

CASES = (
    sums(100, 6, 30),
    sums(1000, 6, 1000),
    sums(100, 100, 500),
    best(3, 40, 20),
    best(5, 100, 10),
    Case(
        "best 5 of ten d10 exploding to depth 5",
        10,
        (
            ours(lambda: Pool([d(10).explode(times=5)] * 10).highest(5)),
            icepools(lambda: icepool.d(10).explode(depth=5).pool(10).highest(5).sum()),
            dyces(lambda: (10 @ dyce.P(dyce.explode_n(dyce.H(10), n=5))).at(slice(-5, None))),
        ),
    ),
    Case(
        "middle 5 of 5 each of d4 d6 d8 d10 d12",
        5,
        (
            ours(lambda: Pool({d(sides): 5 for sides in MIXED}).middle(5)),
            icepools(lambda: icepool.Pool([icepool.d(s) for s in MIXED for _ in range(5)]).middle(5).sum()),
            dyces(lambda: dyce.P(*(s for s in MIXED for _ in range(5))).at(slice(10, 15))),
        ),
    ),
    Case(
        "P(30d6 > 30d6)",
        20,
        (
            ours(lambda: 30 @ d(6) > 30 @ d(6)),
            icepools(lambda: (30 @ icepool.d(6)) > (30 @ icepool.d(6))),
            dyces(lambda: (30 @ dyce.H(6)).gt(30 @ dyce.H(6))),
            leas(lambda: lea.interval(1, 6).times(30) > lea.interval(1, 6).times(30)),
        ),
    ),
    Case(
        "60d6 successes less 60d6 successes",
        3,
        (
            ours(lambda: Pool([d(6)] * 60).count({5, 6}) - Pool([d(6)] * 60).count({5, 6})),
            icepools(lambda: 60 @ (icepool.d(6) >= 5) - 60 @ (icepool.d(6) >= 5)),
            dyces(lambda: 60 @ dyce.H(6).ge(5) - 60 @ dyce.H(6).ge(5)),
            leas(lambda: (lea.interval(1, 6) >= 5).times(60) - (lea.interval(1, 6) >= 5).times(60)),
        ),
    ),
    Case(
        "sorted pairs, 30d10 against 30d10",
        50,
        (
            ours(lambda: Pool([d(10)] * 30).pairs(Pool([d(10)] * 30))),
            icepools(lambda: icepool.d(10).pool(30).sort_pair(">", icepool.d(10).pool(30)).size()),
        ),
    ),
)
