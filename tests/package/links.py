"""Relative links in the Markdown files of a folder lead to files that exist, except into the sources.

    links.py FOLDER
"""
import os
import re
import sys

SOURCES = re.compile(r"(sim|models|analysis|scenarios|tests|script|package)(/|$)(?!.*\.(md|json)$)")
root = sys.argv[1]
broken, checked = [], 0
for folder, _, names in os.walk(root, followlinks=True):
    for name in (n for n in names if n.endswith(".md")):
        page = os.path.join(folder, name)
        with open(page, encoding="utf-8") as file:
            text = re.sub(r"^```.*?^```", "", file.read(), flags=re.S | re.M)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" in target:
                continue
            checked += 1
            path = os.path.normpath(os.path.join(folder, target))
            if not os.path.exists(path) and not SOURCES.match(os.path.relpath(path, root)):
                broken.append(f"{os.path.relpath(page, root)}: {target}")
print("\n".join(broken), end="\n" if broken else "")
sys.exit(1 if broken or checked < 100 else 0)
