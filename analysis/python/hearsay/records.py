"""Data from Python: what a class makes, or arrays and tables in memory."""
import copy
import difflib

from . import code


class Data:
    """Records that a class makes. A subclass defines

    owners(self, random)    for each owner (X, y): n x d numbers and n targets; or (X, y, X_test, y_test)

    and may have owner_names, feature_names, and classes, the names of the targets 0, 1, ... Random draws come from `random`,
    as run.random returns it. Options are class attributes made by hearsay.option.
    """
    owner_names = feature_names = classes = None

    @staticmethod
    def _check_class(cls):
        if not hasattr(cls, "owners"):
            code.refuse(cls, "data define owners(self, random)")
        code.require_arguments(cls, "owners", 1, "Data")
        for one in code.options_of(cls):
            if one.name in ("test_fraction", "draw", "validation_fraction", "instances"):
                code.refuse(cls, f"an option cannot be called {one.name!r}: all data have one of this name")
        return {}


def _names(given, prefix, count, what):
    names = [f"{prefix}{k + 1}" for k in range(count)] if given is None else [str(name) for name in given]
    if len(names) != count:
        raise ValueError(f"expected {count} {what}, found {len(names)}")
    return names


def records_of(made, random):
    """The records of an object of such a class as arrays of float64, and their names."""
    import numpy as np
    records, width = [], None
    for k, owner in enumerate(made.owners(random)):
        parts = [np.ascontiguousarray(part, dtype=np.float64) for part in owner]
        if len(parts) == 2:
            parts += [parts[0][:0], parts[1][:0]]
        shapes = [part.shape for part in parts]
        width = width or (shapes[0][1] if shapes[0][1:] else "d")
        if len(parts) != 4 or any(x != (*y[:1], width) or len(y) != 1 for x, y in (shapes[:2], shapes[2:])):
            raise ValueError(f"owner {k}: expected arrays of shapes (n, {width}) and (n,), found "
                             f"{', '.join(map(str, shapes))}")
        records.append(tuple(parts))
    if not records:
        raise ValueError("expected at least one owner, found none")
    return {"records": records, "owners": _names(made.owner_names, "owner ", len(records), "owner_names"),
            "features": _names(made.feature_names, "x", width, "feature_names"),
            "classes": [str(name) for name in made.classes or ()]}


class Held(Data):
    """Records that are in memory."""

    def owners(self, random):
        return self.held


def _column(frame, name, what):
    if name not in frame:
        near = difflib.get_close_matches(str(name), [str(c) for c in frame.columns], 1)
        raise KeyError(f"the frame has no column {name!r} ({what}){f'; did you mean {near[0]!r}?' if near else ''}")
    return frame[name]


def _numbers(column):
    """A column as float64; no gaps, times or texts."""
    if column.isna().any():
        raise ValueError(f"column {column.name!r} has {column.isna().sum()} gaps, the first in row {column.isna().idxmax()!r}")
    if column.dtype.kind in "mM":
        raise ValueError(f"column {column.name!r} holds times: make numbers of them, or leave it out with features=")
    try:
        return column.to_numpy(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {column.name!r}: expected numbers ({error}): encode it, or leave it out with "
                         "features=") from None


def _of_frame(frame, owner, target, features):
    import numpy as np
    if owner is None or target is None:
        raise TypeError("of a frame, owner= and target= name the columns")
    if not frame.columns.is_unique:
        raise ValueError(f"the frame has several columns {frame.columns[frame.columns.duplicated()][0]!r}")
    owners, y = _column(frame, owner, "owner="), _numbers(_column(frame, target, "target="))
    if owners.isna().any():
        raise ValueError(f"{owners.isna().sum()} rows have no owner in column {owner!r}: fill or drop them")
    if features is None:
        features = [name for name in frame.columns if name not in (owner, target)]
    features = [features] if isinstance(features, str) else list(features)
    if target in features or owner in features:
        raise ValueError("the owner and the target are no features")
    x = np.column_stack([_numbers(_column(frame, name, "features=")) for name in features])
    rows = owners.reset_index(drop=True).groupby(owners.to_numpy(), sort=False).indices
    names = list(dict.fromkeys(owners))  # in the order of their first rows
    return {"owner_names": [str(name) for name in names], "feature_names": [str(name) for name in features],
            "held": [(x[rows[name]], y[rows[name]]) for name in names]}


def data(source, *, owner=None, target=None, features=None, classes=None, **options):
    """The "data" of a scenario: a list with (X, y), or (X, y, X_test, y_test), of each owner, or a pandas frame with a row
    for each record and columns that name its owner and its target, owners in the order of their first records; `features`:
    by default all other columns. `classes`: the names of the targets 0, 1, ..., which are then public.

    options: those of the data type "python", such as test_fraction.
    """
    members = {"__doc__": Held.__doc__, "classes": classes}
    if hasattr(source, "groupby"):
        members |= _of_frame(source, owner, target, features)
    else:
        members["held"] = copy.deepcopy(list(source))  # the digest is of what they are now
    return {"type": type("Records", (Held,), members), **options}
