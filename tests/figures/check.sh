#!/usr/bin/env bash
# Makes the page of a small study that has every kind of figure and checks it:  check.sh HEARSAY SCHEMA
set -euo pipefail
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" run "$here/study.json" -o "$folder" --no-progress >/dev/null
"$1" report "$folder"
python3 "$here/check.py" "$folder/report.html" "$2"
if command -v node >/dev/null; then node "$here/draw.mjs" "$folder/report.html"; fi
