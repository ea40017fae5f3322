#!/usr/bin/env bash
# Makes the page of a small study that has every kind of figure and checks it:  check.sh HEARSAY SCHEMA
set -euo pipefail
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" run "$here/study.json" -o "$folder" --no-progress >/dev/null
"$1" report "$folder"
node "$here/draw.mjs" "$folder/report.html" "$folder"
python3 "$here/check.py" "$folder/drawings.json" "$2"
