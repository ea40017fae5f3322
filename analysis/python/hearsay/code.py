"""Classes that a scenario names: their options, how they are found, and the digest of their source."""
import contextlib
import difflib
import hashlib
import importlib.util
import inspect
import io
import pickle
import sys
import sysconfig
import threading
import types
import warnings
from pathlib import Path


class option:
    """An option of a protocol: its default, whose type is that of the option, and what values it may have.

    min, max: bounds of a number, which themselves are allowed unless open_min or open_max is set. unit: of a number,
    "s", "1/s", "B" or "B/s"; a scenario may then write "15 ms". choices: the texts that are allowed.
    """

    def __init__(self, default, *, help="", min=None, max=None, unit="", choices=(), open_min=False, open_max=False):
        if not isinstance(default, (bool, int, float, str)):
            raise TypeError(f"an option is a number, text, True or False; found {default!r}")
        if isinstance(default, (int, float)) and not isinstance(default, bool):
            low = min is None or (default > min if open_min else default >= min)
            if not low or not (max is None or (default < max if open_max else default <= max)):
                raise ValueError(f"expected a default between {min} and {max}, found {default}")
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


_live = {}  # classes of this program that studies name, by name and digest
_loaded = {}  # classes of files, by path, content and name
_lock = threading.Lock()


def refuse(cls, what):
    raise TypeError(f"{cls.__name__}: {what}")


def require_arguments(cls, name, count, page):
    """Raises TypeError if a function of a class cannot be called with so many arguments besides self."""
    try:
        inspect.signature(getattr(cls, name)).bind(*[None] * (count + 1))
    except TypeError:
        refuse(cls, f"{name} is called with {count} arguments besides self; see hearsay.{page}")


def options_of(cls):
    found = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, option):
                found[name] = value
            else:
                found.pop(name, None)
    for name in found:
        if name in ("type", "file", "class", "digest"):
            refuse(cls, f"an option cannot be called {name!r}")
    return list(found.values())


def describe(cls):
    """Name, help and options of a class."""
    doc = inspect.getdoc(cls) if cls.__doc__ else ""
    return {"name": cls.__name__, "help": doc.split("\n", 1)[0], "options": options_of(cls)}


def explain(cls):
    """What the options of a class mean: a text, as `hearsay explain` has it of built-in ones."""
    about = describe(cls)
    lines = [f"{about['name']}: {about['help']}"]
    for one in about["options"]:
        bounds = [f"{sign}{'' if is_open else '='} {bound:g}{' ' + one.unit if one.unit else ''}" for sign, is_open, bound in
                  ((">", one.open_min, one.min), ("<", one.open_max, one.max)) if bound is not None]
        allowed = ", ".join(one.choices or bounds)
        lines.append(f"  {one.name}: {type(one.default).__name__}, default {one.default}{'; ' + allowed if allowed else ''}")
        lines += [f"      {one.help}"] if one.help else []
    return "\n".join(lines)


def kinds():
    """The classes that scenarios can name subclasses of, by what they are used as."""
    from . import model, protocol, records
    return {"protocol": protocol.Protocol, "model": model.Model, "data": records.Data, "metrics": protocol.Metrics}


def describe_as(kind, cls):
    """What the program needs to know of a class; raises TypeError for what it cannot use."""
    base = kinds()[kind]
    if not (isinstance(cls, type) and issubclass(cls, base)):
        raise TypeError(f"{getattr(cls, '__name__', cls)!r} is no subclass of hearsay.{base.__name__}")
    return {**describe(cls), **base._check_class(cls)}


def make(cls, values):
    """An object of a class, with its options."""
    made = cls.__new__(cls)
    for one, value in zip(options_of(cls), values):
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


def _is_own(module):
    """Whether a module is the user's: neither of Python, nor installed, nor of this package."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return module == "__main__" or (file is not None and is_own_file(file))


_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} |
                   {"/usr/lib/python3/", str(Path(__file__).parent)})


def is_own_file(file):
    return not file.startswith(("<frozen", *_INSTALLED))


class _Pickler(pickle.Pickler):
    """Of values, for digests: the user's functions and classes in them wait for their source, tensors are their numbers."""

    def __init__(self, file, waiting):
        super().__init__(file)
        self._waiting = waiting

    def reducer_override(self, value):
        if isinstance(value, (types.FunctionType, type)) and _is_own(value.__module__):
            self._waiting.append(value)
            return str, (value.__qualname__,)
        if hasattr(type(value), "__array__") and hasattr(type(value), "detach"):  # torch pickles addresses, too
            return str, (str(value.dtype), value.detach().cpu().numpy())
        return NotImplemented


class _Digest:
    """Of a class with all of the user's code and values that it uses."""

    def __init__(self, cls):
        self._parts, self._seen, self._waiting = [], set(), [cls]
        while self._waiting:
            thing = self._waiting.pop()
            if id(thing) not in self._seen:
                self._seen.add(id(thing))
                self._add(thing)
        self.text = hashlib.sha256("\0".join(sorted(self._parts)).encode()).hexdigest()[:32]

    def _add(self, thing):
        source = _source_of(thing)
        self._parts.append(f"{thing.__qualname__}: {source or ''}")
        if isinstance(thing, type):
            self._waiting += [base for base in thing.__bases__ if _is_own(base.__module__)]
            for name, value in vars(thing).items():
                value = getattr(value, "__func__", getattr(value, "fget", value))
                if isinstance(value, types.FunctionType):
                    self._function(value, source)
                elif isinstance(value, option):
                    self._parts.append(f"{name}={vars(value)!r}")
                elif not name.startswith("__"):
                    self._value(name, value)
        else:
            self._function(thing, source)

    def _function(self, function, source):
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            with contextlib.suppress(ValueError):  # not filled yet
                self._value(name, cell.cell_contents)
        for k, value in enumerate((*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())):
            self._value(f"default {k}", value)
        for code in _codes(function.__code__):
            if source is None or function.__name__ == "<lambda>":  # several may be in one line
                self._parts.append(repr((code.co_code, code.co_names,
                                         [c for c in code.co_consts if not isinstance(c, types.CodeType)])))
            for name in code.co_names:
                if name in function.__globals__:
                    self._value(name, function.__globals__[name])

    def _value(self, name, value):
        if isinstance(value, types.ModuleType):
            if _is_own(value.__name__):
                self._parts.append(Path(value.__file__).read_text(encoding="utf-8"))
        elif isinstance(value, (types.FunctionType, type)) and _is_own(value.__module__):
            self._waiting.append(value)
        elif isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
            self._parts.append(f"{name}={value.__module__}.{value.__qualname__}")
        else:
            content = io.BytesIO()
            try:
                _Pickler(content, self._waiting).dump(value)
            except Exception:
                warnings.warn(f"the digest of a class's code does not cover {name}, which cannot be pickled: when it "
                              "changes, stored runs are not made again", stacklevel=6)
                content = io.BytesIO()
            self._parts.append(f"{name}={hashlib.sha256(content.getbuffer()).hexdigest()}")


def digest_of(cls):
    """Of the source of a class, and of the functions, classes and values that it uses and that are the user's own: its
    bases, what it finds in its module, closures and defaults, and its other modules."""
    return _Digest(cls).text


def name_in_program(cls):
    """Remembers a class of this program; returns the members of a scenario that name it."""
    describe_as(next(kind for kind, base in kinds().items() if issubclass(cls, base)), cls)
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


def load(path, name, digest, kind):
    """Class and digest of the place that a scenario names. Raises ImportError with one line of what is wrong."""
    with _lock:
        if not path:
            cls = _live.get((name, digest))
            if cls is None:
                raise ImportError(f"the class {name!r} is in no file, and not in this program as it was; "
                                  'put it into a file and name it: {"type": "python", "file": ..., "class": ...}')
            return cls, digest
        file = Path(path)
        key = (str(file), file.read_bytes(), name, kind)
        if key not in _loaded or any(not p.is_file() or p.read_bytes() != t for p, t in _loaded[key][1].items()):
            module, texts = _execute(file)
            base = kinds()[kind]
            classes = [n for n, c in vars(module).items() if isinstance(c, type) and issubclass(c, base) and c is not base]
            if name not in classes:
                near = difflib.get_close_matches(name, classes, 1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(classes) or 'none'}"
                raise ImportError(f"{file.name} has no {kind} {name!r}{hint}")
            _loaded[key] = getattr(module, name), texts
        cls, texts = _loaded[key]
        others = hashlib.sha256(b"\0".join(texts.values())).hexdigest()[:32] if texts else ""
        if digest and digest != others:
            raise ImportError(f"the files that {file.name} imports have changed since the scenario was written")
        return cls, others


def line_of(error):
    """"gossip.py:14: ValueError: ..." of an exception, in one line: where it left the user's code."""
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename or '?').name}:{error.lineno}: {type(error).__name__}: {error.msg}"
    own = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_own_file(file):
            own = f"{Path(file).name}:{trace.tb_lineno}: "
        trace = trace.tb_next
    text = " ".join(str(error).split())
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        text = ('code in Python needs numpy, which is not installed: pip install "hearsay[study]"; in Debian: apt install '
                'python3-numpy')
    if "incompatible function arguments" in text:  # what pybind11 says of a call with wrong types goes on for long
        text = text.split(". The following")[0] + "; see help(hearsay.Run)"
    return text if isinstance(error, (ImportError, TypeError)) and not own else f"{own}{type(error).__name__}: {text}"
