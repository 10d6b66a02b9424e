from __future__ import annotations

import sys
from importlib.util import find_spec
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.distributions import Dist, d, kernels
from rulekit.errors import TooLarge

coefficients = st.lists(st.integers(0, 10**12), min_size=1, max_size=70).filter(any)


def plain(a, b):
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


@pytest.fixture(params=["flint", "without"])
def _both_ways(request, monkeypatch):
    if request.param == "without":
        monkeypatch.setitem(sys.modules, "flint", None)
    else:
        assert find_spec("flint") is not None


@pytest.mark.usefixtures("_both_ways")
class TestBothWays:
    @given(a=coefficients, b=coefficients)
    def test_convolve(self, a, b):
        assert kernels.convolve(a, b) == plain(a, b)

    @given(a=coefficients.filter(lambda a: len(a) < 12), n=st.integers(0, 9))
    def test_power(self, a, n):
        expected = [1]
        for _ in range(n):
            expected = plain(expected, a)
        assert kernels.power(a, n) == expected

    def test_dists(self):
        crooked = Dist({1: 3, 2: 1, 4: 2, 9: 1})
        assert 40 @ crooked == (20 @ crooked) + (20 @ crooked)
        assert (40 @ crooked).mean == 40 * crooked.mean


@given(st.integers(0, 12), st.integers(1, 9))
def test_uniform_power(n, sides):
    assert kernels.uniform_power(n, sides) == kernels.power([1] * sides, n)


def test_uniform_power_against_its_closed_form():
    n, sides = 100, 6
    ways = kernels.uniform_power(n, sides)
    for k in (0, 1, 77, 250, 333, 500):
        closed = sum(
            (-1) ** j * comb(n, j) * comb(k - sides * j + n - 1, n - 1) for j in range(k // sides + 1)
        )
        assert ways[k] == closed


def test_bounds():
    for ask in (
        lambda: kernels.uniform_power(10**9, 10**9),
        lambda: kernels.power([1, 1], 10**6),
        lambda: kernels.convolve([1] * 1_500_000, [1] * 1_500_000),
    ):
        with pytest.raises(TooLarge):
            ask()


def test_without_flint_the_bound_is_lower(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(TooLarge):
        kernels.convolve([1 << 3000] * 20_000, [1] * 20_000)


def test_no_flint_is_loaded_for_equal_dice():
    import subprocess

    code = (
        "import sys; from rulekit import d; 100 @ d(6); 30 @ d(6) > 30 @ d(6); print('flint' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False\n"
    )
    assert (100 @ d(6)).mean == 350
