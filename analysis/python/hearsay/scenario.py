"""A scenario as a mapping whose keys are checked and completed by the schema of the program."""
import difflib
import functools
import json
import os
from collections.abc import Mapping

from .code import texts_of
from .program import InputError, call, folder_arguments, plain, scenario_file


@functools.lru_cache(maxsize=1)
def schema():
    """The JSON Schema of scenarios, from the program."""
    return json.loads(call("schema"))


def _objects(part):
    """The alternatives of a part of the schema that are objects or lists."""
    if "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[-1]
        yield from _objects(schema()["$defs"][name])
        return
    for alternative in part.get("anyOf", part.get("oneOf", [])):
        yield from _objects(alternative)
    if "properties" in part or "items" in part or isinstance(part.get("additionalProperties"), dict):
        yield part


def _members(parts):
    return sorted({name for part in parts for name in part.get("properties", {}) if not name.startswith("$")})


def _step(parts, key):
    """The parts of the schema that a key, or a place in a list, leads to."""
    found = []
    for part in parts:
        if key in part.get("properties", {}):
            found += _objects(part["properties"][key]) or []
        elif key.isdigit() and "items" in part:
            found += _objects(part["items"])
        elif part.get("additionalProperties"):
            found += _objects(part["additionalProperties"])
    return found


def _knows(parts, key):
    # Without a description of its additional properties a part has those of its code, which the schema does not know.
    return any(key in part.get("properties", {}) or (key.isdigit() and "items" in part) or
               part.get("additionalProperties") for part in parts)


def check_path(path):
    """Raises KeyError for a dotted path that no scenario has, with the nearest one."""
    parts = list(_objects(schema()))
    walked = []
    for key in path.split("."):
        if not _knows(parts, key):
            names = _members(parts)
            near = difflib.get_close_matches(key, names, 1)
            where = ".".join(walked) or "a scenario"
            hint = f"; did you mean {near[0]!r}?" if near else f"; expected one of {', '.join(names)}" if names else ""
            raise KeyError(f"{where} has no option {key!r}{hint}")
        walked.append(key)
        parts = _step(parts, key)


def options_of(path=""):
    """Names of the options below a dotted path, of all alternatives."""
    parts = list(_objects(schema()))
    for key in path.split(".") if path else []:
        parts = _step(parts, key)
    return _members(parts)


def is_text(scenario, path):
    """Whether the option of a dotted path is a text, and neither a number nor an object: of a class of this program that a
    scenario, a mapping, names there, or by the schema."""
    *above, last = path.split(".")
    part = plain(scenario) if isinstance(scenario, Mapping) else None
    for key in above:
        part = part.get(key) if isinstance(part, dict) else None
    if isinstance(part, dict) and part.get("type") == "python":
        return last in texts_of(part)
    parts = list(_objects(schema()))
    for key in above:
        parts = _step(parts, key)
    kinds = [part["properties"][last].get("type", "") for part in parts if last in part.get("properties", {})]
    return bool(kinds) and all(kind in ("string", ["string"], ["string", "null"]) for kind in kinds)


class Scenario(dict):
    """A scenario: a dict whose options are also reached by dotted paths.

        s = hearsay.Scenario("quickstart.json")       # or a mapping, or nothing; allow_code= as in run
        s["privacy.epsilon"] = 1                      # KeyError with the nearest name for a path that does not exist
        s.check()                                     # InputError with the program's message
        s.complete()                                  # with all defaults
        hearsay.run(s)
    """

    folder = None  # where data files are looked for besides the current folder
    allow_code = ()  # folders whose code may be executed

    def __init__(self, scenario=None, allow_code=()):
        super().__init__()
        self.allow_code = allow_code or getattr(scenario, "allow_code", ())
        if scenario is None:
            return
        if isinstance(scenario, (str, os.PathLike)):
            # The program reads comments and what the scenario extends. Its data files stay where they are.
            self.folder = os.path.dirname(os.path.abspath(scenario))
            scenario = json.loads(call("show", scenario, *folder_arguments("--allow-code", allow_code)))
        self.folder = self.folder or getattr(scenario, "folder", None)
        self.update(scenario)

    def _value(self, path):
        value = self
        for key in path.split("."):
            if isinstance(value, list):
                value = value[int(key)]
            elif value is self:
                value = dict.__getitem__(self, key)
            else:
                value = value[key]
        return value

    def _check(self, path):
        """Raises KeyError as check_path; of a part in Python its class checks the options."""
        part = self
        for key in path.split(".")[:-1]:
            part = dict.get(part, key) if isinstance(part, dict) else None
        if not (isinstance(part, dict) and part.get("type") == "python"):
            check_path(path)

    def __getitem__(self, path):
        try:
            return self._value(path)
        except (LookupError, TypeError, ValueError):
            self._check(path)
            raise KeyError(f"{path} is not set; complete() has all defaults") from None

    def __setitem__(self, path, value):
        self._check(path)
        value = plain(value, path)  # a copy: what is set below it later does not change the caller's
        *above, last = path.split(".")
        place = self
        for key in above:
            if isinstance(place, list):
                place = place[int(key)]
                continue
            inner = dict.get(place, key)
            if isinstance(inner, str):  # the short form of an object
                inner = {"type": inner}
            elif not isinstance(inner, (dict, list)):
                inner = {}
            dict.__setitem__(place, key, inner)
            place = inner
        if isinstance(place, list):
            place[int(last)] = value
        else:
            dict.__setitem__(place, last, value)

    def __delitem__(self, path):
        above, _, last = path.rpartition(".")
        self[path]  # KeyError
        dict.__delitem__(self[above] if above else self, last)

    def get(self, path, default=None):
        return self._value(path) if path in self else default

    def update(self, *options, **more):
        for path, value in dict(*options, **more).items():
            self[path] = value

    def copy(self):
        return Scenario(self)

    def __contains__(self, path):
        try:
            self._value(path)
        except (LookupError, TypeError, ValueError):
            return False
        return True

    def _ipython_key_completions_(self):
        names = options_of()
        return names + [f"{name}.{inner}" for name in names for inner in options_of(name)]

    def check(self, data_dirs=()):
        """Raises InputError with everything that the program finds wrong; data files are not read."""
        with scenario_file(self) as file:
            call("validate", *file, *folder_arguments("--data-dir", data_dirs))

    def complete(self):
        """The scenario with all defaults."""
        with scenario_file(self) as file:
            completed = Scenario(json.loads(call("show", *file)))
        completed.folder, completed.allow_code = self.folder, self.allow_code
        return completed

    def explain(self, path=""):
        """What the option of that path means; of the scenario without one."""
        try:
            return call("explain", *([path] if path else []))
        except InputError as error:
            raise KeyError(str(error)) from None
