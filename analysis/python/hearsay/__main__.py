"""python3 -m hearsay COMMAND ...: all commands of the program, which also run protocols written in Python."""
import sys

from .engine import core

if __name__ == "__main__":
    module = core()
    if module is None:
        sys.exit("python3 -m hearsay needs the module hearsay._core for this Python; it is built and installed with the "
                 "program (see the page on installing)")
    sys.exit(module.command(sys.argv[1:]))
