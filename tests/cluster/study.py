"""A small study and the ways to run it."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

TABLES = ["series.csv", "scalars.csv", "runs.csv", "owners.csv", "nodes.csv", "links.csv", "models.csv"]
# Runs of about 20 ms at six points, two of which share their data.
SCENARIO = """{
  "name": "cluster",
  "data": {"type": "lending_like", "owners": 20, "records": 4000, "features": 10},
  "protocol": {"type": "central_async", "rho": 0.1},
  "privacy": {"epsilon": 1, "mechanism": "laplace", "clip": 20},
  "model": {"theta_max": 10},
  "stop": {"iterations": %d},
  "record": {"every": {"iterations": %d}, "metrics": ["relative_fitness"], "models": "final"},
  "sweep": {"privacy.epsilon": [0.5, 1, 10], "network.latency": [0, "10 ms"]},
  "repeat": %d
}
"""


def write_scenario(folder, iterations=500, repeat=10):
    file = pathlib.Path(folder) / "cluster.json"
    file.write_text(SCENARIO % (iterations, max(1, iterations // 20), repeat))
    return str(file)


def environment(**more):
    """Open MPI refuses to start as root, and to start more processes than there are processors, unless it is told to."""
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", **more)


def launch(ranks, words, **options):
    """Starts a command on ranks, as a separate process group."""
    command = ["mpirun", "-n", str(ranks), *map(str, words)] if ranks else list(map(str, words))
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True, **options)


def activity(session):
    """What the processes of a session do: their state and, where gdb is installed, their stacks."""
    pids = subprocess.run(["pgrep", "-s", str(session)], capture_output=True, text=True).stdout.split()
    text = subprocess.run(["ps", "-o", "pid,stat,time,wchan:20,args", "-p", ",".join(pids)], capture_output=True,
                          text=True).stdout
    for pid in pids if shutil.which("gdb") else []:
        with contextlib.suppress(subprocess.TimeoutExpired):
            text += subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all backtrace 20"],
                                   capture_output=True, text=True, timeout=60).stdout
    return text


def run(ranks, words, limit=120, **options):
    process = launch(ranks, words, **options)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        doing = activity(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"no end after {limit} s: {words}: {err[-1000:]}\n{doing}")
    return process.returncode, out, err


def rank_pids(program, process, count, limit=20):
    """The processes of the ranks, by rank, as soon as all are there."""
    end = time.monotonic() + limit
    while time.monotonic() < end and process.poll() is None:
        ranks = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (entry / "exe").resolve() != pathlib.Path(program).resolve():
                    continue
                variables = dict(v.split("=", 1) for v in (entry / "environ").read_text().split("\0") if "=" in v)
            except (OSError, UnicodeDecodeError):
                continue
            if os.getsid(int(entry.name)) == process.pid:
                ranks[int(variables.get("OMPI_COMM_WORLD_RANK", -1))] = int(entry.name)
        if len(ranks) == count:
            return ranks
        time.sleep(0.02)
    return {}


def tables(folder):
    return {name: (pathlib.Path(folder) / name).read_bytes() for name in TABLES}


def differing(one, other):
    a, b = tables(one), tables(other)
    return [name for name in TABLES if a[name] != b[name]]


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    return str(folder)
