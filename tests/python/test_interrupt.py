"""An interrupt reaches the program exactly once, whoever sends it: a second one would end it at once, not in order."""
import os
import pty
import signal
import sys
import time
from pathlib import Path

import pytest
from conftest import SMALL

PACKAGE = Path(__file__).resolve().parents[2] / "analysis" / "python"
LONG = {**SMALL, "sweep": None, "repeat": 200000, "record": {"metrics": ["objective"]}}

# Counts interrupts for a while after the first, then ends as the program does.
COUNTING = """#!{python}
import signal, sys, time
count = 0
def interrupted(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
open({folder!r} + "/begun", "w").close()
end = time.monotonic() + 60
while time.monotonic() < end:
    time.sleep(0.01)
    if count == 1 and end - time.monotonic() > 1:
        end = time.monotonic() + 0.5
open({folder!r} + "/count", "w").write(str(count))
sys.exit(130)
"""

# Sends late: signals that come at the same time count once.
CALLER = """
import subprocess, sys, time
sys.path.insert(0, {package!r})
import hearsay
send = subprocess.Popen.send_signal
subprocess.Popen.send_signal = lambda process, number: (time.sleep(0.2), send(process, number))
try:
    hearsay.run({scenario!r}, output={output!r}, progress=False)
except KeyboardInterrupt:
    sys.exit(42)
"""


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def call(tmp_path):
    """Starts Python with a run, of `program`, on a terminal of its own; returns the process and the terminal."""
    started = []

    def start(program):
        code = CALLER.format(package=str(PACKAGE), scenario=LONG, output=str(tmp_path / "out"))
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["HEARSAY_PROGRAM"] = str(program)
            os.execv(sys.executable, [sys.executable, "-c", code])
        started.append((pid, terminal))
        return pid, terminal

    yield start
    for pid, terminal in started:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(terminal)


SENDERS = {
    "terminal": lambda pid, terminal: os.write(terminal, b"\x03"),        # Ctrl-C: to all processes of the terminal
    "notebook": lambda pid, terminal: os.killpg(pid, signal.SIGINT),      # Jupyter: to the kernel's process group
    "process": lambda pid, terminal: os.kill(pid, signal.SIGINT),
}


@pytest.mark.parametrize("sender", SENDERS)
def test_an_interrupt_arrives_once(call, tmp_path, sender):
    program = tmp_path / "counting"
    program.write_text(COUNTING.format(python=sys.executable, folder=str(tmp_path)))
    program.chmod(0o755)
    pid, terminal = call(program)
    wait_for((tmp_path / "begun").exists)
    time.sleep(0.1)
    SENDERS[sender](pid, terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 42
    assert (tmp_path / "count").read_text() == "1"


def test_an_interrupted_run_ends_in_order(hearsay, call, tmp_path):
    pid, terminal = call(hearsay.program())
    wait_for((tmp_path / "out" / "results.sqlite").exists)
    time.sleep(1)
    SENDERS["terminal"](pid, terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 42
    study = hearsay.load(tmp_path / "out")  # it has written its tables
    assert 0 < len(study.runs) < LONG["repeat"]


def test_without_its_caller_the_program_ends(hearsay, call, tmp_path):
    program = tmp_path / "apart"  # no module lies beside it, so that it runs as a process
    program.write_text(f'#!/bin/sh\nexec "{hearsay.program()}" "$@"\n')
    program.chmod(0o755)
    pid, terminal = call(program)
    wait_for((tmp_path / "out" / "results.sqlite").exists)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(pid, signal.SIGKILL)
    (child,) = map(int, children)
    state = Path(f"/proc/{child}/stat")
    try:
        wait_for(lambda: not state.exists() or state.read_text().split()[2] == "Z")
    except AssertionError:
        os.kill(child, signal.SIGKILL)
        raise
