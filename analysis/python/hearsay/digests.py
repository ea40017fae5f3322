"""Digests of classes: of all of the user's code and values that they use."""
import ast
import builtins
import contextlib
import dis
import hashlib
import importlib.util
import inspect
import io
import pickle
import site
import sys
import sysconfig
import types
import warnings
from pathlib import Path

from . import code as classes

_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} |
                   {"/usr/lib/python3/", site.getusersitepackages(), str(Path(__file__).parent)})


def is_own_file(file):
    """Whether a file is the user's: neither of Python, nor installed, nor of this package."""
    return not file.startswith(("<frozen", *_INSTALLED))


def _is_own(value):
    """Whether a function or class is the user's."""
    if isinstance(value, types.FunctionType):
        return is_own_file(value.__code__.co_filename)
    if value.__module__ in (None, "__main__", "builtins"):
        return getattr(builtins, value.__name__, None) is not value
    file = getattr(sys.modules.get(value.__module__), "__file__", None)
    return file is not None and is_own_file(file)


def _wrapped(value):
    """The user's functions that a decorator of a library, such as functools.cache, has wrapped."""
    registry = getattr(value, "registry", None)  # of functools.singledispatch
    inner = [getattr(value, "__wrapped__", None), *(registry.values() if isinstance(registry, types.MappingProxyType) else ())]
    return [function for function in inner if isinstance(function, (types.FunctionType, type)) and _is_own(function)]


# --- Files ---

def _imports(text, package):
    """Names of the modules that a source may import, wherever it does."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (package or not node.level):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:k + 1]) for k in range(len(parts)))


def _file_of(name):
    """The user's file that is a module, or None. Imports nothing but packages of the user."""
    with contextlib.suppress(Exception):  # there is no such module
        if "." in name and name not in sys.modules and _file_of(name.split(".")[0]) is None:
            return None
        module = sys.modules.get(name)
        file = module.__file__ if module is not None else importlib.util.find_spec(name).origin
        return Path(file) if file.endswith(".py") and is_own_file(file) else None
    return None


def imports_in_functions(text):
    """The user's modules that a source imports inside functions."""
    inner = [ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [name for source in inner for name in _imports(source, "") if _file_of(name) is not None]


def imported_files(text, package=""):
    """The user's files that a source imports, also inside functions, and those that they import: contents by path."""
    found, waiting = {}, [(text, package)]
    while waiting:
        for name in dict.fromkeys(_imports(*waiting.pop())):
            file = _file_of(name)
            if file is not None and file not in found:
                found[file] = file.read_bytes()
                waiting.append((found[file].decode(), name if file.name == "__init__.py" else name.rpartition(".")[0]))
    return dict(sorted(found.items()))


# --- Values and code ---

class _Pickler(pickle.Pickler):
    """Of values: the user's functions and classes in them wait for their source, tensors are their numbers."""

    def __init__(self, file, waiting):
        super().__init__(file)
        self._waiting = waiting

    def persistent_id(self, value):
        if not isinstance(value, (set, frozenset)):
            return None
        contents = []  # by themselves, sorted: the order of a set differs from process to process
        for element in value:
            content = io.BytesIO()
            _Pickler(content, self._waiting).dump(element)
            contents.append(hashlib.sha256(content.getbuffer()).hexdigest())
        return type(value).__name__, sorted(contents)

    def reducer_override(self, value):
        self._waiting += _wrapped(value)
        if isinstance(value, (types.FunctionType, type)) and _is_own(value):
            self._waiting.append(value)
            return str, (value.__qualname__,)
        if hasattr(type(value), "__array__") and hasattr(type(value), "detach"):  # torch pickles addresses, too
            return str, (str(value.dtype), value.detach().cpu().numpy())
        return NotImplemented


def _source_of(thing):
    try:
        return inspect.getsource(getattr(thing, "__code__", thing))  # not what a decorator has wrapped
    except (OSError, TypeError):
        return None


def _codes(code):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


class _Digest:
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
            self._waiting += [base for base in thing.__bases__ if _is_own(base)]
            for name, value in vars(thing).items():
                value = getattr(value, "__func__", getattr(value, "fget", value))
                if isinstance(value, classes.option):
                    self._parts.append(f"{name}={vars(value)!r}")
                elif isinstance(value, types.FunctionType):
                    self._waiting.append(value)
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
            for step in dis.get_instructions(code):
                if step.opname == "IMPORT_NAME":
                    self._files(f"import {step.argval}" if step.argval else "")

    def _files(self, text):
        self._parts += [f"{path.name}: {content!r}" for path, content in imported_files(text).items()]

    def _value(self, name, value):
        self._waiting += _wrapped(value)
        if isinstance(value, types.ModuleType):
            loaded = [module for module in sys.modules if module.startswith(f"{value.__name__}.")]
            if _file_of(value.__name__) is not None:
                self._files("\n".join(f"import {module}" for module in [value.__name__, *loaded]))
        elif isinstance(value, (types.FunctionType, type)) and _is_own(value):
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
    bases, what it finds in its module, closures and defaults, and the modules that it imports."""
    return _Digest(cls).text
