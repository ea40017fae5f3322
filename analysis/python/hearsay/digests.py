"""Digests of classes: of all of the user's code and values that they use, as they are in memory."""
import ast
import builtins
import contextlib
import dis
import functools
import hashlib
import importlib.util
import math
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


@functools.lru_cache(maxsize=None)
def _installed_in(folder):
    """Names of the packages and modules that an installer has recorded in a folder, such as that of
    pip install --target. Of what is still being written there (pip install -e) no record tells."""
    found = set()
    for pattern, start in (("*.dist-info/RECORD", ""), ("*.egg-info/installed-files.txt", "../")):
        for record in folder.glob(pattern):
            with contextlib.suppress(OSError):  # it may be another user's
                for file in (line.partition(",")[0] for line in record.read_text(errors="replace").splitlines()):
                    if file.endswith(".py") and file.startswith(start):
                        found.add(file[len(start):].split("/")[0])
    return found


@functools.lru_cache(maxsize=None)
def is_own_file(file):
    """Whether a file is the user's: neither of Python, nor installed, nor of this package."""
    path = Path(file)
    if file.startswith(("<frozen", *_INSTALLED)) or {"site-packages", "dist-packages"} & set(path.parts):
        return False
    return not any(path.relative_to(folder).parts[0] in _installed_in(folder) for folder in path.parents)


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


def _is_of_library(value):
    """Whether a value is such as random.random: a method of an object that a library keeps, and whose state is not the
    user's."""
    if not isinstance(value, (types.BuiltinFunctionType, types.MethodType)) or _is_own(type(value.__self__)):
        return False
    return getattr(sys.modules.get(type(value.__self__).__module__), value.__name__, None) == value


# --- Files ---

@functools.lru_cache(maxsize=4096)
def _imports(text, package):
    """Names of the modules that a source may import, wherever it does."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    found = {}
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
            found.update((".".join(parts[:k + 1]), None) for k in range(len(parts)))
    return tuple(found)


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
        for name in _imports(*waiting.pop()):
            file = _file_of(name)
            if file is not None and file not in found:
                found[file] = file.read_bytes()
                waiting.append((found[file].decode(), name if file.name == "__init__.py" else name.rpartition(".")[0]))
    return dict(sorted(found.items()))


# --- Values and code ---

class _Pickler(pickle.Pickler):
    """Of values: the user's functions and classes in them wait for their code, tensors are their numbers."""

    def __init__(self, file, digest):
        super().__init__(file)
        self._digest = digest

    def persistent_id(self, value):
        if not isinstance(value, (set, frozenset)):
            return None
        # By themselves, sorted: the order of a set differs from process to process.
        return type(value).__name__, sorted(_pickled(element, self._digest) for element in value)

    def reducer_override(self, value):
        wrapped = [self._digest.named(function) for function in _wrapped(value)]
        if isinstance(value, (types.FunctionType, type)) and _is_own(value):
            return str, (self._digest.named(value),)
        if wrapped and isinstance(value, functools._lru_cache_wrapper):
            return str, (wrapped[0],)
        if _is_of_library(value):
            return str, (value.__name__,)
        if hasattr(type(value), "__array__") and hasattr(type(value), "detach"):  # torch pickles addresses, too
            return str, (str(value.dtype), value.detach().cpu().numpy())
        return NotImplemented


class _Hash:
    """A file that keeps a digest of what is written to it, up to a number of bytes."""

    def __init__(self, most):
        self.digest, self._left = hashlib.sha256(), most

    def write(self, part):
        self._left -= memoryview(part).nbytes
        if self._left < 0:
            raise ValueError("too large")
        self.digest.update(part)


def _pickled(value, digest_of_class):
    """The digest of a value. Without a memo equal values have equal bytes. What refers to itself needs one, and what refers
    many times to the same would grow."""
    def digest(without_memo, most):
        file = _Hash(most)
        pickler = _Pickler(file, digest_of_class)
        pickler.fast = without_memo
        pickler.dump(value)
        return file.digest.hexdigest()
    try:
        return digest(True, 2 ** 26)
    except (ValueError, RecursionError):
        return digest(False, math.inf)


def _text_of(constant):
    """A constant, or what code does, as text: without lines and files, and sets in an order that is always the same."""
    if isinstance(constant, types.CodeType):
        code = constant
        return repr((code.co_code, getattr(code, "co_exceptiontable", b""), code.co_flags, code.co_argcount,
                     code.co_posonlyargcount, code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_freevars,
                     code.co_cellvars, [_text_of(inner) for inner in code.co_consts]))
    if isinstance(constant, (tuple, frozenset)):
        parts = [_text_of(part) for part in constant]
        return f"{type(constant).__name__}{parts if isinstance(constant, tuple) else sorted(parts)}"
    return repr(constant)


def _kept(function):
    """What a function keeps: its closure, defaults and attributes."""
    kept = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        with contextlib.suppress(ValueError):  # not filled yet
            kept[name] = cell.cell_contents
    defaults = {**dict(enumerate(function.__defaults__ or ())), **(function.__kwdefaults__ or {})}
    return {**kept, **{f"default {name}": value for name, value in defaults.items()},
            **{f".{name}": value for name, value in vars(function).items()}}


def _codes(code):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _is_own_module(value):
    """Whether a value is a module, or a folder of modules, of the user."""
    if not isinstance(value, types.ModuleType):
        return False
    file = getattr(value, "__file__", None) or next(iter(getattr(value, "__path__", ())), None)
    return file is not None and is_own_file(file)


def _functions_of(member):
    """A member of a class, or the functions that a property or another descriptor of Python calls, by what they are."""
    if isinstance(member, property):
        functions = {kind: getattr(member, kind) for kind in ("fget", "fset", "fdel")}
        return {kind: function for kind, function in functions.items() if function is not None}
    if isinstance(member, functools.cached_property):
        return {"func": member.func}
    return {type(member).__name__: member.__func__ if isinstance(member, (classmethod, staticmethod)) else member}


class _Digest:
    """late: the modules that functions import, as far as they are known; found_late: those that this digest has met."""

    def __init__(self, cls, late):
        self._late, self.found_late, self._module = late, set(), cls.__module__
        self._parts, self._seen, self._waiting = set(), {}, [cls]
        self._names, self._depth, self._files_of, self._whole, self._uncovered = {}, 0, {}, set(), {}
        while self._waiting:
            thing = self._waiting.pop()
            if id(thing) not in self._seen:
                self._seen[id(thing)] = thing  # which keeps it: another would get its id
                self._add(thing)
        self.text = hashlib.sha256("\0".join(sorted(self._parts)).encode()).hexdigest()[:32]

    def uncovered(self):
        """Names of values that cannot be pickled. Of a module that counts as a whole the files do count."""
        files = {name: getattr(sys.modules.get(module), "__file__", None) for name, module in self._uncovered.items()}
        return [name for name, file in files.items() if file not in self._whole]

    def _add(self, thing):
        if isinstance(thing, types.ModuleType):
            for name, value in list(vars(thing).items()):
                if not name.startswith("__"):
                    self._value(f"{thing.__name__}.{name}", value, thing.__name__)
            return
        self._parts.add(self.named(thing))
        if not isinstance(thing, type):
            for code in _codes(thing.__code__):
                self._globals(thing, code)

    def named(self, value):
        """The name of a class or function, which waits for its code, with a digest of what it keeps: a function that
        makes functions or classes gives all of them one name and the same code."""
        if id(value) not in self._names:
            self._waiting.append(value)
            is_class = isinstance(value, type)
            name = f"{'' if value.__module__ == self._module else value.__module__}.{value.__qualname__}"
            name += "" if is_class else f" {_text_of(value.__code__)}"
            if self._depth > 20:  # before Python's own limit; what this refers to counts by itself
                return name
            self._names[id(value)] = name  # in what it refers to itself
            self._depth += 1
            try:
                parts = sorted(self._members(value) if is_class else self._kept(value))
            finally:
                self._depth -= 1
            self._names[id(value)] = f"{name} {hashlib.sha256(repr(parts).encode()).hexdigest()}"
        return self._names[id(value)]

    def _members(self, cls):
        for k, base in enumerate((type(cls), *cls.__bases__)):
            yield f"base {k}: {self.named(base) if _is_own(base) else base.__qualname__}"
        for name, value in list(vars(cls).items()):
            for kind, member in _functions_of(value).items():
                if isinstance(member, classes.option):
                    yield f"{name}={vars(member)!r}"
                elif isinstance(member, types.FunctionType):
                    yield f"{name}: {kind} {self.named(member)}"
                elif name != "_abc_impl" and (not name.startswith("__") or callable(member)):  # the first is abc's own
                    yield f"{name}: {kind} {self._text(f'{cls.__qualname__}.{name}', member, cls.__module__)}"

    def _kept(self, function):
        for name, value in _kept(function).items():
            yield f"{name}={self._text(f'{function.__qualname__}: {name}', value, function.__module__)}"

    def _globals(self, function, code):
        """What code finds in its module and what it imports: of the user's modules the parts that it uses, or all."""
        owner, names, module = function.__qualname__, function.__globals__, function.__module__
        found, imported, level = None, "", 0  # a name and its value, of which a part may follow; what is being imported
        for step in dis.get_instructions(code):
            name = step.argval
            if step.opname == "EXTENDED_ARG":
                continue
            if found and _is_own_module(found[1]) and step.opname in ("LOAD_ATTR", "LOAD_METHOD") and \
                    name in vars(found[1]) and f"{found[1].__name__}.{name}" not in self._late:
                self._files(found[1].__name__)
                found = f"{found[0]}.{name}", vars(found[1])[name]
                continue
            if found:
                self._value(*found, module)
            found = None
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS") and name in names:
                found = f"{owner}: {name}", names[name]
            elif step.opname in ("LOAD_CONST", "LOAD_SMALL_INT") and isinstance(name, int):
                level = name  # the last number before an import: that of its dots
            elif step.opname == "IMPORT_NAME":
                imported = name
                if level and names.get("__package__"):
                    with contextlib.suppress(ImportError):  # above the package
                        imported = importlib.util.resolve_name("." * level + name, names["__package__"])
                self._import(imported)
            elif step.opname == "IMPORT_FROM":
                self._import(f"{imported}.{name}")

    def _import(self, name):
        """A module that a function imports: it may not be loaded yet, and counts by its files also when it is."""
        if name and _file_of(name) is not None:
            self.found_late.add(name)
            self._files(name)

    def _files(self, module):
        """The user's files that are a module and that it imports, which count."""
        if module not in self._files_of:
            files = imported_files(f"import {module}")
            self._parts |= {f"{path.name}: {content!r}" for path, content in files.items()}
            self._files_of[module] = {str(path) for path in files}
        return self._files_of[module]

    def _value(self, name, value, module):
        self._parts.add(f"{name}={self._text(name, value, module)}")

    def _text(self, name, value, module):
        """A value as text; the user's functions, classes and modules in it wait. module: the name of the one with it."""
        for function in _wrapped(value):
            self.named(function)
        if isinstance(value, types.ModuleType):
            if _is_own_module(value):
                files = self._files(value.__name__)
                if value.__name__ not in self._late:
                    self._waiting.append(value)
                    self._whole |= {*files, getattr(value, "__file__", None) or ""}
            return value.__name__
        if isinstance(value, (types.FunctionType, type)):
            return self.named(value) if _is_own(value) else f"{value.__module__}.{value.__qualname__}"
        if isinstance(value, types.BuiltinFunctionType) and isinstance(value.__self__, (type(None), types.ModuleType)):
            return f"{value.__module__}.{value.__qualname__}"
        try:
            return _pickled(value, self)
        except Exception:
            self._uncovered[name] = module
            return type(value).__qualname__


def digest_of(cls):
    """Of a class as it is in memory: its compiled code, and the functions, classes and values that it uses and that are the
    user's own: its bases, what it finds in its module, closures and defaults. Of the modules that it imports also their
    files, since what they do when they are loaded is nowhere else."""
    digest, late = None, set()
    while digest is None or not digest.found_late <= late:  # known from the beginning: they may be loaded or not
        late |= digest.found_late if digest else set()
        digest = _Digest(cls, late)
    for name in digest.uncovered():
        warnings.warn(f"the digest of a class's code does not cover {name}, which cannot be pickled: when it changes, "
                      "stored runs are not made again", stacklevel=3)
    return digest.text
