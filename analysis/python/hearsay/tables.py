"""Tables of a study as pandas frames: types of columns, swept options, points by condition."""
import difflib
import json
import math

import pandas as pd

from .program import plain

# Columns of text, and of whole numbers that may be missing; all others are numbers.
_TEXT = {"status", "end", "fingerprint", "message", "name", "metric", "event", "owner", "set", "reference"}
_WHOLE = {"repetition", "agent", "iteration", "vectors", "bytes", "network", "sequence", "runs", "pairs", "parameter"}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}


def axes_of(runs):
    """The swept options, given runs.csv; of those with units the column with the values as written; and of those that are
    no numbers the values in their order, which all tables have, also those in which a point has no row."""
    columns = list(pd.read_csv(runs, nrows=0).columns)
    axes = columns[: columns.index("repetition")]
    texts = {axis: f"{axis}.text" for axis in axes if f"{axis}.text" in axes}
    axes = [axis for axis in axes if axis not in texts.values()]
    table = pd.read_csv(runs, usecols=axes, dtype=str, keep_default_na=False)
    values = {axis: list(dict.fromkeys(table[axis])) for axis in axes}
    return axes, texts, {axis: found for axis, found in values.items() if pd.isna(pd.to_numeric(found, errors="coerce")).any()}


def read(source, axes, texts, categories):
    """A CSV table with typed columns. categories: see axes_of."""
    columns = list(pd.read_csv(source, nrows=0).columns)
    if hasattr(source, "seek"):
        source.seek(0)
    text = {*_TEXT, *axes, *texts.values()}
    table = pd.read_csv(source, dtype={name: str for name in columns if name in text}, keep_default_na=False,
                        float_precision="round_trip",
                        na_values={name: ["", "nan", "-nan"] for name in columns if name not in text})
    for column in _WHOLE.intersection(columns).difference(axes):
        table[column] = table[column].astype("Int64")
    return _typed(table, axes, categories)


def _typed(table, axes, categories):
    """Axis columns: numbers, or an ordered category in the order of runs.csv."""
    for axis in axes:
        if axis not in table:
            continue
        numbers = pd.to_numeric(table[axis], errors="coerce")
        if axis not in categories and numbers.notna().all():
            table[axis] = numbers
        else:
            labels = table[axis].fillna("null").astype(str)
            known, here = categories.get(axis, ()), dict.fromkeys(labels)
            if not set(here) <= set(known):  # a printed table shortens them, in the order of the sweep
                known = here
            table[axis] = pd.Categorical(labels, categories=list(known), ordered=True)
    return table


def require_axis(name, axes):
    """Raises KeyError, with the nearest name, unless this option is swept."""
    if name in axes:
        return
    near = difflib.get_close_matches(str(name), axes, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"swept are {', '.join(axes) or 'none'}"
    raise KeyError(f"{name!r} is not swept; {hint}")


def select(table, where, axes, labels):
    """The rows of the points that `where` keeps: {axis: a value or values}, each a number or a text as in the sweep.
    labels: by axis with units, the text of each number. Raises KeyError for what is not there."""
    for axis, kept in (where or {}).items():
        require_axis(axis, axes)
        texts = labels.get(axis, {})
        there = list(dict.fromkeys(table[axis]))
        kept = plain(list(kept) if isinstance(kept, (set, frozenset)) else kept, axis)
        if kept == []:
            raise ValueError(f"where: {axis}: expected at least one value, found none")
        found = []
        for value in kept if isinstance(kept, list) else [kept]:
            same = [x for x in there if _same(x, value, texts)]
            if not same:
                shown = ", ".join(repr(texts.get(x, x)) for x in there)
                raise KeyError(f"{axis}: no point has {value!r}; expected one of {shown}")
            found += same
        table = table[table[axis].isin(found)]
    return table


def _same(x, value, texts):
    """Whether the value of a point, as in a table, is the one asked for."""
    if isinstance(x, str):
        return x == (value if isinstance(value, str) else json.dumps(value))
    if not isinstance(value, str):
        return isinstance(value, (int, float)) and math.isclose(x, value)  # to 1e-9
    if texts.get(x, "").replace(" ", "") == value.replace(" ", ""):
        return True
    number = value.rstrip("abcdefghijklmnopqrstuvwxyz ")
    try:
        return math.isclose(x, float(number) * _SECONDS.get(value[len(number):].strip() or "s", float("nan")))
    except ValueError:
        return False
