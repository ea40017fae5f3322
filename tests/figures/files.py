#!/usr/bin/env python3
"""The files of `hearsay figures`: as many marks as the trace has events, the same bytes again, nothing half written.

    files.py HEARSAY
"""
import collections
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

PROGRAM = os.path.abspath(sys.argv[1])
HERE = pathlib.Path(__file__).parent
SVG = "{http://www.w3.org/2000/svg}"


def check(holds, what):
    if not holds:
        sys.exit(f"figures: {what}")


def hearsay(*arguments, code=0, **more):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **more)
    check(done.returncode == code, f"hearsay {arguments}: exit code {done.returncode}, not {code}: {done.stderr}")
    return done


def figures(study, *arguments):
    return [pathlib.Path(line) for line in hearsay("figures", study, *arguments).stdout.splitlines()]


def marks(root, name):
    """The number of marks of a layer."""
    groups = [g for g in root.iter(f"{SVG}g") if f"{name}_marks" in g.get("class", "").split()]
    return sum(len([e for e in g if e.tag != f"{SVG}title"]) for g in groups)


def rows(study):
    with open(study / "trace.csv", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["agent"] or row["event"] == "event"]


def window(study, begin, end):
    """What a timeline from `begin` to `end` shows, counted from the table."""
    sent, counts, since, up = {}, collections.Counter(), {}, None
    last = max(float(r["time_s"]) for r in rows(study) if float(r["time_s"]) <= end)
    stale = {r["message"] for r in rows(study) if r["detail"] == "stale"}
    # A tick does something if the next row is caused by it, or comes after one more iteration.
    all_rows = rows(study)
    for row, following in zip(all_rows, [*all_rows[1:], {"cause": None, "iteration": 0}]):
        time, kind = float(row["time_s"]), row["event"]
        inside = begin <= time <= last
        if kind == "send":
            sent[row["message"]] = time
        elif kind == "deliver" or kind == "lose":
            if time >= begin and sent[row["message"]] <= last and not (kind == "deliver" and row["message"] in stale):
                counts[kind] += 1
        elif kind == "down":
            since[row["agent"]] = time
        elif kind == "up":
            counts["down"] += since[row["agent"]] <= last and time >= begin
            del since[row["agent"]]
        elif kind == "event":
            counts["event"] += inside
        elif kind == "tick":
            counts["moment"] += inside and (following["cause"] == row["cause"] or int(following["iteration"]) > int(row["iteration"]))
        elif kind != "skip" and not row["detail"].endswith("(no effect)"):
            counts["moment"] += inside
    counts["down"] += sum(time <= last for time in since.values())
    return counts


def timeline(folder):
    study = folder / "traced"
    hearsay("run", HERE / "traced.json", "-o", study, "--no-progress")
    agents = {row["agent"] for row in rows(study)} - {""}
    for begin, end in ((0, 20), (5, 12)):
        (file,) = figures(study, "--figure", "timeline", "--from", begin, "--to", end)
        root, counts = xml.parse(file).getroot(), window(study, begin, end)
        check(min(counts[k] for k in ("deliver", "lose", "down", "event", "moment")) > 0, f"too little to count: {counts}")
        for layer, expected in (("lanes", len(agents)), ("messages", counts["deliver"]), ("heads", counts["deliver"]),
                                ("losses", counts["lose"]), ("crosses", counts["lose"]), ("down", counts["down"]),
                                ("events", counts["event"]), ("moments", counts["moment"])):
            found = marks(root, layer)
            check(found == expected, f"from {begin} to {end} s: {found} marks of {layer}, not {expected}")
        caption = root.find(f"{SVG}desc").text
        check(caption.count(f"{begin} to ") == 1, f"a caption that does not state its window once: {caption}")
    # By its name, an agent and those that it exchanges messages with.
    (file,) = figures(study, "--figure", "timeline", "--agent", "owner 2")
    involved = {a for row in rows(study) if "2" in (row["agent"], row["peer"]) for a in (row["agent"], row["peer"])} - {""}
    found = marks(xml.parse(file).getroot(), "lanes")
    check(found == len(involved) == 2, f"{found} lanes of one agent, not {len(involved)}")
    done = hearsay("figures", study, "--agent", "owner 9", code=2)
    check("expected an agent, by its number from 0 to 3 or its name, found 'owner 9'" in done.stderr, done.stderr)
    (file,) = figures(study, "--figure", "availability")
    check(marks(xml.parse(file).getroot(), "up") == 1, "no curve of availability")
    files = {f.name for f in figures(study)}
    check({"timeline.svg", "latency.svg", "staleness.svg", "availability.svg", "relative_fitness-over-iteration.svg"} <= files,
          f"files: {files}")
    return study


def same_bytes(study):
    first = figures(study, "-o", study / "one")
    for file in first:
        root = xml.parse(file).getroot()
        check(root.find(f"{SVG}title").text and "{" not in root.find(f"{SVG}desc").text, f"{file}: title or caption")
        check(file.stat().st_size < 200_000, f"{file} is large")
    for file in figures(study, "-o", study / "two"):
        check(file.read_bytes() == (study / "one" / file.name).read_bytes(), f"{file} differs")
    # Whatever else is drawn.
    for file in figures(study, "-o", study / "three", "--figure", "timeline"):
        check(file.read_bytes() == (study / "one" / file.name).read_bytes(), f"{file} differs alone")
    check(not list(study.rglob("*.tmp")), "temporary files are left")


def choices(folder):
    study = folder / "swept"
    hearsay("run", HERE / "study.json", "-o", study, "--no-progress")
    names = lambda *arguments: {f.name for f in figures(study, *arguments)}
    every = names()
    check(len(every) == len(figures(study)), "two figures have one file")
    one = names("--metric", "relative_fitness", "--over", "time", "--show", "mean", "--scale", "linear")
    check("relative_fitness-over-time.svg" in one and not any(n.startswith("epsilon_spent") for n in one), f"metric: {one}")
    # At one value of an axis nothing is against it, and at none of its values there is no point.
    some = names("-o", study / "some", "--at", "privacy.epsilon=1", "--at", "network.loss=0")
    check(not any("by-privacy.epsilon" in n or "by-network.loss" in n for n in some), f"axes: {some}")
    check("relative_fitness-by-network.latency.max.svg" in some, f"axes: {some}")
    caption = xml.parse(study / "some" / "relative_fitness-over-iteration.svg").getroot().find(f"{SVG}desc").text
    check("privacy.epsilon = 1" in caption and "network.loss = 0" in caption, f"a caption without --at: {caption}")
    # The traced run is at another point.
    check("timeline.svg" in every and "timeline.svg" not in some, "the trace of a point that is not drawn")
    text = hearsay("figures", study, "--at", "privacy.epsilon=7", code=2).stderr
    check(text == "hearsay: --at: no point of the study has these values\n", text)
    file = study / "figures" / "relative_fitness-over-iteration.svg"
    check("over 2 repetitions" in file.read_text(encoding="utf-8"), "the number of repetitions")
    shown = {n.removesuffix(".svg") for n in names("--no-title", "-o", study / "bare")}
    check(shown == {n.removesuffix(".svg") for n in every}, "figures without titles")
    check(not xml.parse(study / "bare" / file.name).getroot().findall(f".//{SVG}g[@class='mark-text role-title-text']"), "a title")
    return study


def panels(study):
    """One figure for a paper: its width in print, letters of 8 pt, every value of the axis below the panels."""
    arguments = ("--metric", "relative_fitness", "--facet", "privacy.epsilon", "--series", "network.loss", "--at",
                 "network.availability.start=up", "-o", study / "paper")
    for width, inches in (("column", 3.4), ("page", 7)):
        (file,) = figures(study, *arguments, "--width", width)
        check(file.name == "relative_fitness-panels-network.latency.max-privacy.epsilon-network.loss.svg", file.name)
        root = xml.parse(file).getroot()
        check(root.get("width") == f"{inches}in", f"{width}: {root.get('width')} wide")
        texts = [t for t in root.iter(f"{SVG}text") if t.get("font-size") or t.text]
        sizes = {t.get("font-size") for t in texts}
        check(all(abs(float(size.removesuffix("px")) / 96 * 72 - 8) < 0.01 for size in sizes), f"{width}: letters of {sizes}")
        shown = collections.Counter(t.text for t in texts)
        check(shown["15 ms"] == shown["500 ms"] == (2 if width == "column" else 3), f"{width}: labels {shown}")
        check([label for label in ("0.1", "1", "10") if shown[f"privacy.epsilon =\u00a0{label}"] + shown[f"epsilon =\u00a0{label}"] != 1] == [],
              f"{width}: titles of panels {shown}")
    (file,) = figures(study, *arguments, "--width", "column", "--format", "pdf")
    check(b"MediaBox [ 0 0 244.8" in file.read_bytes(), "a PDF of another width than 3.4 in")


def refusals(study, folder):
    empty = folder / "bin"
    empty.mkdir()
    for missing, package, arguments in (("node", "nodejs", []), ("rsvg-convert", "librsvg2-bin", ["--format", "pdf"])):
        # A folder with every program but the missing one.
        if missing == "rsvg-convert":
            (empty / "node").symlink_to(shutil.which("node"))
        target = folder / "none"
        done = hearsay("figures", study, "-o", target, *arguments, code=4, env={**os.environ, "PATH": str(empty)})
        check(done.stderr == f"{missing} is not installed: to draw figures, install the package {package}\n", done.stderr)
        check(not done.stdout and not target.exists(), "something was written")
    # A figure that was there stays as it is.
    kept = folder / "kept"
    kept.mkdir()
    (kept / "timeline.svg").write_text("old")
    (empty / "node").unlink()
    hearsay("figures", study, "-o", kept, code=4, env={**os.environ, "PATH": str(empty)})
    check([f.name for f in kept.iterdir()] == ["timeline.svg"] and (kept / "timeline.svg").read_text() == "old", "kept files")
    # node that fails is an error of one line.
    (empty / "node").write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    (empty / "node").chmod(0o755)
    done = hearsay("figures", study, "-o", folder / "none", code=4, env={**os.environ, "PATH": f"{empty}:/bin"})
    check(done.stderr == "node failed: broken\n" and not (folder / "none").exists(), done.stderr)


def formats(study, folder):
    if shutil.which("rsvg-convert") is None:
        print("figures: rsvg-convert is not installed; PNG and PDF are not tested")
        return
    for name, begin in (("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")):
        made = figures(study, "--format", name, "--figure", "curves", "-o", folder / name)
        check(made and all(f.suffix == "." + name and f.read_bytes().startswith(begin) for f in made), f"format {name}")
        again = figures(study, "--format", name, "--figure", "curves", "-o", folder / "again")
        check(all(f.read_bytes() == (folder / name / f.name).read_bytes() for f in again), f"{name} differs")


def frames(data):
    """Width, height and the hundredths of a second of each frame of a GIF."""
    width, height, flags = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little"), data[10]
    at, shown = 13 + (3 << (flags & 7) + 1 if flags & 128 else 0), []
    while data[at] != 0x3B:
        if data[at] == 0x21 and data[at + 1] == 0xF9:
            shown.append(int.from_bytes(data[at + 4:at + 6], "little"))
        # An extension, or an image with its colours; then blocks of a length each, up to an empty one.
        at += 2 if data[at] == 0x21 else 11 + (3 << (data[at + 9] & 7) + 1 if data[at + 9] & 128 else 0)
        while data[at]:
            at += data[at] + 1
        at += 1
    return width, height, shown


def animation(study, folder):
    if shutil.which("rsvg-convert") is None:
        return
    arguments = ("--animation", "--from", 5, "--to", 12, "--length", "2 s", "--fps", 5, "--pixels", 240)
    (file,) = figures(study, *arguments, "-o", folder / "animated")
    width, height, shown = frames(file.read_bytes())
    # A picture of 640 by 0.66 * 640 + 90, made smaller.
    check(file.name == "animation.gif" and (width, height) == (240, 192), f"{file.name}: {width} x {height}")
    check(shown == [20] * 10, f"the animation has frames of {shown} hundredths of a second")
    (again,) = figures(study, *arguments, "-o", folder / "animated2")
    check(again.read_bytes() == file.read_bytes(), "the animation differs")
    done = hearsay("figures", study, "--animation", "--metric", "relative_fitness", code=4)
    check(done.stderr == "node failed: relative_fitness has no value of each agent\n", done.stderr)
    done = hearsay("figures", study, "--animation", "--length", "1 h", code=2)
    check("--length: expected at most 2000 frames" in done.stderr, done.stderr)


def foreign(folder):
    """Labels that mean something in XML, or must not be in it."""
    study = folder / "foreign"
    labels = ["{centre} </svg><script>&amp;", " d=\"1.23456\" ]]>\u0001\u001b[31m\ufffe", "$rows ]"]
    sweep = [{"label": text, "value": value} for text, value in zip(labels, (0.5, 1, 2))]
    hearsay("run", HERE / "traced.json", "-o", study, "--no-progress", "--set", f"sweep={json.dumps({'privacy.epsilon': sweep})}")
    made = figures(study)
    shown = {"".join(text.itertext()) for file in made for text in xml.parse(file).getroot().iter(f"{SVG}text")}
    check(any(labels[0] in text for text in shown), "a label is not shown as it is")
    check(any('d="1.23456"' in text for text in shown), "a number in a label was rounded")
    check(any(labels[2] in text for text in shown), "a label was replaced")
    caption = xml.parse(study / "figures" / "timeline.svg").getroot().find(f"{SVG}desc").text
    check(labels[0] in caption, "a label in a caption was replaced")


def damage(study):
    (study / "trace.csv").write_bytes(b"sequence,time_s\n\xff\xfe,,,\n1,x,send,1,0,,,,,,\n2,1,lose,0,1,m,,,-1,z,loss\n" * 9)
    (study / "bounds.csv").write_bytes(b"bound,of\n\"")
    (study / "manifest.json").write_bytes(b"{\"scenario\": {\"record\": {\"trace\": {\"point\": -1}}}}")
    check("timeline.svg" not in {f.name for f in figures(study, "-o", study / "damaged", "--figure", "curves")}, "damage")
    hearsay("figures", study, "-o", study / "damaged")
    (study / "results.sqlite").write_bytes(b"no database")
    done = hearsay("figures", study, "-o", study / "new", code=4)
    check(done.stderr.count("\n") == 1 and not (study / "new").exists(), done.stderr)


with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    traced = timeline(place)
    same_bytes(traced)
    swept = choices(place)
    panels(swept)
    refusals(swept, place)
    formats(swept, place)
    animation(traced, place)
    foreign(place)
    damage(traced)
print("the files of figures are as they should be")
