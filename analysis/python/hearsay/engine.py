"""The simulator in this process: the module hearsay._core, in the package or beside the program."""
import functools
import importlib.machinery
import importlib.util
import os
import shutil
import sys
from pathlib import Path


def _modules():
    """Files that may be the module, the first that exists counts: of the program that HEARSAY_PROGRAM names, or of this
    package, or of the program on the PATH."""
    given = os.environ.get("HEARSAY_PROGRAM")
    found = shutil.which(given or "hearsay")
    folders = [] if given else [Path(__file__).parent]
    if found is not None:
        program = Path(found).resolve().parent
        folders += [program / "python" / "hearsay", program.parent / "lib" / "python3" / "dist-packages" / "hearsay"]
    for folder in folders:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            yield folder / f"_core{suffix}"


@functools.lru_cache(maxsize=1)
def core():
    """The module, or None if there is none for this version of Python."""
    for path in _modules():
        if path.is_file():
            spec = importlib.util.spec_from_file_location("hearsay._core", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules["hearsay._core"] = module
            return module
    return None
