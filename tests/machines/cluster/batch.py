"""Studies in parts: the scripts in docs/clusters.md, run as they are written there, by GNU parallel and by a cluster of
Slurm with one node, give the tables of one thread."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import slurm
import study
from machine import ROOT

PAGE = ROOT / "docs/clusters.md"


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


class Parts(study.Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment = study.environment(STUDY=cls.scenario, PATH=f"{pathlib.Path(cls.program).parent}:{os.environ['PATH']}")

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
