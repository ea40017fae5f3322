"""Data from Python: what a class makes, or arrays and tables in memory."""
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
        width = width or (shapes[0][1] if shapes[0][1:] else 0)
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


def data(source, *, owner=None, target=None, features=None, **options):
    """The "data" of a scenario: a list with (X, y), or (X, y, X_test, y_test), of each owner, or a pandas frame with a row
    for each record and columns that name its owner and its target, owners in the order of their first records; `features`:
    by default all other columns.

    options: those of the data type "python", such as test_fraction.
    """
    members = {"__doc__": Held.__doc__}
    if hasattr(source, "groupby"):
        if owner is None or target is None:
            raise TypeError("of a frame, owner= and target= name the columns")
        features = list(features if features is not None else source.columns.drop([owner, target]))
        parts = list(source.groupby(owner, sort=False, observed=True))
        members |= {"owner_names": [str(name) for name, _ in parts], "feature_names": [str(f) for f in features],
                    "held": [(part[features].to_numpy(float), part[target].to_numpy(float)) for _, part in parts]}
    else:
        members["held"] = list(source)
    return {"type": type("Records", (Held,), members), **options}
