#!/usr/bin/env python3
"""Draws the figures of every shipped scenario, shrunk: one or two values of each swept option, one repetition, few
events. A scenario whose data are not here is left out.

    shipped.py HEARSAY [--every N] [SCENARIO...]      --every 4: only the first of each four
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("program", type=os.path.abspath)
parser.add_argument("scenarios", nargs="*", type=pathlib.Path)
parser.add_argument("--every", type=int, default=1)
GIVEN = parser.parse_args()
ROOT = pathlib.Path(__file__).resolve().parents[2] / "scenarios"


def run(*arguments):
    return subprocess.run([GIVEN.program, *map(str, arguments)], capture_output=True, text=True)


def few(axis):
    if isinstance(axis, list):
        return axis[:2]
    return {**{k: v for k, v in axis.items() if k != "step"}, "count": 2} if "from" in axis else axis


def changes(scenario):
    """--set options that shrink a scenario."""
    sweep = scenario.get("sweep") or {}
    small, swept = {}, set()
    for key, axis in sweep.items():
        if key == "zip":
            small[key] = [{k: few(v) for k, v in group.items()} for group in axis]
            swept.update(*axis)
        elif key not in ("where", "select"):
            # What is tuned may belong to any of the protocols.
            whole = key == "random_numbers" or (key == "protocol" and scenario.get("tune"))
            small[key] = axis if whole else few(axis)
            swept.add(key)
    sets = {"repeat": 1, "analysis": {}}
    if "stop" not in swept:
        sets["stop.events"] = 2000
    if sweep:
        sets["sweep"] = small
    return [text for key, value in sets.items() for text in ("--set", f"{key}={json.dumps(value)}")]


files = (GIVEN.scenarios or sorted(
    f for f in ROOT.rglob("*.json") if "presets" not in f.parts and not f.name.endswith(".schema.json")))[::GIVEN.every]
drawn, absent, faults = 0, [], []
for file in files:
    with tempfile.TemporaryDirectory() as folder:
        made = run("show", file)
        if made.returncode == 0:
            made = run("run", file, *changes(json.loads(made.stdout)), "--no-progress", "-o", folder)
        if made.returncode not in (0, 6):
            (absent if "there is no file" in made.stderr or "data-dir" in made.stderr else faults).append(
                f"{file}: {made.stderr.strip()[:300]}")
            continue
        done = run("figures", folder)
        if done.returncode != 0 or not done.stdout:
            faults.append(f"{file}: {done.stderr.strip()[:300]}")
        drawn += len(done.stdout.splitlines())
if faults or drawn == 0:
    sys.exit("\n".join(faults) or "nothing was drawn")
print(f"{drawn} figures of {len(files) - len(absent)} scenarios; data are missing for {len(absent)}")
