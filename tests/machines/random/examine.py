"""Runs one scenario in several ways, and compares them with each other and with what must hold."""
import copy
import json
import math
import os
import random
import shutil

import audits
import files
import invariants
import machine
from habits import kind as _kind

# Metrics that every protocol has.
ANY = ["messages", "time", "vectors", "bytes", "messages_lost", "fraction_up", "staleness", "epsilon_spent", "objective",
       "releases_by_owner", "epsilon_spent_by_owner", "delta_spent_by_owner.max", "epsilon_budget_by_owner"]


class Examination:
    def __init__(self, program, folder, scenario, seed):
        self.program, self.folder, self.scenario = program, folder, scenario
        self.seed, self.rng = seed, random.Random(seed)
        self.failures, self.seen = [], {}
        self.step = "run"

    def fail(self, name, text):
        self.failures.append((name if name == self.step else "%s: %s" % (self.step, name), text))

    def run(self, *arguments, kill_after=None, allowed=(0, 6)):
        outcome = self.program.run(self.folder, *arguments, kill_after=kill_after)
        fault = outcome.fault()
        command = "hearsay " + " ".join(arguments)
        if fault:
            self.fail(fault, "%s: %s" % (command, (outcome.err + outcome.out)[-3000:]))
        elif kill_after is None and outcome.code not in allowed:
            self.fail("another exit code", "%s: %d: %s" % (command, outcome.code, outcome.err[-500:]))
        return outcome

    def write(self, name, scenario):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            json.dump(scenario, f, indent=1)

    def examine(self, only=None):
        """All checks, or those of one step. Returns failures: (step: check, text)."""
        for name in ("a", "b", "c", "d"):
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)
        self.write("scenario.json", self.scenario)
        traced = copy.deepcopy(self.scenario)
        traced.setdefault("record", {})["trace"] = {"format": ["csv"]}
        self.write("traced.json", traced)
        first = self.run("run", "traced.json", "-o", "a", "-j", "1", "--no-progress", allowed=(0, 2, 3, 5, 6))
        self.seen["code"], self.seen["message"] = first.code, first.err
        if first.code not in (0, 6) or first.signal:
            return self.failures
        for name, text in invariants.check(os.path.join(self.folder, "a"), self.scenario):
            self.fail(name, text)
        steps = ((1, "same bits", lambda: self._again(first)), (1, "metrics", self._other_metrics),
                 (0.5, "resume", self._killed), (1, "pause", self._paused),
                 (1, "branches", self._branched), (0.3, "show", self._shown), (0.15, "verify", self._verified),
                 (1, "neighbours", self._neighbours), (1, "audit", self._audited))
        for share, self.step, check in steps:
            drawn = self.rng.random() < share
            if drawn if only is None else only != "run" and self.step in ("same bits", only):
                try:
                    check()
                except (KeyError, ValueError, IndexError, FileNotFoundError) as error:
                    self.fail("tables", "cannot be read: %r" % error)
        return self.failures

    def _same_tables(self, one, two, what):
        a, b = (machine.tables(os.path.join(self.folder, x)) for x in (one, two))
        for table in sorted(set(a) | set(b)):
            if a.get(table) != b.get(table):
                self.fail(self.step, "%s differs: %s: %s" % (table, what, _difference(a.get(table), b.get(table))))

    # Two threads, no trace (or the scenario's own), and so perhaps publications that are no events.
    def _again(self, first):
        second = self.run("run", "scenario.json", "-o", "b", "-j", "2", "--no-progress")
        self.usual = second.seconds
        if second.code != first.code:
            self.fail(self.step, "exit code %s, with two threads %s" % (first.code, second.code))
            return
        self._same_tables("a", "b", "one thread and a trace, two threads and none")
        with open(os.path.join(self.folder, "b", "manifest.json"), encoding="utf-8") as f:
            manifest = json.load(f, parse_constant=lambda word: self.fail("finite", "manifest.json has " + word))
        self.seen.update({key: manifest[key] for key in ("delivery", "done", "diverged", "failed", "events")})

    def _runs(self, name):
        return machine.rows(os.path.join(self.folder, name), "runs.csv")

    def _other_metrics(self):
        other = copy.deepcopy(self.scenario)
        other.pop("analysis", None)
        record = other.setdefault("record", {})
        metrics = record.get("metrics", ["relative_fitness", "objective"])
        kept = [metric for metric in metrics if self.rng.random() < 0.5]
        record["metrics"] = kept + [m for m in self.rng.sample(ANY, 3) if m not in kept]
        if "target" not in other["stop"]:
            # A run may last for years of its time.
            longest = max(float(run["time_s"]) for run in self._runs("b"))
            record["every"] = self.rng.choice([{"iterations": 7}, {"time": "%r s" % max(1.7, longest / 50)},
                                               {"bytes": 999}, {"vectors": 5}])
        record.pop("keep", None)
        self.write("metrics.json", other)
        outcome = self.run("run", "metrics.json", "-o", "c", "-j", "2", "--no-progress", allowed=(0, 2, 6))
        if outcome.code not in (0, 6):
            self.seen["metrics refused"] = 1
            return
        one, two = self._runs("b"), self._runs("c")
        for a, b in zip(one, two):
            if a["status"] == b["status"] == "done":
                changed = [key for key in a if key not in ("message", "events") and a[key] != b[key]]
                if changed:
                    self.fail("metrics", "other metrics change %s: %s" % (
                        changed, [(a[key], b[key]) for key in changed]))
        last = [_last_samples(os.path.join(self.folder, x), one, two) for x in ("b", "c")]
        for key in set(last[0]) & set(last[1]):
            if last[0][key] != last[1][key] and not _tracked(key, last[0][key], last[1][key]):
                self.fail("metrics", "the last %s: %s, with other metrics %s" % (key, last[0][key], last[1][key]))

    def _killed(self):
        command = ("run", "scenario.json", "-o", "d", "-j", "1", "--no-progress")
        usual = self.usual
        for _ in range(2):
            outcome = self.run(*command, kill_after=self.rng.uniform(0, 1) * usual)
            usual = max(usual, outcome.seconds)
            if outcome.signal:
                self.seen["killed"] = self.seen.get("killed", 0) + 1
        self.run(*command)
        self._same_tables("b", "d", "undisturbed, resumed after a kill")

    # Each run ends one to three times, and another process goes on from its state. The trace is the same too.
    def _paused(self):
        longest = max(float(run["time_s"]) for run in self._runs("b"))
        times = sorted(self.rng.uniform(0, longest) for _ in range(self.rng.randint(1, 3)))
        shutil.rmtree(os.path.join(self.folder, "d"), ignore_errors=True)
        command = ("run", "traced.json", "-o", "d", "-j", self.rng.choice("12"), "--no-progress")
        for time in times:
            outcome = self.run(*command, "--pause", "%r s" % time)
            if "goes on from" in outcome.err:
                self.seen["paused"] = self.seen.get("paused", 0) + 1
        outcome = self.run(*command)
        for word in ("is damaged", "is of another", "is not kept"):
            if word in outcome.err:
                self.fail("pause", "%s: %s" % (times, outcome.err[-500:]))
        if "goes on from" in outcome.err:
            self.seen["paused"] = self.seen.get("paused", 0) + 1
        self._same_tables("b", "d", "undisturbed, paused at %s" % times)
        one, two = (machine.tables(os.path.join(self.folder, x), ["trace.csv"]).get("trace.csv") for x in ("a", "d"))
        if one != two:
            self.fail("pause", "the trace differs after a pause at %s: %s" % (times, _difference(one, two)))

    # The branch without changes is the undisturbed run, and one with events is the run that has them from the start:
    # unless it begins otherwise then, with other timeouts or an expected number of releases.
    def _branched(self):
        longest = max(float(run["time_s"]) for run in self._runs("b"))
        base = copy.deepcopy(self.scenario)
        base.pop("analysis", None)
        base.pop("splitting", None)
        base.get("privacy", {}).pop("adversaries", None)
        at = self.rng.uniform(0, longest)
        law, events = self.rng.choice([
            {"network.latency": 0.3}, {"network.loss": 0.4}, {"network.bandwidth": 2e4}, {"network.compute_time": 0.2},
            {"network.loss": {"type": "gilbert_elliott", "loss_bad": 0.8}}, {}]), []
        first = self.rng.choice([1, 2])
        changes = [{"crash": [first], "for": 3, "state_on_return": self.rng.choice(["keep", "reset"])}, {"leave": [first]},
                   {"partition": [first], "for": 2}]
        if self.rng.random() < 0.5:
            # At the time of the branches, just before it, or at any; the return may be at the time of another's leave.
            away = self.rng.choice([at, 0.999 * at, self.rng.uniform(0, at)])
            base["events"] = (base.get("events") or []) + [{"at": away, "leave": [first]}]
            changes = [{"at": self.rng.choice([at, self.rng.uniform(at, longest + 1)]), "join": [first]}, changes[0], changes[2]]
        for event in changes:
            if self.rng.random() < (0.8 if "join" in event else 0.4):
                events.append({"at": self.rng.uniform(at, longest + 1), **event})
        branched, plain = copy.deepcopy(base), copy.deepcopy(base)
        branched["branches"] = {"at": at, "set": [{}, dict(law, **({"events": events} if events else {}))]}
        plain["events"] = (plain.get("events") or []) + ([{"at": at, "set": law}] if law else []) + events
        if not law and not events or not 0 < at < longest:
            return
        # After an iteration the other branch, whose events may not be later, has nothing to be compared with.
        most = max(int(run["iterations"]) for run in self._runs("b"))
        by_iteration = most > 1 and self.rng.random() < 0.3
        if by_iteration:
            branched["branches"]["at"] = {"iterations": self.rng.randrange(1, most)}
        for name, scenario in (("undisturbed", base), ("branched", branched), ("plain", plain)):
            self.write(name + ".json", scenario)
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)
            code = self.run("run", name + ".json", "-o", name, "-j", self.rng.choice("12"), "--no-progress",
                            allowed=(0, 2, 6)).code
            if code == 2:
                return
        self.seen["branched"] = 1
        same = begins_alike(scenario) and not by_iteration
        for point, other in ((0, "undisturbed"),) + ((1, "plain"),) * same:
            for table in ("runs.csv", "series.csv"):
                one = _without_branch(self.folder, "branched", table, point)
                two = _without_branch(self.folder, other, table, None)
                if one != two:
                    self.fail("branches", "%s of branch %d and of the %s run differ: %s" % (
                        table, point, other, _difference(*("\n".join(map(str, x)).encode() for x in (one, two)))))

    def _shown(self):
        shown = self.run("show", "scenario.json")
        with open(os.path.join(self.folder, "shown.json"), "w", encoding="utf-8") as f:
            f.write(shown.out)
        again = self.run("run", "shown.json", "-o", "b", "--no-progress")
        # Runs that failed are made again.
        if again.code in (0, 6) and ", %d to run" % self.seen["failed"] not in again.err + again.out:
            self.fail("show", "what show prints is another study: " + (again.err + again.out)[:500])

    def _verified(self):
        self.run("verify", "b", allowed=(0,))

    # One record changes no event of a private run whose manifest lists no exact read. Only the server has this command.
    def _neighbours(self):
        if self.program.is_server:
            # Of files one record is changed before anything is fitted to it; else, of the data as they are used.
            files.write_neighbours(self.folder)
            self.write(os.path.join(files.NEIGHBOURS, "scenario.json"), self.scenario)
            for others in [()] + [(files.NEIGHBOURS + "/scenario.json",)] * (_kind(self.scenario.get("data")) == "csv"):
                outcome = self.run("neighbours", "scenario.json", *others, allowed=(0, 2))
                listed, difference = (outcome.out + "\n\n").split("\n")[:2]
                self.seen["neighbours"] = self.seen.get("neighbours", 0) + int(listed == "nothing listed")
                if listed == "nothing listed" and difference:
                    self.fail("neighbours", difference)

    def _audited(self):
        if _kind(self.scenario.get("privacy", {}).get("mechanism")) != "none":
            audits.check(self, self.seed)


def _difference(a, b):
    if a is None or b is None:
        return "one is missing"
    for number, (x, y) in enumerate(zip(a.split(b"\n"), b.split(b"\n"))):
        if x != y:
            return "line %d: %s, %s" % (number + 1, x.decode()[:300], y.decode()[:300])
    return "lengths %d, %d" % (len(a), len(b))


# The rows of one branch, in the order of the study, or of a study without branches.
def _without_branch(folder, name, table, point):
    rows = machine.rows(os.path.join(folder, name), table)
    names = list(dict.fromkeys(row["branch"] for row in rows)) if point is not None else [None]
    return [[(key, value) for key, value in row.items() if key not in ("branch", "message", "fingerprint")]
            for row in rows if row.get("branch") == (names[point] if len(names) > 1 or point == 0 else None)]


def begins_alike(scenario):
    """Whether a run does not depend on what comes later: events decide about timeouts, and how many releases there are."""
    text = json.dumps(scenario.get("privacy", {}).get("steps"))
    return "expected" not in text and _kind(scenario["protocol"]) in (
        "gossip_learning", "push_sum", "epidemic", "p2p_coordinate_descent", "model_propagation", "local_only", "local_dp", "pooled")


# The objective Q is updated from sample to sample, so that its last digits depend on when these are.
def _tracked(key, one, other):
    return key[-2] in ("objective_q", "q_gap", "relative_q_gap") and math.isclose(
        float(one), float(other), rel_tol=1e-9, abs_tol=1e-9)


# The last sample of each metric in runs that are done in both studies.
def _last_samples(folder, one, two):
    done = {_key(a, "repetition") for a, b in zip(one, two) if a["status"] == b["status"] == "done"}
    found = {}
    for row in machine.rows(folder, "series.csv"):
        if _key(row, "repetition") in done:
            found[_key(row, "agent")] = row["value"]
    return found


def _key(row, last):
    names = list(row)
    return tuple(row[name] for name in names[:names.index(last) + 1])
