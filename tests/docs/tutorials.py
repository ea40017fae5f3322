#!/usr/bin/env python3
"""Runs README.md and the tutorials as a reader does, in an empty folder, and compares what their commands print; the
commands of public-data.md are validated.

  tutorials.py PROGRAM [PROTOCOLS]            PROTOCOLS: the program of docs/example-protocol
  tutorials.py --write PROGRAM [PROTOCOLS]    writes the outputs into the pages instead

A block with title="NAME" is a file. In a block of language console, a line "$ COMMAND" is a command and the lines up to
the next one are its output. A block of language sh is not run: it builds what is built elsewhere.
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.S | re.M)
LIMIT = 120  # s


def steady(text):
    """The output without what differs between machines, and without spaces at the ends of lines."""
    text = re.sub(r"\bin \d+\.\d s\b", "in 0.1 s", text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def rounded(text):
    """Numbers with more than 8 digits to 8: the last ones depend on compiler and processor."""
    return re.sub(r"-?\d+\.\d{7,}(e-?\d+)?", lambda number: f"{float(number[0]):.8g}", text)


def run(command, folder, programs):
    functions = "".join(f'{name}() {{ "{path}" "$@"; }}\n' for name, path in programs.items())
    done = subprocess.run(["/bin/bash", "-c", functions + command], cwd=folder, text=True, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return steady(done.stdout)


def play(page, programs):
    """The page with the outputs of its commands as they are, and how many there are."""
    commands = 0
    with tempfile.TemporaryDirectory() as folder:
        def block(match):
            nonlocal commands
            language, file, text = match.groups()
            if file:
                (pathlib.Path(folder) / file).write_text(text)
            if language != "console":
                return match[0]
            out = ""
            for command in re.findall(r"^\$ (.*)$", text, re.M):
                printed = run(command, folder, programs)
                if "environment: line" in printed:  # of the shell, not of the program
                    sys.exit(f"{page.name}: {command}: {printed}")
                out += f"$ {command}\n" + printed
                commands += 1
            return f"```console\n{out}```"

        return BLOCK.sub(block, page.read_text()), commands


def invalid_on_public_data(program):
    """How many commands of public-data.md `validate` refuses; the files that they read are empty here."""
    commands = re.findall(r"^hearsay run .*?(?=^```$)", (ROOT / "docs/public-data.md").read_text(), re.S | re.M)
    if len(commands) != 4:
        sys.exit(f"expected 4 commands in public-data.md, found {len(commands)}")
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lendingclub/loan.csv", "fraud/creditcard.csv", "sparcs/2015.csv", "ml-100k/u.data"):
            file = pathlib.Path(folder) / name
            file.parent.mkdir()
            file.touch()
        for command in commands:
            words = shlex.split(command.replace("\\\n", " ").replace("PATH/TO/DATA", folder))
            del words[(output := words.index("-o")):output + 2]
            done = subprocess.run([program, "validate", *words[2:]], cwd=ROOT, text=True, timeout=LIMIT,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                refused += 1
                print(f"public-data.md: {done.stdout}")
    return refused


def main(arguments):
    write = arguments[:1] == ["--write"]
    names = ("hearsay", "gossip")
    programs = {name: pathlib.Path(path).resolve() for name, path in zip(names, arguments[1 if write else 0:])}
    pages = [ROOT / "README.md", *sorted((ROOT / "docs/tutorials").glob("*.md"))]
    failures = total = 0
    for page in pages:
        if "gossip" not in programs and "$ gossip " in page.read_text():
            print(f"{page.name}: skipped: the example's program was not built")
            continue
        expected, (found, commands) = page.read_text(), play(page, programs)
        total += commands
        if rounded(steady(found)) == rounded(steady(expected)):
            continue
        if write:
            page.write_text(found)
        else:
            failures += 1
            print(f"{page.name}: the commands print something else than the page shows")
            for number, (a, b) in enumerate(zip(rounded(expected).splitlines(), rounded(found).splitlines()), 1):
                if a != b:
                    print(f"  line {number}\n    page:    {a}\n    printed: {b}")
                    break
    if total < 20 and "gossip" in programs:
        sys.exit(f"expected at least 20 commands in {len(pages)} pages, found {total}")
    print(f"{total} commands of {len(pages)} pages; {failures} pages differ")
    return failures + invalid_on_public_data(programs["hearsay"]) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
