"""Runs of the program: a scenario and its data go in, the events of a trace and the ledger's tables come out."""
import json
import os
import shutil
import subprocess

import machine

LIMIT = 600  # s; a command that takes longer has hung


class Refused(Exception):
    """The program ended with an error; the first argument is its exit code."""


class Program:
    def __init__(self, executable, folder):
        self.executable, self.folder = os.path.abspath(executable), folder

    def write(self, name, scenario, tables):
        """Writes a scenario and the files `tables` {name: text} beside it. Returns their folder."""
        place = os.path.join(self.folder, name)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        for file, text in tables.items():
            with open(os.path.join(place, file), "w", encoding="utf-8") as out:
                out.write(text)
        with open(os.path.join(place, "scenario.json"), "w", encoding="utf-8") as out:
            json.dump(scenario, out, indent=1)
        return place

    def run(self, name, scenario, tables):
        """Runs the first repetition of a scenario, with all its tables."""
        place = self.write(name, scenario, tables)
        self.call("run", "scenario.json", "-o", "results", "--no-progress", place=place)
        return Results(place)

    def trace(self, place, repetition, kinds):
        """The trace of a repetition of the scenario that is written there."""
        self.call("trace", "scenario.json", "--set", f"repeat={repetition + 1}", "--repetition", str(repetition),
                  "--kinds", kinds, "--payload", "-o", "trace.csv", place=place)
        return Trace(os.path.join(place, "trace.csv"))

    def call(self, *arguments, place):
        code, out, err = machine.finish(subprocess.Popen([self.executable, *arguments], cwd=place, text=True,
                                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE), LIMIT)
        if code != 0:
            raise Refused(code, err.strip() or out.strip())
        return out


class Results:
    def __init__(self, place):
        self.place = place

    def path(self, file):
        return os.path.join(self.place, "results", file)

    def trace(self):
        return Trace(self.path("trace.csv"))

    def final(self, metric):
        """The last value of a metric in the table of series."""
        rows = machine.rows(os.path.join(self.place, "results"), "series.csv")
        return float([row for row in rows if row["metric"] == metric][-1]["value"])

    def models(self):
        """The value of the only parameter of each repetition's only model."""
        with open(self.path("models.csv"), encoding="utf-8") as rows:
            if next(rows) != "repetition,agent,parameter,name,value\n":
                raise ValueError("models.csv: unexpected columns")
            return [float(row[row.rindex(",") + 1:]) for row in rows]

    def manifest(self):
        with open(self.path("manifest.json"), encoding="utf-8") as file:
            return file.read()


class Trace:
    """What the rows of a trace say, by agent, in the order of the file.

    sent[agent]       vectors that it sent to the learner or server, or published (to several neighbours: once)
    received[agent]   vectors that agent 0 sent to it
    given[agent]      vectors that its releases gave out
    charges[agent]    (epsilon, spent, delta) of each of its releases
    """

    def __init__(self, file):
        self.sent, self.received, self.given, self.charges = {}, {}, {}, {}
        with open(file, encoding="utf-8") as rows:
            head = next(rows).rstrip("\n").split(",")
            column = {name: i for i, name in enumerate(head)}
            missing = {"event", "agent", "peer", "detail", "payload"} - column.keys()
            if missing or head[-1] != "payload":
                raise ValueError("trace.csv: unexpected columns: " + ",".join(head))
            # Faster than csv.DictReader on millions of rows; no text before the payload contains a comma.
            event, of, peer, detail, last = (column[name] for name in ("event", "agent", "peer", "detail", "payload"))
            sent, received = self.sent, self.received
            for row in rows:
                fields = row.split(",", last)
                kind, agent, payload = fields[event], int(fields[of]), fields[last]
                if kind == "release":
                    charge = [part.partition("=")[2] for part in fields[detail].split()]
                    self.charges.setdefault(agent, []).append(tuple(charge[1:]))
                    self.given.setdefault(agent, []).append(payload)
                elif agent == 0 and kind == "send":
                    received.setdefault(int(fields[peer]), []).append(payload)
                elif agent not in sent:
                    if payload != "\n":
                        sent[agent] = [payload]
                elif kind == "send" or sent[agent][-1] != payload:
                    sent[agent].append(payload)


def numbers(payload):
    return [float(x) for x in payload.split()]
