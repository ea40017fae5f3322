"""Runs that go on from kept states with other options."""
import json
import shutil
import sqlite3
import tempfile
from math import inf, nextafter
from pathlib import Path

from .folders import default_output
from .program import run


def snapshot(folder):
    """The states that a study keeps of its runs (record.snapshot) after it was killed, or ended by --pause.

        hearsay.snapshot("out/study").set({"network.latency": "1 s"}).run()

    Raises FileNotFoundError if there is none. Nothing of the folder is changed."""
    return Snapshot(folder)


class Snapshot:
    """States of runs, and what changes from there on. folder, scenario (dict), `at`: simulated time, s, just after the
    latest of the states."""

    def __init__(self, folder, changes=()):
        self.folder, self.changes = Path(folder).absolute(), changes
        self._files = sorted((self.folder / "snapshots").glob("*.snapshot"))
        if not self._files:
            raise FileNotFoundError(f"{folder}: no states of runs (snapshots/*.snapshot); they are kept while a study runs")
        with tempfile.TemporaryDirectory(prefix="hearsay-") as copy:  # reading completes what a killed program has begun
            for file in self.folder.glob("results.sqlite*"):
                shutil.copy(file, copy)
            database = sqlite3.connect(Path(copy) / "results.sqlite")
            info = dict(database.execute("SELECT name, value FROM info"))
            database.close()
        self.scenario = json.loads(info["scenario"])
        self._arguments = {"data_dirs": info["folders"].splitlines(), "points": info["condition"] or None}
        if self.scenario.get("branches"):
            raise ValueError(f"{folder}: the study has branches; run it again to go on")
        self.at = nextafter(max(map(_time_of, self._files)), inf)

    def set(self, changes):
        """With one more branch: what it changes from `at` on, as in study.branch()."""
        return Snapshot(self.folder, (*self.changes, changes))

    def run(self, output=None, **arguments):
        """The study of these branches: runs go on from their states until `at`, and from there with each of the changes.
        Those without a state are made from the start. arguments: of hearsay.run()."""
        scenario = {**self.scenario, "branches": {"at": self.at, "set": list(self.changes) or [{}]}}
        output = Path(output).absolute() if output is not None else default_output(scenario, [], []).absolute()
        if output == self.folder:
            raise ValueError(f"output: expected another folder than that of the states, found {output}")
        (output / "snapshots").mkdir(parents=True, exist_ok=True)
        for file in self._files:
            shutil.copy(file, output / "snapshots" / f"{file.stem}.copy")
        return run(scenario, output=output, **{**self._arguments, **arguments})


def _time_of(file):
    """That of a state, which is on the second line."""
    with open(file, "rb") as lines:
        lines.readline()
        return float(lines.readline().split()[0])
