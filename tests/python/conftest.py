import json
import os
import shutil
import sys
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis" / "python"))

SMALL = {
    "version": 1, "name": "small", "seed": 1,
    "data": {"type": "lending_like", "owners": 3, "records": 50, "features": 2},
    "model": {"theta_max": 10},
    "network": {"topology": "star", "latency": {"type": "uniform", "min": "0 ms", "max": "15 ms"}, "loss": 0.2},
    "protocol": {"type": "central_async", "rho": 0.02, "timeout": "1 s"},
    "privacy": {"mechanism": "laplace", "epsilon": 10, "clip": 100},
    "stop": {"iterations": 40},
    "record": {"every": {"iterations": 10}, "metrics": ["relative_fitness", "releases_by_owner"],
               "trace": {"format": ["csv"]}},
    "sweep": {"privacy.epsilon": [1, 10], "network.availability": ["always", {"type": "coin", "probability": 0.9}]},
    "repeat": 3,
}


@pytest.fixture(scope="session")
def hearsay():
    """The package, with the program that was built."""
    program = os.environ.get("HEARSAY_PROGRAM") or str(ROOT / "build" / "release" / "hearsay")
    if shutil.which(program) is None:
        pytest.skip(f"no program {program}")
    os.environ["HEARSAY_PROGRAM"] = program
    import hearsay as package
    return package


@pytest.fixture(scope="session")
def small(hearsay, tmp_path_factory):
    """A study of four points and three repetitions, run once."""
    return hearsay.run(SMALL, output=tmp_path_factory.mktemp("small") / "study")


@pytest.fixture
def written(tmp_path):
    """A study whose tables are written by hand: two points, two repetitions each, a diverged run, a metric by owner.

    Point 1, metric loss: repetition 0 is 8 at time 0, 4 at 1, 2 at 3; repetition 1 is 10 at 0, 6 at 2.
    Point 2: one run that is done, 1 at time 0, and one that diverged.
    Metric share, by owner (agents 1 and 2), at point 1 and repetition 0: 1 and 3 at time 0; 2 and 6 at time 1.
    """
    (tmp_path / "manifest.json").write_text(json.dumps({"scenario": {"seed": 1}, "notes": []}))
    (tmp_path / "runs.csv").write_text(
        "size,repetition,status,end,iterations,time_s,fingerprint,message\n"
        "1,0,done,iterations,2,3,aa,\n1,1,done,iterations,1,2,bb,\n"
        "2,0,done,iterations,0,0,cc,\n2,1,diverged,failed,0,0,dd,\"loss, too large\"\n")
    (tmp_path / "series.csv").write_text(
        "size,repetition,metric,agent,iteration,time_s,vectors,bytes,value\n"
        "1,0,loss,,0,0,0,0,8\n1,0,share,1,0,0,0,0,1\n1,0,share,2,0,0,0,0,3\n"
        "1,0,loss,,1,1,2,16,4\n1,0,share,1,1,1,2,16,2\n1,0,share,2,1,1,2,16,6\n"
        "1,0,loss,,2,3,4,32,2\n"
        "1,1,loss,,0,0,0,0,10\n1,1,loss,,1,2,2,16,6\n"
        "2,0,loss,,0,0,0,0,1\n2,1,loss,,0,0,0,0,nan\n")
    return tmp_path
