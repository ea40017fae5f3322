"""The trials, by class. A class is a function of the tools and studies that yields pairs: the name of a trial, and a
function of a fresh folder. It throws Wrong, or returns how many commands the fault has ended (an exit code that is not
0)."""
import contextlib
import errno
import functools
import os
import shutil
import signal
import sqlite3
import time

import machine
from study import (DONE, INTERRUPTED, OUTPUT, PAGE, Study, check_no_rest, contents, live_runs, prepare, require,
                   stored_runs)

NAMES = "open,rename,unlink,mkdir"
CHANGES = "write,sync,truncate,close," + NAMES
ALL = "read," + CHANGES

# (calls, what happens at the n-th, the error, what happens then)
FAILURES = [
    ("write", "fail", errno.ENOSPC, "fail"), ("write", "fail", errno.EIO, ""), ("write", "short", errno.ENOSPC, "fail"), ("write", "short", errno.EIO, ""),
    ("sync", "fail", errno.EIO, ""), ("sync", "fail", errno.EIO, "fail"), ("truncate", "fail", errno.EIO, ""),
    ("truncate", "fail", errno.ENOSPC, "fail"), ("open", "fail", errno.EMFILE, ""), ("open", "fail", errno.EIO, "fail"),
    ("close", "fail", errno.EIO, ""), ("close", "fail", errno.ENOSPC, "fail"),
    ("rename", "fail", errno.ENOSPC, ""), ("rename", "fail", errno.EIO, "fail"), ("unlink", "fail", errno.EIO, ""),
    ("mkdir", "fail", errno.ENOSPC, ""), ("read", "fail", errno.EIO, ""), ("read", "fail", errno.EIO, "fail"),
    (NAMES, "fail", errno.EACCES, "fail"),   # a folder that becomes read-only
    (CHANGES, "fail", errno.EROFS, "fail"),  # a file system that does
]
READERS = [["export", "out"], ["report", "out"], ["trace", "out", "-o", "out/events.csv"]]
FAST = dict(SPEED=25)  # a commit every 20 ms: more of them in a short study


def each(study, words, failures, prepared=None, **more):
    """(text, settings) for each failure and each n up to the number of calls of a command."""
    counts = {}
    for calls, act, error, then in failures:
        if calls not in counts:
            counts[calls] = study.count(words, calls, prepared, **more)
        label = {CHANGES: "change", NAMES: "name", ALL: "call"}.get(calls, calls)
        for n in range(1, counts[calls] + 1):
            text = f"{label} {n}: {act} {errno.errorcode.get(error, '')}{' and all further' if then else ''}"
            yield text, dict(CALLS=calls, DO=act, ERRNO=error, THEN=then, AT=n, **more)


def situations(studies):
    """(title, study, what the command finds in its folder, settings)."""
    runs, together = studies
    yield "runs, no folder", runs, None, {}
    yield "together, half stored", together, together.half, {}
    yield "runs, half stored, rollback journal", runs, runs.half, dict(NETWORK=1)


def failing_calls(tools, studies):
    """One call of `run` fails, or all from one on."""
    for title, study, prepared, more in situations(studies):
        for text, faults in each(study, study.run_words, FAILURES, prepared, **more):
            def trial(where, study=study, prepared=prepared, faults=faults):
                prepare(where, prepared)
                before, older = stored_runs(where / "out"), contents(where / "out")
                finished = study.command(where, study.run_words, faults)
                study.check_end(finished)
                study.check_exports(where, None if finished.code == DONE else older)
                if "unlink" not in faults["CALLS"]:
                    check_no_rest(where)
                study.check_resumed(where, study.check_runs(where, before))
                return finished.code != DONE
            yield f"{title}, {text}", trial


def derived(study, where, words, faults={}, **more):
    """Runs a command that only writes derived files: they are the old or the new ones, the store is not changed."""
    prepare(where, study.home)
    for name in {"export": study.exported(), "report": [PAGE], "trace": []}[words[0]]:
        # A page says what has made it, or it is not replaced.
        (where / "out" / name).write_text('<meta name="generator" content="hearsay">' if name == PAGE else "old")
    older, store = contents(where / "out"), (where / "out/results.sqlite").read_bytes()
    finished = study.command(where, words, faults, **more)
    study.check_end(finished)
    study.check_exports(where, older)
    found = contents(where / "out")
    if faults.get("CALLS") == "write" or more:
        fresh = {name for name in found if found[name] != older[name]}
        require(words[0] != "export" or len(fresh) in (0, len(study.exported())), f"a part of the tables is new: {sorted(fresh)}")
    if words[0] == "trace":
        check_trace(study, where, finished)
    if "unlink" not in faults.get("CALLS", ""):
        check_no_rest(where)
    require((where / "out/results.sqlite").read_bytes() == store, "results.sqlite has been changed")
    study.check_end(study.command(where, words), (DONE,))
    study.check_exports(where, older)
    if words[0] == "trace":
        check_trace(study, where, finished)
    study.check_resumed(where, study.runs)
    return finished.code != DONE


def check_trace(study, where, finished):
    """The printed trace is the one that the study has recorded, or there is none."""
    file = where / "out/events.csv"
    require(file.exists() or finished.code != DONE, "no trace")
    require(not file.exists() or file.read_bytes() == study.bytes["trace.csv"], "half a trace")


def failing_commands(tools, studies):
    """One call of `export`, `report` or `trace` fails, or all from one on."""
    study = studies[0]
    for words in READERS:
        for text, faults in each(study, words, FAILURES, study.home):
            yield f"{words[0]}, {text}", lambda where, words=words, faults=faults: derived(study, where, words, faults)


def full_disk(tools, studies):
    """The kernel refuses to let any file grow beyond a size; standard output is full."""
    study = studies[0]
    for kilobytes in [1, 2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 192, 256, 400, 1000]:
        def trial(where, limit=1024 * kilobytes):
            finished = study.command(where, study.run_words, limit=limit)
            study.check_end(finished)
            study.check_exports(where, None if finished.code == DONE else {})
            check_no_rest(where)
            study.check_resumed(where, study.check_runs(where))
            return finished.code != DONE
        yield f"run, files up to {kilobytes} kB", trial
        for words in READERS:
            yield (f"{words[0]}, files up to {kilobytes} kB",
                   lambda where, words=words, limit=1024 * kilobytes: derived(study, where, words, limit=limit))
    for words in [study.run_words, *READERS[:2], ["trace", "out"], ["compare", "out"]]:
        def trial(where, words=words):
            prepare(where, study.home)
            with open("/dev/full", "w") as full:
                study.check_end(study.command(where, words, output=full), (OUTPUT,))
            study.check_resumed(where, study.runs)
            return True
        yield f"{words[0]} > /dev/full", trial
    for words in [study.run_words, *READERS]:
        def trial(where, words=words):
            prepare(where, study.half if words is study.run_words else study.home)
            with open("/dev/full", "w") as full:
                study.check_end(study.command(where, words, errors=full), (DONE,))
            study.check_resumed(where, study.runs)
            return True
        yield f"{words[0]} 2> /dev/full", trial


def killed_calls(tools, studies):
    """SIGKILL before each call and in the middle of each write of `run`."""
    for title, study, prepared, more in situations(studies):
        kills = [(ALL, "kill", 0, ""), ("write", "tear", 0, "")]
        for text, faults in each(study, study.run_words, kills, prepared, **more, **FAST):
            def trial(where, study=study, prepared=prepared, faults=faults):
                prepare(where, prepared)
                before, older = stored_runs(where / "out"), contents(where / "out")
                finished = study.command(where, study.run_words, faults)
                study.check_end(finished, (DONE, -signal.SIGKILL))
                study.check_exports(where, older)
                study.check_resumed(where, study.check_runs(where, before))
                return finished.code != DONE
            yield f"{title}, {text}", trial


@functools.cache
def longer(tools, *options):
    """A study of about 0.4 s."""
    return Study(tools, "runs.json", "--set", "repeat=30", "--set", "stop.iterations=3000", *options)


def signals(tools, study, names, trials):
    """Signals at random moments, again and again until the study is complete."""
    for number in range(trials):
        name = f"{'+'.join(names)} {number}"

        def trial(where, random=tools.random(name)):
            known, ended = {}, 0
            while True:
                begin = time.monotonic()
                process = study.start(where, study.run_words, FAST)
                time.sleep(random.uniform(0, 0.3))
                seen = live_runs(where / "out") | known.keys()
                for k, one in enumerate(names):
                    time.sleep(random.choice([0, 0.002, 0.03]) if k else 0)
                    process.send_signal(getattr(signal, one))
                finished = study.finish(process, begin)
                numbers = [-getattr(signal, one) for one in names]
                study.check_end(finished, (DONE, INTERRUPTED, *numbers))
                known = study.check_runs(where, seen)
                if finished.code == DONE:
                    break
                ended += 1
                if random.random() < 0.1:
                    break
            study.check_resumed(where, known)
            return ended
        yield name, trial


def killed(tools, studies):
    """SIGKILL at random moments."""
    yield from signals(tools, longer(tools), ["SIGKILL"], 150)  # more than 1000 kills


def interrupted(tools, studies):
    """SIGINT, SIGTERM, and two in a row, at random moments."""
    study = longer(tools)
    for names in (["SIGINT"], ["SIGTERM"], ["SIGINT", "SIGINT"], ["SIGINT", "SIGTERM"]):
        yield from signals(tools, study, names, 20)


def clocks(tools, studies):
    """A wall clock that is set back, or forward, at each reading; alone it must not end or prolong anything."""
    for back in (3600, 0.001, -3600, 1e8):
        for study in studies:
            def trial(where, study=study, back=back):
                finished = study.command(where, study.run_words, dict(BACK=back))
                study.check_end(finished, (DONE,))
                with contextlib.closing(sqlite3.connect(where / "out/results.sqlite")) as base:
                    for (wall,) in base.execute("SELECT wall_s FROM run"):
                        require(0 <= wall <= finished.seconds, f"a run of {wall} s in {finished.seconds} s")
                study.check_resumed(where, study.runs)
                return True
            yield f"{study.name}, {back} s back", trial

        def limited(where, back=back):
            words = [*studies[0].run_words, "--repeat", "1", "--set", "stop.wall=0.2", "--set", "stop.iterations=1e12",
                     "--set", "sweep.privacy.epsilon=[1]", "--set", "record.trace=null", "--set",
                     "privacy.mechanism=none", "--set", "record.every.iterations=1e9"]
            finished = studies[0].command(where, words, dict(BACK=back))
            studies[0].check_end(finished, (DONE,))
            row = (where / "out/runs.csv").read_text().splitlines()[-1]
            require(",wall," in row and 0.2 <= finished.seconds < 5, f"{finished.seconds} s: {row}")
            return True
        yield f"stop.wall, {back} s back", limited


def writers(tools, studies):
    """A second process in the folder of one that runs: a writer is refused in one line or finds a complete study, a
    reader reads; the first is not disturbed."""
    study, other = longer(tools), longer(tools, "--set", "sweep.privacy.epsilon=[2]")
    seconds = [study.run_words, other.run_words, *READERS[:2],
               ["verify", "out", "--sample", "3"], ["compare", "out"]]
    for number in range(20):
        for words in seconds:
            name = f"{' '.join(words[:1] + words[-2:])} {number}"

            def trial(where, words=words, random=tools.random(name)):
                begin = time.monotonic()
                first = study.start(where, study.run_words, FAST)
                time.sleep(random.uniform(0, 0.6))
                second = study.command(where, words)
                finished = study.finish(first, begin)
                study.check_end(finished, (DONE,))
                if words[0] == "run":
                    study.check_end(second)
                    require(second.code == DONE or "another hearsay process is writing" in second.err, second.err)
                if words == other.run_words and second.code == DONE:
                    other.check_exports(where)  # it has run after the first, and taken its place
                else:
                    study.check_resumed(where, study.runs)
                return second.code != DONE
            yield name, trial


    for number in range(10):
        def trial(where, random=tools.random(f"reader {number}"), number=number):
            begin = time.monotonic()
            first = study.start(where, study.run_words, FAST)
            machine.wait_until(lambda: live_runs(where / "out"), first)
            with contextlib.closing(sqlite3.connect(where / "out/results.sqlite", isolation_level=None)) as reader:
                if number % 2:
                    reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM run").fetchone()
                study.check_end(study.finish(first, begin), (DONE,))
                study.check_exports(where)
            study.check_resumed(where, study.runs)
            return True
        yield f"reader {number} to the end", trial


def stopped(tools, studies):
    """Another scenario is run in the folder while the first process stands still before a call. Both write what they
    would write alone: the second is refused, or one runs after the other."""
    for title, study, prepared, more in list(situations(studies))[:2]:
        other = [*study.run_words, "--set", "sweep.privacy.epsilon=[2,3]"]
        alone = Study(tools, f"{study.name}.json", *other[len(study.run_words):])
        for text, faults in each(study, study.run_words, [(ALL, "stop", 0, "")], prepared, **more):
            def trial(where, study=study, prepared=prepared, faults=faults, other=other, alone=alone):
                prepare(where, prepared)
                begin = time.monotonic()
                first = study.start(where, study.run_words, faults)
                os.waitid(os.P_PID, first.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                second = study.command(where, other)
                study.check_end(second)
                if second.code == DONE:
                    alone.check_exports(where)
                after_second = contents(where / "out")
                first.send_signal(signal.SIGCONT)
                study.check_end(study.finish(first, begin), (DONE,))
                # The first may have stood still after its last table, with only its output left.
                last = alone if second.code == DONE and contents(where / "out") == after_second else study
                last.check_exports(where)
                return second.code != DONE
            yield f"{title}, {text}", trial


def vanishing(tools, studies):
    """The folder is moved away before a call; later back, or, at every second call, never."""
    for title, study, prepared, more in list(situations(studies))[:2]:
        for text, faults in each(study, study.run_words, [(ALL, "vanish", 0, "")], prepared, **more, **FAST):
            def trial(where, study=study, prepared=prepared, faults=faults, returns=faults["AT"] % 2 == 1):
                prepare(where, prepared)
                before = stored_runs(where / "out")
                finished = study.command(where, study.run_words, faults)
                study.check_end(finished)
                gone, out = where / "out.gone", where / "out"
                if not returns:
                    before = {}
                    shutil.rmtree(gone, ignore_errors=True)
                elif gone.exists():
                    require(not out.exists(), "the folder has been made again")
                    gone.rename(out)
                study.check_resumed(where, study.check_runs(where, before))
                return finished.code != DONE
            yield f"{title}, {text}", trial
