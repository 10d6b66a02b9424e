"""Dice and pools against icepool, dyce and lea; equal dice also against FLINT's own power with conversion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks._sides import Case, compare

Work = Callable[[], Any]

CASES = [
    Case("100d6", "100d6", 30),
    Case("1000d6", "1000d6", 1_000),
    Case("100d100", "100d100", 500),
    Case("best_3_of_40d20", "best 3 of 40d20", 10),
    Case("best_5_of_100d10", "best 5 of 100d10", 10),
    Case("exploding", "best 5 of ten d10 exploding to depth 5", 10),
    Case("middle", "middle 5 of 5 each of d4 d6 d8 d10 d12", 5),
    Case("greater", "P(30d6 > 30d6)", 20),
    Case("successes", "60d6 successes less 60d6 successes", 3),
    Case("pairs", "sorted pairs of 30d10 against 30d10", 50),
]


def _sums(n: int, sides: int) -> dict[str, Callable[[], Work]]:
    def rulekit() -> Work:
        from rulekit import d

        return lambda: n @ d(sides)

    def icepool() -> Work:
        import icepool

        return lambda: n @ icepool.d(sides)

    def dyce() -> Work:
        from dyce import H

        return lambda: n @ H(sides)

    def lea() -> Work:
        import lea

        return lambda: lea.vals(*range(1, sides + 1), prob_type="r").times(n)

    def flint() -> Work:
        from flint import fmpz_poly

        return lambda: [int(c) for c in (fmpz_poly([0] + [1] * sides) ** n).coeffs()]

    sides_of = {"rulekit": rulekit, "icepool": icepool, "dyce": dyce, "lea": lea, "flint": flint}
    return {f"{library}_{n}d{sides}": side for library, side in sides_of.items()}


globals().update(_sums(100, 6) | _sums(1000, 6) | _sums(100, 100))


def rulekit_best_3_of_40d20() -> Work:
    from rulekit import Pool, d

    return lambda: Pool([d(20)] * 40).highest(3)


def icepool_best_3_of_40d20() -> Work:
    import icepool

    return lambda: icepool.d20.highest(40, 3)


def dyce_best_3_of_40d20() -> Work:
    from dyce import H, P

    return lambda: (40 @ P(H(20))).at(slice(-3, None))


def rulekit_best_5_of_100d10() -> Work:
    from rulekit import Pool, d

    return lambda: Pool([d(10)] * 100).highest(5)


def icepool_best_5_of_100d10() -> Work:
    import icepool

    return lambda: icepool.d10.highest(100, 5)


def dyce_best_5_of_100d10() -> Work:
    from dyce import H, P

    return lambda: (100 @ P(H(10))).at(slice(-5, None))


def rulekit_exploding() -> Work:
    from rulekit import Pool, d

    return lambda: Pool([d(10).explode(times=5)] * 10).highest(5)


def icepool_exploding() -> Work:
    import icepool

    return lambda: icepool.d10.explode(depth=5).highest(10, 5)


def dyce_exploding() -> Work:
    from dyce import H, P, explode_n

    return lambda: (10 @ P(explode_n(H(10), n=5))).at(slice(-5, None))


def rulekit_middle() -> Work:
    from rulekit import Pool, d

    return lambda: Pool([d(sides) for sides in (4, 6, 8, 10, 12) for _ in range(5)]).middle(5)


def icepool_middle() -> Work:
    import icepool

    return lambda: (
        icepool.Pool([icepool.d(sides) for sides in (4, 6, 8, 10, 12) for _ in range(5)]).middle(5).sum()
    )


def dyce_middle() -> Work:
    from dyce import H, P

    return lambda: P(*(H(sides) for sides in (4, 6, 8, 10, 12) for _ in range(5))).at(slice(10, 15))


def rulekit_greater() -> Work:
    from rulekit import d

    return lambda: 30 @ d(6) > 30 @ d(6)


def icepool_greater() -> Work:
    import icepool

    return lambda: 30 @ icepool.d6 > 30 @ icepool.d6


def dyce_greater() -> Work:
    from dyce import H

    return lambda: (30 @ H(6)).gt(30 @ H(6))


def lea_greater() -> Work:
    import lea

    def work() -> Any:
        first, second = (lea.vals(*range(1, 7), prob_type="r").times(30) for _ in range(2))
        return (first > second).calc()

    return work


def rulekit_successes() -> Work:
    from rulekit import d

    return lambda: 60 @ (d(6) >= 5) - 60 @ (d(6) >= 5)


def icepool_successes() -> Work:
    import icepool

    return lambda: 60 @ (icepool.d6 >= 5) - 60 @ (icepool.d6 >= 5)


def dyce_successes() -> Work:
    from dyce import H

    return lambda: 60 @ H(6).ge(5) - 60 @ H(6).ge(5)


def lea_successes() -> Work:
    import lea

    def work() -> Any:
        first, second = (lea.vals(0, 0, 0, 0, 1, 1, prob_type="r").times(60) for _ in range(2))
        return (first - second).calc()

    return work


def rulekit_pairs() -> Work:
    from rulekit import Pool, d

    return lambda: Pool([d(10)] * 30).pairs(Pool([d(10)] * 30))


def icepool_pairs() -> Work:
    import icepool

    return lambda: icepool.d10.pool(30).sort_pair(">", icepool.d10.pool(30)).size()


def main() -> None:
    """Print the table."""
    compare(__name__, CASES)
