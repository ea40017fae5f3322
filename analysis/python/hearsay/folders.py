"""Folders of results: their names, and whether one still holds the study that was read from it."""
import contextlib
import hashlib
import json
import os
import re
import sqlite3
from pathlib import Path

from .program import OutputError, call, plain


def default_output(scenario, options, inputs=()):
    """out/NAME for a file as it is, where the program writes it too. Else out/NAME-DIGEST: the digest is of the
    scenario and of the options of the call, so that no study replaces another, and an equal call resumes.

    options: arguments of the program that change the study. inputs: its --data-dir and --allow-path.
    """
    if isinstance(scenario, (str, os.PathLike)):
        name = Path(scenario).stem
        if not options:
            return Path("out") / name
        sets = options[:-2] if "--points" in options else options
        content = call("show", scenario, *sets, *inputs)
    else:
        name = re.sub(r"[^\w-]", "-", str(scenario.get("name") or "scenario"))[:60]
        content = json.dumps(plain(scenario))
    digest = hashlib.sha256(json.dumps([content, options]).encode()).hexdigest()
    return Path("out") / f"{name}-{digest[:8]}"


class Contents:
    """What a folder held when a study was read from it. Tables are read late; until then another study may have
    replaced it there."""

    def __init__(self, folder):
        self._folder = folder
        self.manifest = self._manifest()
        self._store = self._stored()
        # By name of a table: what changes when the file is replaced, and a digest.
        self.tables = {path.name: (self._state(path.name), _digest(path)) for path in folder.glob("*.csv")}

    def _manifest(self):
        return json.loads((self._folder / "manifest.json").read_text(encoding="utf-8"))

    def _state(self, name):
        state = (self._folder / name).stat()
        return state.st_ino, state.st_size, state.st_mtime_ns

    def _stored(self):
        """The scenario of the database, which a run replaces at its beginning, and the tables at its end."""
        uri = f"{self._folder.as_uri()}/results.sqlite?mode=ro"
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(uri, uri=True)) as store:
            rows = dict(store.execute("SELECT name, value FROM info WHERE name IN ('scenario', 'condition')"))
            return {**rows, "scenario": json.loads(rows["scenario"])} if "scenario" in rows else rows
        return None

    def require(self, table, store=False):
        """Raises OutputError unless the table, and perhaps the database, is that of the study."""
        try:
            state, digest = self.tables[table]
            now = self._state(table)
            same = now == state or _digest(self._folder / table) == digest
            manifest = self._manifest()
        except FileNotFoundError as error:
            raise OutputError(f"{error.filename}: the results of this study are no longer there", 4) from None
        if not same:
            one, other = _texts(self.manifest, manifest)
            raise OutputError(f"{self._folder} held this study, with {one}, and now holds another, with {other}; "
                              "run each with an output= that no other has", 4)
        if store and self._stored() != self._store:
            raise OutputError(f"{self._folder}: a run of another scenario has begun in the folder of this study; run "
                              "each with an output= that no other has", 4)
        self.tables[table] = now, digest


def _digest(path):
    digest = hashlib.blake2b()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.digest()


def _options(value, path=""):
    """Dotted paths and values of all options."""
    if not isinstance(value, dict) or not value:
        return {path: value}
    return {inner: x for key, part in value.items()
            for inner, x in _options(part, f"{path}.{key}" if path else key).items()}


def _texts(one, other):
    """Of two manifests: what distinguishes the first, and the second."""
    options = [_options(m.get("scenario", {})) for m in (one, other)]
    paths = [p for p in {**options[0], **options[1]} if options[0].get(p) != options[1].get(p)]
    if not paths:
        return [f"{m.get('runs')} runs of fingerprint {m.get('fingerprint')}" for m in (one, other)]
    return [", ".join(f"{p} {_short(json.dumps(o[p])) if p in o else 'not set'}" for p in paths[:3]) for o in options]


def _short(text):
    return text if len(text) <= 60 else text[:57] + "..."
