#!/usr/bin/env python3
"""Checks every drawing of a page, as draw.mjs has written them, against the JSON Schema of Vega-Lite.

    check.py DRAWINGS SCHEMA
"""
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    drawings = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    schema = json.load(file)
validator = jsonschema.Draft7Validator(schema)


def fault(specification):
    # One row of data is as good as all, and quicker.
    specification["data"]["values"] = specification["data"]["values"][:1]
    return jsonschema.exceptions.best_match(validator.iter_errors(specification))


checked = 0
kinds = set()
for drawing in drawings:
    kinds.add(drawing["figure"])
    found = fault(drawing["specification"])
    if found is not None:
        sys.exit(f"{drawing['title']}: {found.message} at {list(found.absolute_path)}")
    checked += 1

# The check can fail.
broken = drawings[0]["specification"]
broken["layer"][0]["mark"] = {"type": "no such mark"}
if fault(broken) is None:
    sys.exit("a figure with a mark that does not exist was accepted")
missing = {"curves", "finals", "heat_map", "agents", "gains", "network", "timeline", "latency", "availability"} - kinds
if missing:
    sys.exit(f"not drawn: {', '.join(sorted(missing))}")
print(f"{checked} figures of {len(kinds)} kinds are valid")
