"""A small study and the ways to run it."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import machine

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


BRANCHES = '"branches": {"at": {"iterations": 250}, "set": [{}, {"network.latency": "50 ms"}]},'


def write_scenario(folder, iterations=500, repeat=10, branches=False):
    file = pathlib.Path(folder) / ("branches.json" if branches else "cluster.json")
    text = SCENARIO % (iterations, max(1, iterations // 20), repeat)
    file.write_text(text.replace('"sweep"', BRANCHES + '"sweep"') if branches else text)
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


def run(ranks, words, limit=120, **options):
    return machine.finish(launch(ranks, words, **options), limit)


class Folder(unittest.TestCase):
    """Tests with a study that one thread has completed in `alone`."""
    program = None

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="hearsay-cluster-")
        cls.folder = pathlib.Path(cls.place.name)
        cls.scenario = write_scenario(cls.folder)
        cls.alone = str(cls.folder / "alone")
        code, _, err = run(0, [cls.program, "run", cls.scenario, "-j", 1, "-o", cls.alone, "--no-progress"])
        assert code == 0, err

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()


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
            # A process that is just being started shows its program before its environment.
            if "OMPI_COMM_WORLD_RANK" in variables and os.getsid(int(entry.name)) == process.pid:
                ranks[int(variables["OMPI_COMM_WORLD_RANK"])] = int(entry.name)
        if len(ranks) == count:
            return ranks
        time.sleep(0.02)
    return {}


def differing(one, other):
    a, b = machine.tables(one), machine.tables(other)
    return [name for name in {**a, **b} if a.get(name) != b.get(name)]


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    return str(folder)
