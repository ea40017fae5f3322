#!/usr/bin/env bash
# hearsay_vectors on the worked examples in $HEARSAY_REFERENCE_DIR/vectors.json: all agree; one number changed: told, exit 1.
# Usage: check.sh HEARSAY_VECTORS. Exits 77 (skipped) without the folder.
set -u
program=$1
file=${HEARSAY_REFERENCE_DIR:-}/vectors.json
if [ ! -f "$file" ]; then
  echo "skipped: set HEARSAY_REFERENCE_DIR to a folder that holds vectors.json"
  exit 77
fi
"$program" "$file" || exit 1
changed=$(mktemp)
trap 'rm -f "$changed"' EXIT
# The first value of f_end, off by one part in a million.
sed -E 's/("f_end": *)0\.6238020/\10.6238026/' "$file" >"$changed"
cmp -s "$file" "$changed" && { echo "the file has no f_end to change"; exit 1; }
"$program" "$changed" --section central
[ $? -eq 1 ] || { echo "a changed number was not noticed"; exit 1; }
"$program" "$file" --section no_such_section 2>/dev/null
[ $? -eq 2 ] || { echo "an unknown section was accepted"; exit 1; }
