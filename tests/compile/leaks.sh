#!/usr/bin/env bash
# Private data can not be given out by mistake: a source compiles, but with LEAKING every line that it marks "refused"
# is an error that names Sensitive, LocalVector, EntrustedSum or PublicProblem.
#   leaks.sh SOURCE COMPILER FLAG...
set -u
export LC_ALL=C
source=$1
shift
"$@" "$source" || { echo "a protocol that releases its gradient does not compile"; exit 1; }
errors=$("$@" -DLEAKING "$source" 2>&1)
lines=$(grep -n '// refused$' "$source" | cut -d: -f1)
[ -n "$lines" ] || { echo "no line is marked"; exit 1; }
status=0
for line in $lines; do
  # clang names them in the notes that follow an error.
  awk -v at="leaks.cpp:$line:" '/: error: / { here = index($0, at) > 0 } here' <<<"$errors" |
    grep -q 'Sensitive\|LocalVector\|EntrustedSum\|PublicProblem' && continue
  echo "leaks.cpp:$line: this line compiles, or its error names none of Sensitive, LocalVector, EntrustedSum and PublicProblem"
  status=1
done
[ $status -eq 0 ] || echo "$errors"
exit $status
