"""python3 -m hearsay COMMAND ...: all commands of the program, which also run protocols written in Python."""
import signal
import sys

from .engine import core


def main():
    """Runs the command that the arguments name; returns its exit code."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # the program blocks it until here
        module = core()
        if module is None:
            print("hearsay: the module hearsay._core for this Python is missing; in a source tree run script/bootstrap "
                  "--python and script/build", file=sys.stderr)
            return 2
        return module.command(sys.argv[1:])
    except KeyboardInterrupt:
        print("hearsay: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
