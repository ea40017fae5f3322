#!/usr/bin/env python3
"""Studies in parts: the scripts in docs/clusters.md, run as they are written there, by GNU parallel and by a cluster of
Slurm with one node, give the tables of one thread.

  tests/cluster/batch.py PROGRAM
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import slurm  # noqa: E402
import study  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/clusters.md"


def script(*words):
    """The script of the page that contains these words."""
    found = [block for block in re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
             if all(word in block for word in words)]
    assert len(found) == 1, f"{len(found)} scripts of {PAGE} contain {words}"
    return found[0]


def sized(text, **sizes):
    """The script with the sizes of this machine."""
    for option, value in sizes.items():
        text, count = re.subn(rf"--{option.replace('_', '-')}=\S+", f"--{option.replace('_', '-')}={value}", text)
        assert count == 1, f"{option} is given {count} times"
    return text


class Parts(unittest.TestCase):
    program = None

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="hearsay-batch-")
        cls.folder = pathlib.Path(cls.place.name)
        cls.scenario = study.write_scenario(cls.folder)
        cls.alone = str(cls.folder / "alone")
        code, _, err = study.run(0, [cls.program, "run", cls.scenario, "-j", 1, "-o", cls.alone, "--no-progress"])
        assert code == 0, err
        cls.environment = study.environment(STUDY=cls.scenario, PATH=f"{pathlib.Path(cls.program).parent}:{os.environ['PATH']}")

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def setUp(self):
        self.here = self.folder / self.id().rpartition(".")[2]
        self.here.mkdir()

    def shell(self, text, **environment):
        done = subprocess.run(["bash", "-e", "-c", text], cwd=self.here, env=dict(self.environment, **environment),
                              capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    @unittest.skipIf(shutil.which("parallel") is None, "needs the Debian package parallel")
    def test_parallel(self):
        self.shell(script("parallel -j"))
        self.assertEqual(study.differing(self.alone, self.here / "out/study"), [])

    @unittest.skipIf(slurm.missing(), slurm.missing())
    def test_slurm(self):
        (self.here / "array.sbatch").write_text(sized(script("--array"), array="1-3", cpus_per_task=1))
        (self.here / "study.sbatch").write_text(sized(script("SLURM_NNODES"), nodes=1, cpus_per_task=2))
        with slurm.Cluster(self.folder / "slurm") as cluster:
            self.shell(script("--dependency").replace("study.json", self.scenario), **cluster.environment | {
                "PATH": self.environment["PATH"]})
            cluster.wait_for_jobs()
            logs = "".join(f.read_text() for f in self.here.glob("slurm-*.out"))
            self.assertEqual(study.differing(self.alone, self.here / "out/study"), [], logs)
            self.assertEqual(len(list(self.here.glob("out/part-*"))), 3)
            if "\nMPI: " not in self.shell("hearsay --version"):
                return
            shutil.rmtree(self.here / "out")
            self.shell(f"sbatch --export=ALL,STUDY={self.scenario} study.sbatch", **cluster.environment | {
                "PATH": self.environment["PATH"], **{name: self.environment[name] for name in self.environment
                                                     if name.startswith("OMPI_")}})
            cluster.wait_for_jobs()
            logs = "".join(f.read_text() for f in self.here.glob("slurm-*.out"))
            self.assertEqual(study.differing(self.alone, self.here / "out/study"), [], logs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    Parts.program = given.program
    result = unittest.main(argv=[sys.argv[0], *given.tests], exit=False, verbosity=2).result
    if not result.wasSuccessful():
        return 1
    return 77 if len(result.skipped) == result.testsRun else 0


sys.exit(main())
