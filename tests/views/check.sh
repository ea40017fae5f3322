#!/usr/bin/env bash
# hearsay_views on $HEARSAY_REFERENCE_DIR/views.json: all agree; one number changed: told, exit 1.
# Usage: check.sh HEARSAY_VIEWS. Exits 77 (skipped) without the folder.
set -u
program=$1
file=${HEARSAY_REFERENCE_DIR:-}/views.json
if [ ! -f "$file" ]; then
  echo "skipped: set HEARSAY_REFERENCE_DIR to a folder that holds views.json"
  exit 77
fi
"$program" "$file" || exit 1
changed=$(mktemp)
trap 'rm -f "$changed"' EXIT
# A value of the path of three by hand, 73/37, off by one part in a hundred million.
sed 's/1\.97297297297297\([0-9]*\)/1.97297295\1/g' "$file" >"$changed"
cmp -s "$file" "$changed" && { echo "the file has no number to change"; exit 1; }
"$program" "$changed" >/dev/null
[ $? -eq 1 ] || { echo "a changed number was not noticed"; exit 1; }
