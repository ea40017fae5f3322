"""Studies on the ranks of an MPI launcher: the same tables as on one thread, errors in one line, ranks that are killed."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import machine
import study


class Ranks(study.Folder):
    kills = seed = None

    @classmethod
    def setUpClass(cls):
        if "\nMPI: " not in subprocess.run([cls.program, "--version"], capture_output=True, text=True, check=True).stdout:
            raise unittest.SkipTest("this build has no MPI (script/bootstrap --mpi installs it)")
        if shutil.which("mpirun") is None:
            raise unittest.SkipTest("needs mpirun (Debian package openmpi-bin)")
        super().setUpClass()

    def words(self, folder, *more):
        return [self.program, "run", self.scenario, "-j", 1, "-o", folder, "--no-progress", *more]

    def test_same_tables(self):
        for ranks in (1, 2, 4):
            folder = self.folder / f"ranks{ranks}"
            code, out, err = study.run(ranks, self.words(folder))
            self.assertEqual(code, 0, err)
            self.assertEqual(study.differing(self.alone, folder), [])
            self.assertIn("60 runs: 0 cached, 60 to run", err)
            # One line for each rank that works, and together they have made all runs.
            rows = re.findall(r"^ +(\d+) +\S+ +1 +(\d+) +\S+ +\S+ %$", err, re.M)
            self.assertEqual([int(rank) for rank, _ in rows], list(range(1, ranks)))
            self.assertEqual(sum(int(runs) for _, runs in rows), 60 if ranks > 1 else 0)

    def test_branches(self):
        scenario = study.write_scenario(self.folder, repeat=3, branches=True)
        for ranks in (0, 2, 3):
            words = [self.program, "run", scenario, "-j", 1, "-o", self.folder / f"branches{ranks}", "--no-progress"]
            code, _, err = study.run(ranks, words)
            self.assertEqual(code, 0, err)
            self.assertIn("36 runs: 0 cached, 36 to run", err)
            self.assertEqual(study.differing(self.folder / "branches0", self.folder / f"branches{ranks}"), [])

    def test_many_short_runs(self):
        """Orders and reports are too large for MPI to buffer: none may wait for the other."""
        scenario = study.write_scenario(self.make("short"), 1, 5000)
        words = [self.program, "run", scenario, "--set", "data.records=20", "--set", "data.owners=2", "--no-progress"]
        self.assertEqual(study.run(0, [*words, "-o", self.folder / "short1"])[0], 0)
        code, _, err = study.run(3, [*words, "-j", 1, "-o", self.folder / "short3"], limit=60)
        self.assertEqual(code, 0, err)
        self.assertEqual(study.differing(self.folder / "short1", self.folder / "short3"), [])

    def test_several_threads_and_resuming(self):
        folder = self.folder / "threads"
        code, _, err = study.run(3, [self.program, "run", self.scenario, "--set", "repeat=4", "-o", folder, "-j", 2])
        self.assertEqual(code, 0, err)
        code, _, err = study.run(3, self.words(folder))
        self.assertEqual(code, 0, err)
        self.assertIn("60 runs: 24 cached, 36 to run", err)
        self.assertEqual(study.differing(self.alone, folder), [])

    def test_runs_that_fail(self):
        """An owner with fewer records than features cannot be whitened: that costs the run, not the study."""
        words = self.words("", "--set", "data.draw=repetition", "--set", "data.whiten=true", "--set", "data.owners=2",
                           "--set", 'data.records={"type":"uniform_integer","min":9,"max":30}', "--seed", 6)
        folders = [str(self.folder / name) for name in ("failed1", "failed3")]
        for ranks, folder in zip((0, 3), folders):
            words[words.index("-o") + 1] = folder
            code, _, err = study.run(ranks, words)
            self.assertEqual(code, 6, err)
        self.assertEqual(study.differing(*folders), [])
        runs = (pathlib.Path(folders[0]) / "runs.csv").read_text()
        self.assertIn(",failed,", runs)
        self.assertIn(",done,", runs)

    def test_progress_as_json(self):
        scenario = study.write_scenario(study.fresh(self.folder / "long") and self.make("long"), 5000, 4)
        code, _, err = study.run(3, [self.program, "run", scenario, "-j", 1, "-o", self.folder / "json", "--json-progress"])
        self.assertEqual(code, 0, err)
        lines = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
        self.assertGreater(len(lines), 0)
        last = lines[-1]
        self.assertEqual((last["runs"], last["stored"]), (24, 24))
        self.assertEqual([r["rank"] for r in last["ranks"]], [1, 2])
        self.assertEqual(sum(r["runs"] for r in last["ranks"]), 24)

    def make(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder

    def test_errors_are_told_once(self):
        folder = self.folder / "errors"
        for words, text, code in [
                (self.words(folder, "--set", "protocol.type=central_asinc"), "did you mean 'central_async'", 2),
                (self.words(folder, "--sett", "x"), "--sett", 2),
                # Only the data show it, and other ranks than 0 make them.
                (self.words(folder, "--set", "data.records=5", "--set", "data.whiten=true"), "too few for 10 features", 2)]:
            found, _, err = study.run(3, words)
            own = [line for line in err.splitlines() if text in line]
            self.assertEqual((found, len(own)), (code, 1), err)
            self.assertFalse((folder / "results.sqlite").exists())

    def test_other_files_on_a_rank(self):
        scenario = json.loads(pathlib.Path(self.scenario).read_text())
        run = 'exec "$0" run $OMPI_COMM_WORLD_RANK.json -j 1 -o out --no-progress'
        # Of the runs, the descriptions of points, the trace.
        for key, value in (("stop", {"iterations": 501}), ("baselines", ["isolated"]),
                           ("record", {**scenario["record"], "trace": {"format": ["csv"]}})):
            with self.subTest(key=key):
                folder = self.make(f"files-{key}")
                (folder / "0.json").write_text(json.dumps({**scenario, key: value}))
                (folder / "1.json").write_text(json.dumps(scenario))
                code, _, err = study.run(2, ["sh", "-c", run, self.program], cwd=folder)
                self.assertEqual(code, 2, err)
                self.assertIn("has another study than rank 0", err)
                self.assertFalse((folder / "out/results.sqlite").exists())

    def test_another_process_writes_there(self):
        folder = self.folder / "locked"
        first = study.launch(2, self.words(folder, "--set", "repeat=1000"))
        ranks = study.rank_pids(self.program, first, 2)
        try:
            self.assertEqual(len(ranks), 2)
            machine.wait_until((folder / "results.sqlite").exists, first)
            # It stands still until the second has ended: ranks that share processors may not start for minutes.
            for pid in ranks.values():
                os.kill(pid, signal.SIGSTOP)
            code, _, err = study.run(2, self.words(folder))
            self.assertEqual(code, 4, err)
            self.assertIn("another hearsay process is writing", err)
        finally:
            for pid in ranks.values():
                os.kill(pid, signal.SIGKILL)
            os.killpg(first.pid, signal.SIGKILL)
            first.communicate()

    @unittest.skipIf(os.getuid() != 0, "needs root, to mount a small file system")
    def test_full_disk_of_rank_0(self):
        disk = self.make("disk")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "none", disk], capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted: " + mounted.stderr)
        try:
            folder = disk / "out"
            code, _, err = study.run(3, self.words(folder))
            self.assertEqual(code, 4, err)
            self.assertEqual(len([line for line in err.splitlines() if "run the same command to resume" in line]), 1, err)
            subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
            self.check_resumes(folder)
        finally:
            subprocess.run(["umount", disk], check=True)

    def stored(self, folder):
        """The runs that are whole."""
        if not (folder / "results.sqlite").exists():
            return 0
        # Writable: what a killed process has left half-written is undone first.
        base = sqlite3.connect(f"file:{folder / 'results.sqlite'}?mode=rw", uri=True)
        try:
            return base.execute("SELECT count(*) FROM run WHERE status = 'done' AND repetition < 10").fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # no table yet
        finally:
            base.close()

    def check_resumes(self, folder):
        before = self.stored(folder)
        code, _, err = study.run(3, self.words(folder))
        self.assertEqual(code, 0, err)
        self.assertIn(f"60 runs: {before} cached, {60 - before} to run", err)
        self.assertEqual(study.differing(self.alone, folder), [])

    def test_killed_ranks(self):
        rng = random.Random(self.seed)
        for kill in range(self.kills):
            folder = pathlib.Path(study.fresh(self.folder / "killed"))
            with self.subTest(seed=self.seed, kill=kill):
                process = study.launch(3, self.words(folder))
                ranks = study.rank_pids(self.program, process, 3)
                self.assertEqual(sorted(ranks), [0, 1, 2])
                time.sleep(rng.uniform(0, 1.5))
                try:
                    os.kill(ranks[rng.randrange(3)], signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it has ended
                try:
                    process.communicate(timeout=30)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.communicate()
                    self.fail("the other ranks went on for 30 s")
                self.check_resumes(folder)

    def test_interrupted(self):
        for how in ("SIGTERM to rank 0", "Ctrl-C"):
            folder = pathlib.Path(study.fresh(self.folder / "interrupted"))
            with self.subTest(how=how):
                process = study.launch(3, self.words(folder, "--set", "repeat=60"))
                ranks = study.rank_pids(self.program, process, 3)
                machine.wait_until((folder / "results.sqlite").exists, process)
                time.sleep(0.5)
                os.kill(ranks[0] if how.startswith("SIGTERM") else process.pid,
                        signal.SIGTERM if how.startswith("SIGTERM") else signal.SIGINT)
                _, err = process.communicate(timeout=30)
                self.assertNotEqual(process.returncode, 0)
                if how.startswith("SIGTERM"):
                    self.assertIn("run the same command to resume", err)
                self.check_resumes(folder)

    def test_select(self):
        file = self.folder / "select.json"
        scenario = json.loads(pathlib.Path(self.scenario).read_text())
        scenario.update({"repeat": 3, "stop": {"iterations": 500}, "sweep": {
            "protocol.rho": [0.01, 0.1, 1], "select": {"over": "protocol.rho", "minimise": "relative_fitness", "on": "test"}}})
        scenario["record"].update({"snapshot": {"iterations": 100}, "trace": {"format": ["csv"]}})
        file.write_text(json.dumps(scenario))
        code, _, err = study.run(0, [self.program, "run", file, "-o", self.folder / "selected1", "-j", 1])
        self.assertEqual(code, 0, err)
        code, _, err = study.run(3, [self.program, "run", file, "-o", self.folder / "selected3", "-j", 1])
        self.assertEqual(code, 0, err)
        self.assertEqual(study.differing(self.folder / "selected1", self.folder / "selected3"), [])
        # Traces and states of the selection are in its folder.
        files = [sorted(str(file.relative_to(folder)) for file in folder.rglob("*"))
                 for folder in (self.folder / "selected1", self.folder / "selected3")]
        self.assertIn("selection/trace.csv", files[0])
        self.assertEqual(files[0], files[1])
