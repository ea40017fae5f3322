"""What the machines share: options, built programs, commands with a time limit, folders, tables of a study, what failed,
and the last line.

A machine is a folder with a program `check [--quick]`, which script/check runs. It prints every failure when it finds it,
keeps what belongs to it in build/check/MACHINE/, and ends with the line "MACHINE: what it tried; N failures".
"""
import argparse
import contextlib
import csv
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = os.cpu_count() or 1
SKIPPED = 77  # the exit code of a machine whose programs are not installed
TABLES = ("runs.csv", "series.csv", "scalars.csv", "quantiles.csv", "owners.csv", "nodes.csv", "links.csv", "models.csv")


def options(documentation):
    """A parser of options with --quick and a machine's description."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a short form")
    return parser


def build(preset, *targets):
    """Builds targets with a preset. Returns the folder with the programs."""
    subprocess.run([ROOT / "script/build", preset, *targets], cwd=ROOT, check=True, stdout=sys.stderr)
    return ROOT / "build" / preset


def scratch(name):
    """A temporary folder, in memory if there is room: syncs cost nothing there."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix=f"hearsay-{name}-", dir=memory)


class Hung(Exception):
    """A command did not end in time."""


def activity(session):
    """What the processes of a session do: their state and, where gdb is installed, their stacks."""
    pids = subprocess.run(["pgrep", "-s", str(session)], capture_output=True, text=True).stdout.split()
    text = subprocess.run(["ps", "-o", "pid,stat,time,wchan:20,args", "-p", ",".join(pids)], capture_output=True,
                          text=True).stdout
    for pid in pids if shutil.which("gdb") else []:
        with contextlib.suppress(subprocess.TimeoutExpired):
            text += subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all backtrace 20"],
                                   capture_output=True, text=True, timeout=60).stdout
    return text


def finish(process, limit):
    """(exit code, standard output, standard error) of a process. After `limit` s it is killed, with its group if it leads
    one, and Hung is raised."""
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        leads = os.getpgid(process.pid) == process.pid
        doing = activity(process.pid) if leads else ""
        os.killpg(process.pid, signal.SIGKILL) if leads else process.kill()
        _, err = process.communicate()
        raise Hung(f"no end after {limit} s: {process.args}: {(err or '')[-1000:]}\n{doing}") from None
    return process.returncode, out or "", err or ""


def wait_until(ready, process, limit=60):
    """Waits until ready() is true. Raises Hung if it is not when the process has ended, or after `limit` s."""
    end = time.monotonic() + limit
    while True:
        ended = process.poll() is not None or time.monotonic() > end
        if ready():
            return
        if ended:
            raise Hung(f"not ready when it ended, or after {limit} s: {process.args}")
        time.sleep(0.01)


def tables(folder, names=TABLES):
    """The bytes of each table that is there."""
    folder = pathlib.Path(folder)
    return {name: (folder / name).read_bytes() for name in names if (folder / name).exists()}


def rows(folder, name):
    """The rows of a table as dictionaries; none if there is no table."""
    file = pathlib.Path(folder) / name
    if not file.exists():
        return []
    with open(file, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


class Machine:
    """The failures of a machine. `programs`: name of a program that it needs to its Debian package."""

    def __init__(self, name, programs=()):
        self.name, self.failures, self.begin = name, 0, time.monotonic()
        self.kept = ROOT / "build/check" / name
        self.kept.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        for program, package in dict(programs).items():
            if shutil.which(program) is None:
                print(f"{name}: needs {program} (Debian package {package})")
                sys.exit(SKIPPED)

    def seconds(self):
        return time.monotonic() - self.begin

    def fail(self, what, why, folder=None, again=()):
        """Counts and prints a failure. Keeps a copy of its folder; `again`: the options that repeat it."""
        with self.lock:
            self.failures += 1
            lines = [f"FAILED {what}: {why}"]
            if folder is not None:
                kept = self.kept / str(self.failures)
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
                lines.append(f"folder: {kept}")
            if again:
                lines.append(f"again: tests/machines/{self.name}/check {' '.join(map(str, again))}")
            print("\n  ".join(lines), flush=True)

    def end(self, tried, anything=True):
        """The last line. Returns the exit code; having tried nothing is a failure."""
        print(f"{self.name}: {tried}; {self.failures} failures", flush=True)
        return 1 if self.failures or not anything else 0
