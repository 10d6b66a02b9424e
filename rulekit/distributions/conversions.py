"""A `Dist` in the forms of other tools, and back: JSON, pandas, xarray, scipy.stats, pydantic.

Each form comes back as an equal Dist where the form can hold exact weights. pandas, xarray and scipy
hold probabilities as floats; beside them they carry the whole weights (``attrs`` or a column), from which
the way back is exact; without those a float probability is taken by its shortest decimal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulekit.distributions.distribution import Dist, d
from rulekit.distributions.exact import exact_number
from rulekit.distributions.leftovers import Rest
from rulekit.errors import RulekitError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from pydantic_core import CoreSchema

__all__ = [
    "core_schema",
    "from_json",
    "from_pandas",
    "from_plain",
    "from_scipy",
    "from_xarray",
    "to_json",
    "to_pandas",
    "to_plain",
    "to_scipy",
    "to_xarray",
]

LARGEST_PLAIN = 2**53
"""Weights from here on are strings in JSON: many readers hold a number as a float."""

# -- JSON ----------------------------------------------------------------------------------------------


def to_plain(dist: Dist) -> dict[str, Any]:
    """A Dist as a dict of plain values: what ``to_json`` writes.

    ``outcomes`` are numbers (fractions as ``"1/3"`` under the key ``fractions``), truth values, strings or
    lists (tuples) of these; ``weights`` are whole numbers, as strings from 2**53 on. What was cut off is
    ``leftover`` with its weight and range, and the exact ``mean`` and ``variance`` where they are known.

    >>> to_plain(d("2d2"))
    {'outcomes': [2, 3, 4], 'weights': [1, 2, 1]}
    """
    plain: dict[str, Any] = {
        "outcomes": [_plain_outcome(x) for x in dist.outcomes],
        "weights": [_plain_weight(w) for w in dist.weights],
    }
    if dist.leftover_range is not None:
        low, high = dist.leftover_range
        weight = dist.denominator - sum(dist.weights)
        plain["leftover"] = {
            "weight": _plain_weight(weight),
            "low": _plain_end(low),
            "high": _plain_end(high),
        }
        if dist._moments:
            plain["leftover"]["mean"], plain["leftover"]["variance"] = map(str, dist._moments)
    return plain


def from_plain(plain: Mapping[str, Any]) -> Dist:
    """The Dist that `to_plain` made the dict of; ``RulekitError`` for anything else.

    >>> from_plain({"outcomes": ["hit", "miss"], "weights": [1, "2"]})
    Dist({'hit': 1, 'miss': 2})
    """
    if not isinstance(plain, Mapping) or not {"outcomes", "weights"} <= set(plain):
        raise RulekitError(f"a Dist in JSON is an object with outcomes and weights, not {_short(plain)}")
    outcomes, weights = plain["outcomes"], plain["weights"]
    if not isinstance(outcomes, list) or not isinstance(weights, list) or len(outcomes) != len(weights):
        raise RulekitError("outcomes and weights of a Dist in JSON are two lists of one length")
    pairs = [(_outcome_of(x), _weight_of(w)) for x, w in zip(outcomes, weights, strict=True)]
    rest = plain.get("leftover")
    if rest is None:
        return Dist(pairs)
    try:
        moments = (Fraction(rest["mean"]), Fraction(rest["variance"])) if "mean" in rest else None
        cut = Rest(_weight_of(rest["weight"]), _end_of(rest["low"]), _end_of(rest["high"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RulekitError(f"a leftover in JSON has weight, low and high, not {_short(rest)}") from error
    merged: dict[Any, int] = {}
    for outcome, weight in pairs:
        merged[outcome] = merged.get(outcome, 0) + weight
    return Dist._from_merged(merged, cut, moments)


def to_json(dist: Dist) -> str:
    """A Dist as JSON, big weights as strings; `from_json` gives an equal one.

    >>> to_json(d(2))
    '{"outcomes": [1, 2], "weights": [1, 1]}'
    >>> from_json(to_json(100 @ d(6))) == 100 @ d(6)
    True
    """
    return json.dumps(to_plain(dist), ensure_ascii=False)


def from_json(text: str) -> Dist:
    """The Dist that `to_json` wrote; ``RulekitError`` for anything else.

    >>> from_json('{"outcomes": [1, 2], "weights": [1, 1]}')
    Dist({1: 1, 2: 1})
    """
    try:
        return from_plain(json.loads(text))
    except (json.JSONDecodeError, TypeError) as error:
        raise RulekitError(f"this is no JSON: {error}") from error


def _plain_outcome(x: Any) -> Any:
    if isinstance(x, bool | str) or x is None:
        return x
    if isinstance(x, int):
        return x if abs(x) < LARGEST_PLAIN else {"number": str(x)}
    if isinstance(x, Fraction):
        return {"number": str(x)}
    if isinstance(x, tuple):
        return [_plain_outcome(part) for part in x]
    raise RulekitError(
        f"JSON has no form for the outcome {x!r}: map the outcomes to numbers, strings or tuples"
    )


def _outcome_of(x: Any) -> Any:
    if isinstance(x, list):
        return tuple(_outcome_of(part) for part in x)
    if isinstance(x, Mapping):
        return _number_of(x.get("number"), "an outcome")
    return x


def _plain_weight(w: int) -> int | str:
    return w if w < LARGEST_PLAIN else _digits(w)


def _weight_of(w: Any) -> int:
    if isinstance(w, str) and w.isascii() and w.isdigit():
        return _from_digits(w)
    if isinstance(w, int) and not isinstance(w, bool):
        return w
    raise RulekitError(f"a weight in JSON is a whole number or a string of digits, not {_short(w)}")


def _number_of(text: Any, what: str) -> int | Fraction:
    try:
        number = Fraction(text)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise RulekitError(f"{what} in JSON is a number, not {_short(text)}") from error
    return number.numerator if number.denominator == 1 else number


def _plain_end(x: Any) -> Any:
    return str(x) if isinstance(x, float) else _plain_outcome(x)


def _end_of(x: Any) -> Any:
    return float(x) if x in ("inf", "-inf") else _outcome_of(x)


# Python refuses to print whole numbers beyond 4,300 digits in one go; 5000d20 has weights of 6,500.
_CHUNK = 4000


def _digits(n: int) -> str:
    chunks: list[str] = []
    while n >= 10**_CHUNK:
        n, rest = divmod(n, 10**_CHUNK)
        chunks.append(f"{rest:0{_CHUNK}d}")
    return "".join([str(n), *reversed(chunks)])


def _from_digits(text: str) -> int:
    n = 0
    first = len(text) % _CHUNK
    for start in range(first - _CHUNK if first else 0, len(text), _CHUNK):
        n = n * 10**_CHUNK + int(text[max(start, 0) : start + _CHUNK])
    return n


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 80 else text[:77] + "..."


# -- pandas, xarray, scipy -----------------------------------------------------------------------------


def to_pandas(dist: Dist) -> pd.Series[float]:
    """The probabilities as a Series over the outcomes, named ``probability``.

    ``attrs["dist"]`` holds the exact form of `to_json`, for `from_pandas`.

    >>> to_pandas(d(4)).sum()
    np.float64(1.0)
    >>> from_pandas(to_pandas(d(4)))
    Dist({1: 1, 2: 1, 3: 1, 4: 1})
    """
    import pandas as pd

    index = pd.Index([_axis_value(x) for x in dist.outcomes], name="outcome", tupleize_cols=False)
    series = pd.Series(_floats(dist), index=index, name="probability", dtype=float)
    series.attrs["dist"] = to_json(dist)
    return series


def from_pandas(data: pd.Series[Any] | pd.DataFrame) -> Dist:
    """A Dist of a Series of probabilities or weights over outcomes, or of a table.

    A table has the columns ``outcome`` (or its index) and ``weight`` or ``probability``. A float is taken
    by its shortest decimal and the probabilities need not add up to 1: they are weights.

    >>> import pandas as pd
    >>> from_pandas(pd.DataFrame({"outcome": ["hit", "miss"], "probability": [0.25, 0.75]}))
    Dist({'hit': 1, 'miss': 3})
    """
    exact = data.attrs.get("dist")
    if exact is not None:
        dist = from_json(exact)
        column = data["probability"] if data.ndim == 2 else data
        if len(column) == len(dist.outcomes) and list(column) == _floats(dist):
            return dist
    if data.ndim == 1:
        return _of_weights(zip(data.index, data, strict=True))
    column = next((name for name in ("weight", "probability") if name in data.columns), None)
    if column is None:
        raise RulekitError(f"a table of a Dist has a column weight or probability, not {list(data.columns)}")
    outcomes = data["outcome"] if "outcome" in data.columns else data.index
    return _of_weights(zip(outcomes, data[column], strict=True))


def to_xarray(dist: Dist) -> xr.DataArray:
    """The probabilities as a DataArray along ``outcome``; ``attrs["dist"]`` holds the exact form.

    >>> to_xarray(d(2)).dims, from_xarray(to_xarray(d(2)))
    (('outcome',), Dist({1: 1, 2: 1}))
    """
    import numpy as np
    import xarray as xr

    values = [_axis_value(x) for x in dist.outcomes]
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    if dist.kind != "label":
        labels = np.array(values)
    return xr.DataArray(
        _floats(dist),
        dims=("outcome",),
        coords={"outcome": labels},
        name="probability",
        attrs={"dist": to_json(dist)},
    )


def from_xarray(data: xr.DataArray) -> Dist:
    """A Dist of a DataArray with the one dimension ``outcome``; see `from_pandas` for floats.

    >>> from_xarray(to_xarray(d("2d6"))) == d("2d6")
    True
    """
    if data.dims != ("outcome",):
        raise RulekitError(
            f"a Dist has the one dimension outcome, not {data.dims}: pick a point of the others"
        )
    values = data.values.tolist()
    exact = data.attrs.get("dist")
    if exact is not None:
        dist = from_json(exact)
        if values == _floats(dist):
            return dist
    return _of_weights(zip(data["outcome"].values.tolist(), values, strict=True))


def to_scipy(dist: Dist) -> Any:
    """A frozen ``scipy.stats.rv_discrete`` over whole-number outcomes.

    scipy's discrete distributions live on whole numbers alone; for other outcomes, and for what was cut
    off, ``RulekitError``.

    >>> round(float(to_scipy(d("3d6")).ppf(0.5)))
    10
    """
    if dist.kind == "label" or dist.leftover or not all(isinstance(x, int) for x in dist.outcomes):
        raise RulekitError("scipy's discrete distributions take whole-number outcomes, none of them cut off")
    from scipy.stats import rv_discrete

    outcomes = [int(x) for x in dist.outcomes]
    made: Any = rv_discrete(name="dist", values=(outcomes, _floats(dist)))
    made.rulekit = to_json(dist)
    return made


def from_scipy(distribution: Any) -> Dist:
    """A Dist of a scipy discrete distribution with finite support; floats by their shortest decimal.

    >>> from scipy.stats import binom
    >>> from_scipy(to_scipy(d("2d6"))) == d("2d6"), from_scipy(binom(2, 0.5))
    (True, Dist({0: 1, 1: 2, 2: 1}))
    """
    exact = getattr(distribution, "rulekit", None)
    if exact is not None:
        return from_json(exact)
    low, high = distribution.support()
    if not (math.isfinite(low) and math.isfinite(high)) or high - low > 10**6:
        raise RulekitError(f"a Dist is finite, and this goes from {low} to {high}")
    outcomes = range(int(low), int(high) + 1)
    return _of_weights((x, round(float(distribution.pmf(x)), 15)) for x in outcomes)


def _floats(dist: Dist) -> list[float]:
    return [float(Fraction(w, dist.denominator)) for w in dist.weights]


def _axis_value(x: Any) -> Any:
    return float(x) if isinstance(x, Fraction) else x


def _of_weights(pairs: Iterable[tuple[Any, Any]]) -> Dist:
    """Weights that may be fractions or floats, as the whole weights of a Dist."""
    exact = []
    for outcome, weight in pairs:
        number = exact_number(weight)
        if number is None or number < 0:
            raise RulekitError(f"the weight of {outcome!r} is a number from 0 up, not {weight!r}")
        exact.append((outcome, Fraction(number)))
    scale = math.lcm(*(weight.denominator for _, weight in exact))
    return Dist((outcome, int(weight * scale)) for outcome, weight in exact)


# -- pydantic ------------------------------------------------------------------------------------------


def core_schema() -> CoreSchema:
    """What a pydantic model does with a field of dice: the schema behind ``Dist``.

    Such a field takes a Dist, dice notation, a number (a constant), or the form of `to_plain`; it is
    written as notation where there is one, else in the form of `to_plain`.

    >>> from pydantic import TypeAdapter
    >>> adapter = TypeAdapter(Dist)
    >>> adapter.validate_python("2d6+1").mean, adapter.dump_python(d("2d6") + 1)
    (Fraction(8, 1), '2d6+1')
    """
    from pydantic_core import core_schema as core

    described = core.union_schema([core.str_schema(), core.dict_schema()])
    return core.no_info_plain_validator_function(
        _from_field,
        json_schema_input_schema=described,
        serialization=core.plain_serializer_function_ser_schema(_to_field, return_schema=described),
    )


def _from_field(value: Any) -> Dist:
    if isinstance(value, Dist):
        return value
    if isinstance(value, str):
        return d(value)
    number = None if isinstance(value, bool) else exact_number(value)
    if number is not None:
        return Dist({number: 1})
    if isinstance(value, Mapping):
        return from_plain(value)
    raise RulekitError(
        f"dice are written as notation (2d6+1) or with outcomes and weights, not {_short(value)}"
    )


def _to_field(dist: Dist) -> str | dict[str, Any]:
    from rulekit.distributions.notation import to_notation

    return to_notation(dist) or to_plain(dist)
