#!/usr/bin/env bash
# A source compiles, but with MISSPELT there is an error for every line marked "refused: TEXT", and it has this text.
#   hooks.sh SOURCE COMPILER FLAG...
set -u
export LC_ALL=C
source=$1
shift
[[ $("$1" --version) == *clang* ]] && set -- "$@" -ferror-limit=0  # it ends after 20 errors
"$@" "$source" || { echo "a protocol with every hook does not compile"; exit 1; }
errors=$("$@" -DMISSPELT "$source" 2>&1)
refused=$(grep ': error: static' <<<"$errors")
marked=$(grep -o '// refused: .*' "$source" | cut -d' ' -f3-)
status=0
while read -r text; do
  grep -qF -- "$text" <<<"$refused" && continue
  echo "no error says: $text"
  status=1
done <<<"$marked"
[ "$(wc -l <<<"$refused")" -eq "$(wc -l <<<"$marked")" ] || { echo "a line has no error, or two"; status=1; }
[ $status -eq 0 ] || echo "$errors"
exit $status
