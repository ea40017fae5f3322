"""Classes that a scenario names: their options, how they are found, and what a state keeps of an object."""
import difflib
import hashlib
import importlib.util
import inspect
import io
import pickle
import sys
import threading
from pathlib import Path

from . import digests


class option:
    """An option of a protocol: its default, whose type is that of the option, and what values it may have.

    min, max: bounds of a number, which themselves are allowed unless open_min or open_max is set. unit: of a number,
    "s", "1/s", "B" or "B/s"; a scenario may then write "15 ms". choices: the texts that are allowed.
    """

    def __init__(self, default, *, help="", min=None, max=None, unit="", choices=(), open_min=False, open_max=False):
        if not isinstance(default, (bool, int, float, str)):
            raise TypeError(f"an option is a number, text, True or False; found {default!r}")
        if isinstance(default, (bool, str)) and (unit or min is not None or max is not None):
            raise TypeError(f"a unit and bounds are of numbers; the default is {default!r}")
        if unit not in ("", "s", "1/s", "B", "B/s"):
            raise ValueError(f"expected a unit out of s, 1/s, B, B/s, found {unit!r}")
        if choices and not all(isinstance(value, str) for value in (default, *choices)):
            raise TypeError(f"choices are texts; found {', '.join(map(repr, choices))} with the default {default!r}")
        if default != default:
            raise ValueError("expected a default that is a number, found nan")
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
    """What the options of a class mean, or of the option of a scenario with that dotted path: a text."""
    if isinstance(cls, str):
        from .program import call
        return call("explain", cls)
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
    if isinstance(made, kinds()["metrics"]):
        made._made = True
    return made


def state_of(made, doubt=""):
    """The attributes of an object, pickled; what refers to the object itself will refer to the one that they are put into,
    and arrays that share memory will share it. `doubt`: what set_state() returned, if they come from a state."""
    sets = []

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            if isinstance(value, (set, frozenset)) and len(value) > 1:
                sets.append(value)
            return "self" if value is made else None

        def reducer_override(self, value):
            return _reduced(value)
    content = io.BytesIO()
    pickler = Pickler(content, pickle.HIGHEST_PROTOCOL)
    pickler.dump(vars(made))
    if sets and not doubt:
        name = next((f"self.{name}" for name, value in vars(made).items() if value is sets[0]), "one of its values")
        doubt = (f"{type(made).__name__}: the run went on from a kept state, which does not keep the order of a set ({name}): "
                 "if a handler iterates over it, results may differ; iterate over sorted(...), or keep a dict")
    pickler.dump(doubt)
    return content.getvalue()


def _reduced(value):
    """How a state keeps a view of an array, and what the engine gives to handlers."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if kind == "hearsay._core.Random":
        raise TypeError("a stream of run.random cannot be kept with the state of the run: ask for it in the handler that draws")
    if kind not in ("numpy.ndarray", "hearsay.Heard"):
        return NotImplemented
    import numpy as np
    owner = base = value
    while base is not None:
        owner, base = (base if isinstance(base, np.ndarray) else owner), getattr(base, "base", None)  # also of as_strided
    if owner is value:
        return NotImplemented if kind == "numpy.ndarray" else (np.asarray, (np.array(value),))
    if not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        raise TypeError("a view of an array that is neither in the order of C nor of Fortran cannot be kept with the state of "
                        "the run: keep a copy")
    offset = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    if value.dtype.hasobject and (value.dtype != owner.dtype or offset % value.dtype.itemsize):  # see _part
        raise TypeError("a field with objects of an array cannot be kept with the state of the run: keep a copy")
    return _part, (owner, offset, value.shape, value.strides, value.dtype)


def _part(owner, offset, shape, strides, dtype):
    import numpy as np
    memory = owner if owner.flags.c_contiguous else owner.T
    if dtype.hasobject:  # of which numpy makes no array from memory
        return np.lib.stride_tricks.as_strided(memory.reshape(-1)[offset // dtype.itemsize:], shape, strides)
    return np.ndarray(shape, dtype, memory, offset, strides)


def set_state(made, state):
    """Returns what may differ from a run that has not been kept, a warning; or no text."""
    class Unpickler(pickle.Unpickler):
        def persistent_load(self, _):
            return made
    unpickler = Unpickler(io.BytesIO(state))
    attributes = unpickler.load()
    vars(made).clear()
    vars(made).update(attributes)
    return unpickler.load()


def name_in_program(cls):
    """Remembers a class of this program; returns the members of a scenario that name it."""
    describe_as(next(kind for kind, base in kinds().items() if issubclass(cls, base)), cls)
    digest = digests.digest_of(cls)
    with _lock:
        _live[cls.__qualname__, digest] = cls
    return {"type": "python", "class": cls.__qualname__, "digest": digest}


def texts_of(part):
    """Names of the options that are texts, of the class of this program that a part of a scenario names."""
    cls = _live.get((part.get("class"), part.get("digest")))
    return [] if cls is None else [one.name for one in options_of(cls) if isinstance(one.default, str)]


def warnings_of_changes(scenario):
    """Of classes of this program that a scenario names, if what they use has changed since the study began."""
    text = str(scenario)
    for (name, digest), cls in list(_live.items()):
        if digest in text and not issubclass(cls, kinds()["data"]) and digests.digest_of(cls) != digest:
            yield (f"{name}: a list, mapping or other value that its code uses, or the file of a module, has changed while the "
                   "study ran, so that runs may depend on each other: keep what changes in the object, made in __init__ or "
                   "on_start")


def _execute(path):
    """Executes a file; returns its module, and the user's files that it imports, by path. Modules below its folder are its
    own: another study, and the program, may have others of these names."""
    folder = path.resolve().parent
    spec = importlib.util.spec_from_file_location(f"_hearsay_{path.stem}_{len(_loaded)}", path)
    module = importlib.util.module_from_spec(spec)

    def below():
        files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
        return {name: sys.modules.pop(name) for name, file in files.items()
                if name not in (spec.name, "__main__") and file and folder in Path(file).resolve().parents and
                digests.is_own_file(file)}

    aside = below()
    sys.modules[spec.name] = module
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
        text = path.read_text(encoding="utf-8")
        texts = digests.imported_files(text)
        for source in (text, *(content.decode() for content in texts.values())):
            for name in digests.imports_in_functions(source):  # later another module of this name would be found
                raise ImportError(f"{path.name} imports {name!r} inside a function: import it at the top of the file")
    finally:
        sys.path.remove(str(folder))
        below()
        sys.modules.update(aside)
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
    line = _line_of(error).encode("utf-8", "backslashreplace").decode()  # a file name may be no UTF-8
    return line.replace("\0", "\\0")  # where a text of C++ would end


def _line_of(error):
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename or '?').name}:{error.lineno}: {type(error).__name__}: {error.msg}"
    own = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if digests.is_own_file(file):
            own = f"{Path(file).name}:{trace.tb_lineno}: "
        trace = trace.tb_next
    try:
        text = " ".join(str(error).split())
    except Exception as another:
        text = f"without a text, because its __str__ raises {type(another).__name__}"
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        text = ('code in Python needs numpy, which is not installed: pip install "hearsay[study]"; in Debian: apt install '
                'python3-numpy')
    if "incompatible function arguments" in text:  # what pybind11 says of a call with wrong types goes on for long
        text = text.split(". The following")[0] + "; see help(hearsay.Run)"
    return text if isinstance(error, (ImportError, TypeError)) and not own else f"{own}{type(error).__name__}: {text}"
