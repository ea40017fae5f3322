#!/usr/bin/env bash
# Makes the Debian package of a build, unpacks it into an empty root, and uses it from an empty folder.
#   debian.sh BUILD SOURCE
set -euo pipefail
build=$(realpath "$1") source=$(realpath "$2")
for tool in cpack dpkg-deb dpkg-shlibdeps man objdump; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
fail() { echo "$*" >&2; exit 1; }

scratch=$build/package-debian
rm -rf "$scratch"
mkdir -p "$scratch/root" "$scratch/work"
cpack --config "$build/CPackConfig.cmake" -D CPACK_COMPONENTS_ALL=program -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip \
  -B "$scratch/made" >"$scratch/cpack.log" 2>&1 ||
  { cat "$scratch/cpack.log"; exit 1; }
package=$(ls "$scratch"/made/hearsay_*.deb)
dpkg-deb -x "$package" "$scratch/root"
usr=$scratch/root/usr
field() { dpkg-deb -f "$package" "$1"; }

# --- what it contains ---
outside=$(dpkg-deb -c "$package" | awk '{print $6}' | grep -vE '^\./(usr/.*)?$' || true)
[ -z "$outside" ] || fail "files outside of /usr: $outside"
dpkg-deb -c "$package" | awk '$2 != "root/root"' | grep . && fail "files that root does not own"
for file in bin/hearsay share/man/man1/hearsay.1.gz share/bash-completion/completions/hearsay \
  share/hearsay/scenarios/{quickstart.json,quickstart.md,scenario.schema.json,examples/digits.md,presets/wan.json} \
  share/doc/hearsay/{README.md,CHANGELOG.md,CITATION.cff,copyright,changelog.gz,docs/scenarios.md,scenarios/quickstart.json} \
  lib/python3/dist-packages/hearsay/__init__.py; do
  [ -s "$usr/$file" ] || fail "/usr/$file is missing"
done
python3 "$source/tests/package/links.py" "$usr/share/doc/hearsay"

# --- what it says of itself ---
version=$("$usr/bin/hearsay" --version | sed -n 's/^hearsay \([^ ]*\) .*/\1/p')
[ "$(field Version)" = "$version" ] || fail "version: $(field Version), of the program $version"
libraries=$(objdump -p "$usr/bin/hearsay" | awk '$1 == "NEEDED" {print $2}')
for library in $libraries; do
  file=$(ldd "$usr/bin/hearsay" | awk -v name="$library" '$1 == name {print $3}')
  [ -n "$file" ] || continue  # the loader
  owner=$(dpkg -S "$(realpath "$file")" "$file" 2>/dev/null | head -1 | cut -d: -f1 || true)
  field Depends | tr ',' '\n' | sed 's/^ *//; s/[ :].*//' | grep -x "$owner" >/dev/null || fail "Depends does not name $owner"
done
for name in python3-pandas python3-matplotlib nodejs librsvg2-bin; do
  field Recommends | grep -w -- "$name" >/dev/null || fail "Recommends does not name $name"
done
arch=$(sed -n 's/^HEARSAY_ARCH:STRING=//p' "$build/CMakeCache.txt")
field Description | grep -- "$arch" >/dev/null || fail "Description does not say which processors it needs ($arch)"

if command -v lintian >/dev/null; then lintian --allow-root --fail-on error,warning "$package" || fail "lintian objects"; fi

# --- manual page and completion ---
messages=$(man --warnings -E UTF-8 -P cat -l "$usr/share/man/man1/hearsay.1.gz" 2>&1 >"$scratch/page")
[ -z "$messages" ] || fail "the manual page: $messages"
grep -q 'hearsay run SCENARIO' "$scratch/page"
if command -v mandoc >/dev/null; then mandoc -Tlint -Wwarning "$usr/share/man/man1/hearsay.1.gz"; fi
"$source/tests/package/completion.sh" "$usr/share/bash-completion/completions/hearsay" "$usr/bin/hearsay"

# --- a study, from an empty folder ---
cd "$scratch/work"
export PATH=$usr/bin:$PATH HEARSAY_PROGRAM=$usr/bin/hearsay
unset HEARSAY_DATA_DIR
shared=$usr/share/hearsay/scenarios
hearsay run "$shared/quickstart.json" --no-progress >run.txt 2>&1 || { cat run.txt; exit 1; }
hearsay report out/quickstart >/dev/null
[ -s out/quickstart/report.html ] || fail "no report"
if hearsay --help | grep '^  hearsay figures ' >/dev/null; then
  hearsay figures out/quickstart --format svg >/dev/null
  [ -n "$(find out/quickstart -name '*.svg' -size +1k)" ] || fail "no figures"
fi
[ "$(ls)" = "$(printf 'out\nrun.txt')" ] || fail "more than out/ is written: $(ls)"
hearsay list protocols | grep '^central_async ' >/dev/null
cmp <(hearsay schema) "$shared/scenario.schema.json"
# Each scenario is accepted or refused as in the source tree, with the files that it extends.
validated() {
  (cd "$1" && find . -name '*.json' ! -name scenario.schema.json | sort) | sed "s|^\./|$1/|" |
    xargs -d '\n' hearsay validate 2>errors.txt | cat - errors.txt | sed "s|$1|scenarios|g" || true
}
validated "$shared" >here.txt
validated "$source/scenarios" >there.txt
diff there.txt here.txt || fail "scenarios of the package are not those of the tree"
[ "$(grep -c ': ok, ' here.txt)" -gt 100 ] || fail "scenarios are refused: $(grep -v ': ok, ' here.txt | head -3)"

# --- Python ---
module=$(find "$usr/lib/python3/dist-packages/hearsay" -name '_core.*.so')
if [ -n "$module" ]; then
  PYTHONPATH=$usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m hearsay --version | cmp - <(hearsay --version) ||
    fail "python3 -m hearsay is not the program"
  minor=$(basename "$module" | sed 's/^_core.cpython-3\([0-9]*\)-.*/\1/')
  field Depends | grep -F "python3 (>= 3.$minor), python3 (<< 3.$((minor + 1)))" >/dev/null || fail "Depends: $(field Depends)"
fi
if /usr/bin/python3 -c 'import pandas, matplotlib' 2>/dev/null; then
  PYTHONPATH=$usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg /usr/bin/python3 - "$shared/quickstart.json" <<'END'
import sys, hearsay
s = hearsay.run(sys.argv[1])
assert hearsay.__file__.startswith(sys.path[1]) or "dist-packages/hearsay" in hearsay.__file__
assert len(s.final()) >= 3, s.final()
s.plot("relative_fitness").savefig("f.pdf")
END
  [ "$(head -c 5 f.pdf)" = "%PDF-" ] || fail "Python drew no figure"
else
  echo "skipped: Python, without pandas and matplotlib"
fi

# --- an older processor ---
if [ "$arch" = x86-64-v3 ] && command -v qemu-x86_64 >/dev/null; then
  code=0
  message=$(qemu-x86_64 -cpu Nehalem "$usr/bin/hearsay" --version 2>&1) || code=$?
  [ "$code" = 3 ] || fail "on an older processor: exit code $code: $message"
  case $message in *$'\n'*) fail "several lines: $message" ;; *"needs a processor with AVX2"*) ;; *) fail "on an older processor: $message" ;; esac
fi

# --- the image ---
image=$source/Containerfile
pattern=$(awk '$1 == "COPY" {print $2}' "$image")
# shellcheck disable=SC2254
case ${package##*/} in $pattern) ;; *) fail "Containerfile copies $pattern, the package is ${package##*/}" ;; esac
grep -q "^RUN .* /tmp/$(printf '%s' "$pattern" | sed 's/[*]/[*]/g')" "$image" || fail "Containerfile does not install what it copies"
entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' "$image")
[ -x "$scratch/root$entry" ] || fail "Containerfile starts $entry, which the package does not have"
[ "$(sed -n 's/^FROM //p' "$image")" = debian:12-slim ]
echo "package: ${package##*/} installs, runs and describes itself"
