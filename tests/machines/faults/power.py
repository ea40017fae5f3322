"""Power loss: the changes of an undisturbed study are recorded with their syncs, and replayed up to some change. Of
what was not synced by then, any part may be missing: writes, down to single sectors, changes of size and of names.
From every such image the study resumes, and what was committed by then is in it.

Assumed of the file system: a file that is synced is there under its name; names change in order. Sectors of 512 bytes
are written or not.

Since the store is synced at every commit, a commit that began after another is proof that the other one is on disk.
"""
import functools
import os
import pathlib
import tempfile

from study import DONE, Study, prepare, require, stored_runs
from trials import situations

SECTOR = 512


class Change:
    def __init__(self, what, path, offset, data):
        self.what, self.path, self.offset, self.data = what, path, offset, data


def read_changes(record, folder):
    """The changes in a file that preload.c has recorded; paths are relative to the folder."""
    data, at, changes = record.read_bytes(), 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        what, offset, size, path = data[at:end].decode().split(" ", 3)
        body = data[end + 1:end + 1 + int(size)]
        at = end + 1 + int(size)
        if what == "mkdir" or path.endswith("-shm"):
            continue  # the folder is there; shared memory is of no use after a restart
        if what == "rename":
            body = os.path.relpath(body.decode(), folder)
        changes.append(Change(what, os.path.relpath(path, folder), int(offset), body))
    return changes


class File:
    def __init__(self):
        self.data, self.pending = b"", []  # as synced; what followed


class Disk:
    """Files by name, with what is on disk for certain and what may be."""

    def __init__(self, folder):
        self.live, self.names, self.pending = {}, {}, []  # names now; names on disk; changes of names since
        for path in folder.glob("*") if folder else ():
            self.live[path.name] = self.names[path.name] = file = File()
            file.data = path.read_bytes()

    def apply(self, change):
        what, path = change.what, change.path
        if what in ("create", "rename", "unlink"):
            if what == "create":
                self.live[path] = File()
            elif what == "rename":
                self.live[change.data] = self.live.pop(path)
            else:
                # A folder goes with what is in it.
                self.live = {name: file for name, file in self.live.items() if name != path and not name.startswith(path + "/")}
            self.pending.append(dict(self.live))
        elif what == "sync":
            if path == ".":
                self.names, self.pending = dict(self.live), []
                return
            file = self.live[path]
            file.data, file.pending = assemble(file, [True] * len(file.pending)), []
            for names in self.pending:  # a journal of names is written as far as the file needs it
                if file in names.values():
                    self.names = names
            self.pending = [names for names in self.pending if file not in names.values()]
        else:
            self.live[path].pending.append(change)

    def image(self, folder, random):
        """Writes a state that a loss of power can leave. Without `random`, all changes."""
        names = random.choice([self.names, *self.pending]) if random else self.live
        rate = random.choice([0, 0.5, 0.9]) if random else 1
        for name, file in names.items():
            kept = [not random or random.random() < rate for _ in file.pending]
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(assemble(file, kept, random if rate else None))
        if random and random.random() < 0.5:
            (folder / "results.sqlite-shm").write_bytes(random.randbytes(32768))


def assemble(file, kept, random=None):
    """A file with some of its changes, those that are not kept being torn where `random` is given."""
    data = bytearray(file.data)
    for change, whole in zip(file.pending, kept):
        if change.what == "truncate":
            if whole:
                data = data[:change.offset].ljust(change.offset, b"\0")
            continue
        end = change.offset + len(change.data)
        at = change.offset
        while at < end:
            stop = min(end, at // SECTOR * SECTOR + SECTOR)
            if whole or random and random.random() < 0.5:
                data = data.ljust(stop, b"\0")
                data[at:stop] = change.data[at - change.offset:stop - change.offset]
            at = stop
    return bytes(data)


class Recorded:
    """The changes that a study makes in its folder, from a fresh one or from half of the study."""

    def __init__(self, tools, study, prepared, **more):
        self.study, self.prepared = study, prepared
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="recorded.", dir=tools.scratch))
        prepare(self.home, prepared)
        finished = study.command(self.home, study.run_words, dict(RECORD=self.home / "record", **more))
        require(finished.code == DONE, f"the recorded study: {finished.err}")
        self.changes = read_changes(self.home / "record", self.home / "out")
        self.check_record()

    def empty(self):
        return Disk(self.prepared / "out" if self.prepared else None)

    def disk(self, count):
        disk = self.empty()
        for change in self.changes[:count]:
            disk.apply(change)
        return disk

    def check_record(self):
        """Nothing escapes the record: with all changes it gives the files of the folder."""
        live = self.disk(len(self.changes)).live
        found = {path.name: path.read_bytes() for path in (self.home / "out").iterdir()}
        require(live.keys() == found.keys(), f"files that were not recorded: {live.keys() ^ found.keys()}")
        for name, file in live.items():
            require(assemble(file, [True] * len(file.pending)) == found[name], f"unrecorded changes of {name}")

    @functools.cached_property
    def committed(self):
        """By number of changes: the runs whose commit had returned by then, since a later one has begun."""
        known, returned, all_of, disk = set(), set(), [set()], self.empty()
        for change in self.changes:
            disk.apply(change)
            if change.path.startswith("results.sqlite") and change.what in ("write", "unlink", "truncate"):
                with tempfile.TemporaryDirectory(dir=self.home) as place:
                    disk.image(pathlib.Path(place), None)
                    found = set(stored_runs(pathlib.Path(place)))
                if found != known:
                    known, returned = found, known
            all_of.append(returned)
        return all_of


# Runs of some ms, so that a commit follows almost every one.
SLOWER = ["--set", "stop.iterations=4000", "--set", "record.every.iterations=1000", "--set", "record.trace=null"]


def losses(tools, studies):
    """Power loss after each change, in two random states each."""
    slower = [Study(tools, f"{study.name}.json", *SLOWER) for study in studies]
    for title, study, prepared, more in situations(slower):
        recorded = Recorded(tools, study, prepared, SPEED=200, **more)
        for count in range(len(recorded.changes) + 1):
            for state in range(2):
                name = f"{title}, after change {count}, state {state}"

                def trial(where, recorded=recorded, count=count, random=tools.random(name)):
                    (where / "out").mkdir()
                    disk = recorded.disk(count)
                    disk.image(where / "out", random)
                    runs = recorded.study.check_runs(where, recorded.committed[count])
                    recorded.study.check_resumed(where, runs)
                    return True
                yield name, trial
