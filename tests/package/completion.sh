#!/usr/bin/env bash
# Asks the script of bash completion as bash does when the user presses TAB.
#   completion.sh SCRIPT PROGRAM
set -uo pipefail
# shellcheck disable=SC1090
source "$1"
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir studies "my folder"
touch scenario.json notes.txt

[ "$(complete -p hearsay)" = "complete -F _hearsay hearsay" ] || { echo "hearsay is not completed" >&2; exit 1; }

# expect CANDIDATES WORD...: the candidates for the last word, in any order.
expect() {
  local expected=$1 found
  shift
  COMP_WORDS=(hearsay "$@") COMP_CWORD=$#
  _hearsay "$program" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
  found=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd,)
  [ "$found" = "$expected" ] || { echo "after '$*': expected $expected, found $found" >&2; exit 1; }
}

expect report re
expect my\ folder,scenario.json,studies run ""
expect scenario.json run sc
expect studies report st
expect my\ folder report m
expect my\ folder,notes.txt,scenario.json,studies report studies -o ""
expect csv,graphml,latex,markdown export studies --format ""
expect graphml export studies --format = g
expect studies run scenario.json --output = st
expect protocol.,protocol= run scenario.json --set prot
expect poisson run scenario.json --set clocks.type = po
expect scenario.json audit sc
expect --adversary audit scenario.json --adv
expect "" run scenario.json --set no_such.
