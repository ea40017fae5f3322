"""Reads what a run has written."""
from machine import rows


def first_run(folder):
    """The row of point 0, repetition 0, which is the one that is traced."""
    return next((row for row in rows(folder, "runs.csv") if row["repetition"] == "0"), None)


def first_point(folder, name):
    """The rows of a table that belong to the same point as the first run."""
    run = first_run(folder)
    found = rows(folder, name)
    if run is None or not found:
        return found
    known = list(found[0])
    axes = [key for key in run if key in known and list(run).index(key) < list(run).index("repetition")]
    return [row for row in found if all(row[axis] == run[axis] for axis in axes)]


def details(text):
    """"release=3 epsilon=0.1" as numbers."""
    return {k: float(v) for k, v in (part.split("=", 1) for part in text.split(" ") if "=" in part)}
