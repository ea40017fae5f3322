"""python3 -m hearsay COMMAND ...: all commands of the program, which also run protocols written in Python."""
import sys

from .engine import core


def main():
    """Runs the command that the arguments name; returns its exit code."""
    module = core()
    if module is None:
        sys.exit("python3 -m hearsay needs the module hearsay._core for this Python; it is built and installed with the "
                 "program (see the page on installing)")
    return module.command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
