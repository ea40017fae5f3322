"""Commands of the program, in this process where its module is there: arguments, progress, messages as exceptions."""
import contextlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path

from . import code as classes
from .protocol import metrics
from .records import data
from .engine import core


class HearsayError(Exception):
    """The program ended with an error; the message is the program's. `code` is its exit code."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class InputError(HearsayError):
    """The scenario, its data or an argument is wrong (exit code 2)."""


class RefusedError(HearsayError):
    """The study is larger than allowed, or does not fit into memory (exit code 3)."""


class OutputError(HearsayError):
    """Results could not be written or read (exit code 4)."""


class HearsayWarning(UserWarning):
    """Runs diverged or failed, or something about the study is suspicious."""


_ERRORS = {2: InputError, 3: RefusedError, 4: OutputError}
_SOME_RUNS_FAILED, _INTERRUPTED = 6, 130


def program():
    """Path of the program: HEARSAY_PROGRAM, or `hearsay` among the scripts of this Python, or on the PATH."""
    given = os.environ.get("HEARSAY_PROGRAM")
    found = shutil.which(given) if given else (shutil.which("hearsay", path=sysconfig.get_path("scripts")) or
                                               shutil.which("hearsay"))
    if found is None:
        raise FileNotFoundError(f"HEARSAY_PROGRAM: no program {given!r}" if given else
                                "the program hearsay is not on the PATH; set HEARSAY_PROGRAM to its path")
    return found


def with_pandas(name):
    """The module of this package that reads tables or draws figures; ImportError with what to install for it."""
    try:
        return importlib.import_module(name, __package__)
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "pandas"):
            raise
        raise ImportError(f"tables and figures need {error.name}, which is not installed: pip install "
                          '"hearsay[study]"; in Debian: apt install python3-pandas python3-matplotlib') from None


def _without_file(message):
    """A mapping has no lines that the message could name."""
    return re.sub(r"\S*/hearsay-\w+/scenario\.json(:\d+:\d+)?", "scenario", message)


def _fail(code, message):
    message = _without_file(message)
    raise _ERRORS.get(code, HearsayError)(message.strip() or f"hearsay ended with exit code {code}", code)


_one_at_a_time = threading.Lock()  # a process has one standard output


def _execute(arguments, heard):
    """Runs a command; heard(line) gets each line of its messages. Returns its exit code and what it prints.

    In this process; in one of its own where there is no module for this Python, or another command is running.
    """
    if core() is None or not _one_at_a_time.acquire(blocking=False):
        return _in_a_process(arguments, heard)
    printed, message = [], []

    def write(error, text):
        if not error:
            printed.append(text)
            return
        *lines, rest = ("".join(message) + text).split("\n")
        message[:] = [rest] if rest else []
        for line in lines:
            heard(line)

    try:
        code = core().command(arguments, write)
    finally:
        _one_at_a_time.release()
    if message:
        heard("".join(message))
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    return code, "".join(printed)


def call(*arguments):
    """What the program prints; raises its message as an exception."""
    messages = []
    code, text = _execute([str(a) for a in arguments], messages.append)
    if code != 0:
        _fail(code, "\n".join(messages))
    return text


def plain(value, path=""):
    """A copy whose mappings, lists and numbers are Python's own, where they were numpy's or pandas', and paths text.
    Raises TypeError, with the dotted path, for what no scenario can hold."""
    if isinstance(value, type) and issubclass(value, tuple(classes.kinds().values())):
        return classes.name_in_program(value)
    if isinstance(value, Mapping):
        if isinstance(value.get("type"), type):  # a class, and its options
            value = {**plain(value["type"], path), **{key: inner for key, inner in value.items() if key != "type"}}
        return {str(key): plain(inner, f"{path}.{key}" if path else str(key)) for key, inner in value.items()}
    if path == "data" and isinstance(value, list):
        return plain(data(value), path)
    if path == "metrics" and (isinstance(value, list) or (callable(value) and not isinstance(value, type))):
        return plain(metrics(*(value if isinstance(value, list) else [value])), path)
    if hasattr(value, "tolist") and getattr(getattr(value, "dtype", None), "kind", "O") not in "mM":
        return plain(value.tolist(), path)
    if isinstance(value, (list, tuple, range)):
        return [plain(inner, f"{path}.{k}" if path else str(k)) for k, inner in enumerate(value)]
    if hasattr(value, "to_csv"):
        raise TypeError(f'{path or "scenario"}: found a frame; as data: hearsay.data(frame, owner=..., target=...)')
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, type) or isinstance(value, tuple(classes.kinds().values())):
        raise TypeError(f"{path or 'scenario'}: expected a class derived from "
                        f"{', '.join(f'hearsay.{base.__name__}' for base in classes.kinds().values())}, found {value!r}")
    raise TypeError(f"{path or 'scenario'}: expected a number, text, list or mapping, found {value!r}; a duration is "
                    'text such as "15 ms"')


def value_text(value, path=""):
    """A value as --set takes it: JSON, and text as it is."""
    value = plain(value, path)
    return value if isinstance(value, str) else json.dumps(value)


def set_arguments(options, scenario=None):
    """Of options by dotted path. The text of an option that is a text is no number, as --set would read it."""
    from .scenario import is_text

    def text(path, value):
        with contextlib.suppress(TypeError, ValueError):
            if not isinstance(json.loads(value), str) and is_text(scenario, path):
                return json.dumps(value)
        return value_text(value, path)
    return [argument for path, value in (options or {}).items() for argument in ("--set", f"{path}={text(path, value)}")]


def at_arguments(where):
    """The points that `where` keeps: {axis: a value or values}."""
    return [argument for axis, values in (where or {}).items()
            for value in (values if isinstance(values, (list, tuple, set, frozenset)) else [values])
            for argument in ("--at", f"{axis}={value_text(value, axis)}")]


def _listed(folders):
    """One folder, or several, as absolute paths."""
    return [os.path.abspath(folder) for folder in ([folders] if isinstance(folders, (str, os.PathLike)) else folders)]


def folder_arguments(option, folders):
    """One folder, or several."""
    one = isinstance(folders, (str, os.PathLike))
    return [argument for folder in ([folders] if one else folders) for argument in (option, str(folder))]


def input_arguments(data_dirs=(), allow_paths=(), allow_code=()):
    return [*folder_arguments("--data-dir", data_dirs), *folder_arguments("--allow-path", allow_paths),
            *folder_arguments("--allow-code", allow_code)]


class scenario_file:
    """A file for a scenario that is a path, or a mapping: a temporary one for the time of a `with` block.

    Data files of a mapping are looked for in the current folder too.
    """

    def __init__(self, scenario):
        self._scenario = scenario
        self._folder = None

    def __enter__(self):
        if isinstance(self._scenario, (str, os.PathLike)):
            return [str(self._scenario)]
        self._folder = tempfile.TemporaryDirectory(prefix="hearsay-")
        path = Path(self._folder.name) / "scenario.json"
        path.write_text(json.dumps(plain(self._scenario)), encoding="utf-8")
        return [str(path), *input_arguments(_own_folders(self._scenario), (), getattr(self._scenario, "allow_code", ()))]

    def __exit__(self, *_):
        if self._folder is not None:
            self._folder.cleanup()


def _own_folders(scenario):
    """Where data files of a scenario are looked for without data_dirs: that of its file; of a mapping also the current one."""
    if isinstance(scenario, (str, os.PathLike)):
        return [os.path.dirname(os.path.abspath(scenario))]
    return [folder for folder in (os.getcwd(), getattr(scenario, "folder", None)) if folder]


def in_notebook():
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


class _Progress:
    """One line that is written again and again: in a notebook's cell, or on a terminal."""

    def __init__(self, show):
        self._display = None
        notebook = in_notebook()
        if show is None:
            show = notebook or sys.stderr.isatty()
        self._show = show
        self._notebook = notebook and show
        self._length = 0

    def update(self, numbers):
        if not self._show:
            return
        left = numbers.get("left_s")
        text = f"{numbers['stored']}/{numbers['runs']} runs" + (f", {left:.0f} s left" if left else "")
        self._write(text)

    def _write(self, text):
        if self._notebook:
            from IPython.display import display
            if self._display is None:
                self._display = display({"text/plain": text}, raw=True, display_id=True)
            else:
                self._display.update({"text/plain": text}, raw=True)
        else:
            sys.stderr.write("\r" + text.ljust(self._length))
            sys.stderr.flush()
            self._length = len(text)

    def end(self):
        if self._show and not self._notebook and self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")


def run(scenario, set=None, repeat=None, jobs=None, output=None, seed=None, points=None, data_dirs=(),
        allow_paths=(), progress=None, sweep=None, allow_code=()):
    """Runs a scenario with its whole sweep, or what of it is missing in the folder; returns the Study.

    scenario: path of a file, or a mapping such as Scenario or dict.
    set: options by dotted path, {"privacy.epsilon": 1}. sweep: in place of the scenario's. jobs: threads. points:
    condition for the points to run. allow_code: folders with Python code that a file of a scenario may name; a class
    of this program is given itself, "protocol": {"type": Mine}.
    output: folder of the results. By default out/NAME for a file as it is, else out/NAME-DIGEST with a digest of the
    scenario, set, repeat, seed and points: each study has its own folder, and an equal call resumes there.
    progress: whether to show progress; by default in a notebook and on a terminal.

    Raises InputError, RefusedError or OutputError with the program's message. Runs that diverge or fail, and the
    program's warnings, are warnings (HearsayWarning). An interrupt ends the program; runs that are done are kept.
    """
    from .folders import default_output
    load = with_pandas(".study").load
    given = (("repeat", repeat), ("seed", seed), ("sweep", sweep))
    options = set_arguments({**(set or {}), **{name: value for name, value in given if value is not None}}, scenario)
    if points is not None:
        options += ["--points", str(points)]
    inputs = input_arguments(data_dirs, allow_paths, allow_code)
    output = Path(output) if output is not None else default_output(scenario, options, inputs)
    with scenario_file(scenario) as file:
        arguments = ["run", *file, "-o", str(output), "--json-progress", *options, *inputs]
        if jobs is not None:
            arguments += ["-j", str(jobs)]
        code, messages = _follow(arguments, _Progress(progress))
    if code not in (0, _SOME_RUNS_FAILED):
        _fail(code, "\n".join(messages))
    study = load(output)
    study._folders = {"data_dirs": [*_own_folders(scenario), *_listed(data_dirs)], "allow_paths": _listed(allow_paths),
                      "allow_code": [*_listed(getattr(scenario, "allow_code", ())), *_listed(allow_code)]}
    bad = study.runs[study.runs["status"].isin(["diverged", "failed"])]
    if not bad.empty:
        warnings.warn(f"{len(bad)} of {len(study.runs)} runs diverged or failed; the first: {bad['message'].iloc[0]}",
                      HearsayWarning, stacklevel=2)
    for line in classes.warnings_of_changes(study.scenario):
        warnings.warn(line, HearsayWarning, stacklevel=2)
    for line in messages:
        if line.startswith("warning: "):
            warnings.warn(_without_file(line.removeprefix("warning: ")), HearsayWarning, stacklevel=2)
    return study


def _follow(arguments, progress):
    """Runs a command until it ends; returns its exit code and the lines of its messages."""
    messages = []

    def heard(line):
        numbers = _progress_of(line)
        if numbers is not None:
            progress.update(numbers)
        elif line:
            messages.append(line)

    try:
        code, _ = _execute(arguments, heard)
    finally:
        progress.end()
    return code, messages


def _in_a_process(arguments, heard):
    """_execute() by the program. In a session of its own: a terminal, and Jupyter, would interrupt it too, and the second
    interrupt ends it at once instead of in order. Without its reader it ends by itself."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed, \
            subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE,
                             text=True, start_new_session=True) as process:
        try:
            for line in process.stderr:
                heard(line.rstrip("\n"))
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            process.wait()
            raise
        process.wait()
        printed.seek(0)
        return process.returncode, printed.read()


def _progress_of(line):
    if not line.startswith("{"):
        return None
    try:
        numbers = json.loads(line)
    except ValueError:
        return None
    return numbers if "runs" in numbers and "stored" in numbers else None
