"""A small study: its commands, run undisturbed or under faults, and what must hold of its folder afterwards."""
import functools
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import time

import machine

HERE = pathlib.Path(__file__).resolve().parent
PAGE = "report.html"
EXPORTED = [*machine.TABLES, "fits.csv", "trace.csv", "trace.perfetto.json", PAGE]
LIMIT = 120  # s; a command that takes longer has hung
DONE, OUTPUT, INTERRUPTED = 0, 4, 130


class Wrong(Exception):
    """Something that must hold does not."""


def require(holds, what):
    if not holds:
        raise Wrong(what)


class Tools:
    """What all trials need: the program, the library that makes faults, a folder for scratch files."""

    def __init__(self, program, scratch, seed):
        self.program, self.scratch, self.seed = str(program), pathlib.Path(scratch), seed
        self.library = self.scratch / "preload.so"
        subprocess.run(["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", self.library,
                        HERE / "preload.c", "-ldl", "-lpthread"], check=True)

    def random(self, name):
        """Random numbers of one trial."""
        return random.Random(f"{self.seed} {name}")


class Finished:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def errors(self):
        """Lines of standard error that are neither the plan nor a warning."""
        return [line for line in self.err.splitlines()
                if not line.startswith("warning: ") and "; results: " not in line]


class Study:
    """A scenario with the files that an undisturbed run of it writes."""

    def __init__(self, tools, scenario, *options):
        self.tools, self.name = tools, pathlib.Path(scenario).stem
        self.run_words = ["run", str(HERE / scenario), "-o", "out", "-j", "1", "--no-progress", *options]
        self.home = pathlib.Path(tempfile.mkdtemp(prefix=self.name + ".", dir=tools.scratch))
        finished = self.command(self.home, self.run_words)
        require(finished.code == DONE and not finished.errors(), f"the undisturbed study: {finished.err}")
        require(self.command(self.home, ["report", "out"]).code == DONE, "the undisturbed report")
        self.bytes = contents(self.home / "out")
        self.runs = stored_runs(self.home / "out")

    @functools.cached_property
    def half(self):
        """A folder with half of the study."""
        half = pathlib.Path(tempfile.mkdtemp(prefix=self.name + ".half.", dir=self.tools.scratch))
        require(self.command(half, [*self.run_words, "--repeat", "3"]).code == DONE, "half of the study")
        return half

    def exported(self):
        """The tables that `export` writes."""
        return [name for name in self.bytes if name in machine.TABLES]

    def start(self, where, words, faults={}, limit=None, output=subprocess.PIPE,
              errors=subprocess.PIPE):
        """Starts a command in a folder. Its study is WHERE/out. `limit`: bytes of the largest file."""
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        if faults:
            environment.update({"FAULTS_" + name: str(value) for name, value in faults.items()})
            environment.update(LD_PRELOAD=str(self.tools.library), FAULTS_FOLDER=str(where / "out"))

        def limits():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen([self.tools.program, *words], cwd=where, env=environment, preexec_fn=limits,
                                stdin=subprocess.DEVNULL, stdout=output, stderr=errors, text=True)

    def finish(self, process, begin):
        return Finished(*machine.finish(process, LIMIT), time.monotonic() - begin)

    def command(self, where, words, faults={}, **more):
        begin = time.monotonic()
        return self.finish(self.start(where, words, faults, **more), begin)

    def count(self, words, calls, prepared=None, **more):
        """The calls that a command makes."""
        with tempfile.TemporaryDirectory(dir=self.tools.scratch) as place:
            where = pathlib.Path(place)
            prepare(where, prepared)
            self.command(where, words, dict(CALLS=calls, COUNT=where / "count", **more))
            return int((where / "count").read_text())

    def check_runs(self, where, before=()):
        """The runs in a store: each is that of the undisturbed study, and none of those before is lost."""
        runs = stored_runs(where / "out")
        for key, run in runs.items():
            require(self.runs.get(key) == run, f"run {key} is stored as {run}, expected {self.runs.get(key)}")
        lost = set(before) - set(runs)
        require(not lost, f"{len(lost)} runs are lost, such as {min(lost, default=None)}")
        return runs

    def check_end(self, finished, allowed=(DONE, OUTPUT)):
        """The exit code, and one line for an error."""
        require(finished.code in allowed, f"exit code {finished.code}: {finished.err}")
        lines = finished.errors()
        if finished.code == OUTPUT:
            require(len(lines) == 1 and "internal" not in lines[0], f"not one line of error: {finished.err}")
        elif finished.code == DONE:
            require(not lines, f"success with an error: {finished.err}")

    def check_exports(self, where, older=None):
        """Each exported file is whole: as the undisturbed study writes it or, with `older`, as it was before."""
        found = contents(where / "out")
        for name, wanted in self.bytes.items():
            allowed = [wanted] if older is None else [wanted, older.get(name)]
            if name == "fits.csv" and older is not None:
                allowed.append(None)  # it is removed before the tables that it belongs to change
            if name == PAGE and older is None:
                continue
            require(found.get(name) in allowed, f"{name} is neither as before nor as in the undisturbed study")

    def check_resumed(self, where, runs):
        """The same command completes, makes none of these runs again, and its tables are the undisturbed ones."""
        again = self.command(where, self.run_words)
        self.check_end(again, (DONE,))
        cached = int(again.err.split("runs: ")[1].split()[0])
        require(cached >= len(runs), f"{cached} of {len(runs)} stored runs are used again")
        require("damaged" not in again.err, f"damaged runs: {again.err}")
        self.check_exports(where)
        require(self.check_runs(where).keys() == self.runs.keys(), "not all runs are stored")
        check_no_rest(where)
        require(not (where / "out/results.sqlite-wal").exists(), "results.sqlite is not a single file")


def prepare(where, prepared):
    """Gives a trial's folder a copy of a study."""
    if prepared is not None:
        shutil.copytree(prepared / "out", where / "out")


def check_no_rest(where):
    rest = [str(f) for f in where.rglob(".hearsay-*")]
    require(not rest, f"temporary files remain: {rest}")


def contents(folder):
    """The exported files."""
    return machine.tables(folder, EXPORTED)


def stored_runs(folder):
    """The runs in a store: (key of the point, repetition) to its outcome and its series.
    Read with SQLite alone, from a copy."""
    if not (folder / "results.sqlite").exists():
        return {}
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        for file in list(folder.glob("results.sqlite*")):
            if not file.name.endswith("-shm"):
                try:
                    shutil.copy(file, place)
                except FileNotFoundError:
                    pass  # its writer has removed it meanwhile
        base = sqlite3.connect(place + "/results.sqlite")
        try:
            return read_runs(base)
        finally:
            base.close()


def live_runs(folder):
    """The keys of the runs that a reader finds while another process writes."""
    try:
        base = sqlite3.connect(f"file:{folder / 'results.sqlite'}?mode=ro", uri=True)
        try:
            return set(read_runs(base, live=True))
        finally:
            base.close()
    except sqlite3.OperationalError:
        return set()  # no file yet, or it is locked at its beginning or its end


def read_runs(base, live=False):
    if not base.execute("SELECT count(*) FROM sqlite_master WHERE name = 'run'").fetchone()[0]:
        return {}
    verdict = "ok" if live else base.execute("PRAGMA integrity_check").fetchone()[0]
    require(verdict == "ok", f"integrity_check: {verdict}")
    runs = {}
    for run, *key, outcome in base.execute(
            "SELECT run.id, point.key, repetition, status || ' ' || fingerprint || ' ' || events || ' ' || bytes "
            "FROM run JOIN point ON point.id = run.point WHERE status != 'interrupted'").fetchall():
        series = tuple(base.execute("SELECT data FROM series WHERE run = ? ORDER BY rowid", [run]).fetchall())
        runs[tuple(key)] = (outcome, hash(series))
    return runs
