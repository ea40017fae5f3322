"""Runs commands of hearsay: the program itself, or in children of a server (server.cpp), which start faster."""
import os
import resource
import signal
import subprocess
import threading
import time

import machine

SANITIZERS = {"ASAN_OPTIONS": "exitcode=99:detect_stack_use_after_return=1:detect_leaks=0",
              "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99:print_stacktrace=1"}


class Outcome:
    def __init__(self, status, out, err, seconds):
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
        self.out, self.err, self.seconds = out, err, seconds

    def fault(self):
        """What is wrong whatever the scenario: a signal, a sanitizer's report, an exit code that is not documented for
        a scenario. None if nothing is."""
        if self.signal in (signal.SIGALRM, signal.SIGXCPU):
            return "timeout"
        if self.signal and self.signal != signal.SIGKILL:
            return "signal %d" % self.signal
        if self.code == 99 or "Sanitizer" in self.err or "runtime error:" in self.err:
            return "sanitizer"
        if self.code not in (0, 2, 3, 5, 6) and not self.signal:
            return "exit code %d" % self.code
        return None


class Program:
    def __init__(self, path, is_server, seconds):
        self.path, self.is_server, self.seconds = path, is_server, seconds
        self.server = None
        self.streams = machine.scratch("random")
        self.environment = dict(os.environ, HEARSAY_DATA_DIR="", **SANITIZERS)
        self.commands = 0

    def run(self, folder, *arguments, kill_after=None):
        """Runs a command in a folder; kill_after: seconds until SIGKILL."""
        self.commands += 1
        out, err = self.streams.name + "/out", self.streams.name + "/err"
        begin = time.monotonic()
        if self.is_server:
            status = self._ask(folder, out, err, arguments, kill_after)
        else:
            status = self._start(folder, out, err, arguments, kill_after)
        return Outcome(status, _text(out), _text(err), time.monotonic() - begin)

    def _start(self, folder, out, err, arguments, kill_after):
        with open(out, "wb") as o, open(err, "wb") as e:
            process = subprocess.Popen([self.path, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=o, stderr=e,
                                       env=self.environment)
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (self.seconds, self.seconds + 5))
            timers = [threading.Timer(10 * self.seconds, process.send_signal, [signal.SIGALRM])]
            if kill_after is not None:
                timers.append(threading.Timer(kill_after, process.kill))
            for timer in timers:
                timer.start()
            code = process.wait()
            for timer in timers:
                timer.cancel()
        return code << 8 if code >= 0 else -code

    def _ask(self, folder, out, err, arguments, kill_after):
        if self.server is None or self.server.poll() is not None:
            self.server = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                           env=self.environment)
        line = "\x1f".join([os.path.abspath(folder), out, err, str(self.seconds), *arguments])
        self.server.stdin.write(line + "\n")
        self.server.stdin.flush()
        child = int(self.server.stdout.readline())
        timer = None
        if kill_after is not None:
            timer = threading.Timer(kill_after, _kill, [child])
            timer.start()
        status = int(self.server.stdout.readline())
        if timer is not None:
            timer.cancel()
            timer.join()
        return status

    def close(self):
        if self.server is not None:
            self.server.stdin.close()
            self.server.wait()
        self.streams.cleanup()


def _kill(child):
    try:
        os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _text(file):
    with open(file, errors="replace") as f:
        return f.read()
