"""Protocols written in Python: the base class, its options, and how a class is found and described.

    class Gossip(hearsay.Protocol):
        \"""Asynchronous gossip averaging.\"""
        step = hearsay.option(0.5, min=0, max=1, help="How far an agent moves.")

        def on_tick(self, i, run):
            run.model(i)[:] += self.step * (run.heard(i).mean(axis=0) - run.model(i))
            run.publish(i, run.model(i))
"""
import difflib
import hashlib
import importlib.util
import inspect
import sys
import threading
import types
from pathlib import Path

# What the engine calls, with the parameters besides self.
_HOOKS = {"on_start": 1, "on_tick": 2, "on_message": 2, "on_timer": 4, "on_up": 2, "on_down": 2, "reset": 2,
          "finished": 1, "timer_name": 3}
_FLAGS = {"hub": bool, "broadcasts": bool, "joint": bool, "any_model": bool, "aggregates": bool, "own_models": bool,
          "counts_iterations": bool, "vectors": int, "step_name": str}


class option:
    """An option of a protocol: its default, whose type is that of the option, and what values it may have.

    min, max: bounds of a number, which themselves are allowed unless open_min or open_max is set. unit: of a number,
    "s", "1/s", "B" or "B/s"; a scenario may then write "15 ms". choices: the texts that are allowed.
    """

    def __init__(self, default, *, help="", min=None, max=None, unit="", choices=(), open_min=False, open_max=False):
        if not isinstance(default, (bool, int, float, str)):
            raise TypeError(f"an option is a number, text, True or False; found {default!r}")
        if choices and default not in choices:
            raise ValueError(f"expected a default out of {', '.join(choices)}, found {default!r}")
        self.default, self.help, self.min, self.max, self.unit = default, help, min, max, unit
        self.choices, self.open_min, self.open_max = tuple(choices), open_min, open_max

    def __set_name__(self, owner, name):
        self.name = name
        if owner.__dict__.get("__annotations__", {}).get(name) in (float, "float"):
            self.default = float(self.default)

    def __get__(self, instance, owner=None):
        return self if instance is None else self.default


class Protocol:
    """What agents do. A subclass defines what it needs of:

    on_start(self, run)                       once, at time 0
    on_tick(self, i, run)                     agent i's clock ticks
    on_message(self, message, run)            message has source, target, tag, conversation, sent, payload
    on_timer(self, i, tag, number, run)       set by run.after
    on_up(self, i, run), on_down(self, i, run)
    reset(self, i, run)                       agent i is back from a crash and has lost its state
    finished(self, run)                       asked after every event; True ends the run
    timer_name(self, i, tag, number)          of a timer, in the trace

    Options are class attributes made by hearsay.option; in an object they are their values, from __init__ on. One object
    per run owns the state that is not the agents' public models. It must not depend on anything that differs from one
    run to the next, such as the time of day or a random generator of its own.
    """
    hub = False  #: agent 0 is a learner that holds no data
    vectors = 1  #: most p-vectors in one message
    broadcasts = None  #: publishes and never sends, which is faster; by default whether there is no on_message
    joint = True  #: learns one model for all
    any_model = False  #: works with several scores and hidden layers
    aggregates = False  #: its hub collects updates: takes privacy.trust aggregator, and no other
    own_models = False  #: every owner has a model of its own, and agent 0, the hub, has none
    counts_iterations = False  #: calls run.count_iteration itself; else every tick is an iteration
    step_name = "the step size"  #: what to reduce when a run diverges


_live = {}  # classes of this program that studies name, by name and digest
_loaded = {}  # classes of files, by path, content and name
_lock = threading.Lock()


def _refuse(cls, what):
    raise TypeError(f"{cls.__name__}: {what}")


def _check_hooks(cls):
    for name in dir(cls):
        method = getattr(cls, name)
        if name in _HOOKS:
            if not callable(method):
                _refuse(cls, f"{name} is not a function")
            expected = _HOOKS[name]
            try:
                inspect.signature(method).bind(*[None] * (expected + 1))
            except TypeError:
                _refuse(cls, f"{name} is called with {expected} arguments besides self; see hearsay.Protocol")
        elif callable(method) and not name.startswith("_"):
            close = difflib.get_close_matches(name.lower(), _HOOKS, 1, 0.75)
            if name.startswith("on_") or (close and close[0] != "reset" and close[0] != "finished"):
                _refuse(cls, f"{name} is never called" + (f"; did you mean {close[0]}?" if close else
                                                          f"; expected one of {', '.join(_HOOKS)}"))


def _options_of(cls):
    found = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, option):
                found[name] = value
            else:
                found.pop(name, None)
    for name in found:
        if name in ("type", "file", "class", "digest"):
            _refuse(cls, f"an option cannot be called {name!r}")
    return list(found.values())


def describe(cls):
    """What the program needs to know of a class; raises TypeError for what it cannot use."""
    if not (isinstance(cls, type) and issubclass(cls, Protocol)):
        raise TypeError(f"{getattr(cls, '__name__', cls)!r} is no subclass of hearsay.Protocol")
    _check_hooks(cls)
    if not hasattr(cls, "on_tick"):
        _refuse(cls, "a protocol defines on_tick")
    flags = {}
    for name, kind in _FLAGS.items():
        flags[name] = getattr(cls, name)
        if name == "broadcasts" and flags[name] is None:
            flags[name] = not hasattr(cls, "on_message")
        if type(flags[name]) is not kind:
            _refuse(cls, f"{name}: expected {kind.__name__}, found {flags[name]!r}")
    if flags["vectors"] < 1:
        _refuse(cls, f"vectors: expected at least 1, found {flags['vectors']}")
    doc = inspect.getdoc(cls) if cls.__doc__ else ""
    return {"name": cls.__name__, "help": doc.split("\n", 1)[0], "options": _options_of(cls), **flags}


def make(cls, values):
    """An object of a class, with its options."""
    made = cls.__new__(cls)
    for one, value in zip(_options_of(cls), values):
        setattr(made, one.name, value)
    made.__init__()
    return made


def _source_of(thing):
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        return None


def _codes(code):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def digest_of(cls):
    """Of the source of a class, and of the functions, classes and plain values of its module that it uses."""
    parts, seen, waiting = [], set(), [cls]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        functions = [thing]
        if isinstance(thing, type):
            waiting += [base for base in thing.__bases__ if base.__module__ == cls.__module__]
            functions = [getattr(value, "__func__", getattr(value, "fget", value)) for value in vars(thing).values()]
        source = _source_of(thing)
        parts.append(source if source is not None else "")
        for function in functions:
            if not isinstance(function, types.FunctionType):
                continue
            for code in _codes(function.__code__):
                if source is None:
                    parts.append(repr((code.co_code, [c for c in code.co_consts if not isinstance(c, types.CodeType)])))
                for name in code.co_names:
                    value = function.__globals__.get(name)
                    if isinstance(value, (bool, int, float, str, tuple)):
                        parts.append(f"{name}={value!r}")
                    elif isinstance(value, (types.FunctionType, type)) and value.__module__ == cls.__module__:
                        waiting.append(value)
    return hashlib.sha256("\0".join(sorted(parts)).encode()).hexdigest()[:32]


def name_in_program(cls):
    """Remembers a class of this program; returns the members of a scenario that name it."""
    describe(cls)
    digest = digest_of(cls)
    with _lock:
        _live[cls.__qualname__, digest] = cls
    return {"type": "python", "class": cls.__qualname__, "digest": digest}


def _below(folder, module):
    file = getattr(module, "__file__", None)
    return file is not None and folder in Path(file).resolve().parents


def _execute(path):
    """Executes a file; returns its module, and the contents of the other files below its folder that it has imported."""
    folder = path.resolve().parent
    spec = importlib.util.spec_from_file_location(f"_hearsay_{path.stem}_{len(_loaded)}", path)
    module = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        others = sorted((name for name in set(sys.modules) - before
                         if name != spec.name and _below(folder, sys.modules[name])))
    texts = {path: path.read_bytes() for path in (Path(sys.modules[name].__file__) for name in others)}
    for name in others:  # another study may have another file of this name
        del sys.modules[name]
    return module, texts


def load(path, name, digest):
    """Class and digest of the place that a scenario names. Raises ImportError with one line of what is wrong."""
    with _lock:
        if not path:
            cls = _live.get((name, digest))
            if cls is None:
                raise ImportError(f"the class {name!r} is in no file, and not in this program as it was; "
                                  'put it into a file and name it: {"type": "python", "file": ..., "class": ...}')
            return cls, digest
        file = Path(path)
        key = (str(file), file.read_bytes(), name)
        if key not in _loaded or any(not p.is_file() or p.read_bytes() != t for p, t in _loaded[key][1].items()):
            module, texts = _execute(file)
            classes = [n for n, c in vars(module).items()
                       if isinstance(c, type) and issubclass(c, Protocol) and c is not Protocol]
            if name not in classes:
                near = difflib.get_close_matches(name, classes, 1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(classes) or 'none'}"
                raise ImportError(f"{file.name} has no protocol {name!r}{hint}")
            _loaded[key] = getattr(module, name), texts
        cls, texts = _loaded[key]
        others = hashlib.sha256(b"\0".join(texts.values())).hexdigest()[:32] if texts else ""
        if digest and digest != others:
            raise ImportError(f"the files that {file.name} imports have changed since the scenario was written")
        return cls, others


def line_of(error):
    """"gossip.py:14: ValueError: ..." of an exception: the last line outside hearsay, in one line."""
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename or '?').name}:{error.lineno}: {type(error).__name__}: {error.msg}"
    place, trace, own = "", error.__traceback__, str(Path(__file__).parent)
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(("<frozen", own)):
            place = f"{Path(file).name}:{trace.tb_lineno}: "
        trace = trace.tb_next
    if isinstance(error, (ImportError, TypeError)) and not place:
        return str(error)
    return f"{place}{type(error).__name__}: {' '.join(str(error).split())}"
