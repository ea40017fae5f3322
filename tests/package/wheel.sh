#!/usr/bin/env bash
# Installs a wheel of script/package --wheel into an empty virtual environment, without a network, and uses it.
#   wheel.sh [WHEEL]    by default $HEARSAY_WHEEL, or the one in build/packages/
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
wheel=${1:-${HEARSAY_WHEEL:-$(find "$source/build/packages" -name '*.whl' 2>/dev/null | head -1 || true)}}
[ -n "$wheel" ] || { echo "skipped: no wheel; script/package --wheel builds it in build/packages/"; exit 77; }
python=/usr/bin/python3
"$python" -c 'import ensurepip' 2>/dev/null || { echo "skipped: python3-venv is missing"; exit 77; }
command -v objdump >/dev/null || { echo "skipped: objdump is missing"; exit 77; }
fail() { echo "wheel: $*" >&2; exit 1; }
wheel=$(realpath "$wheel")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# --- what it contains: nothing that it needs is outside, except what every system of its platform has ---
"$python" - "$wheel" <<'END'
import pathlib, re, subprocess, sys, zipfile
OUTSIDE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
NEWEST_GLIBCXX = {35: 30, 36: 30}  # manylinux_2_N: GLIBCXX_3.4.M
glibc = int(re.search(r"-cp311-cp311-manylinux_2_(\d+)_x86_64\.whl$", sys.argv[1])[1])
zipfile.ZipFile(sys.argv[1]).extractall("wheel")
files = [path for path in pathlib.Path("wheel").rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]
inside = {path.name for path in files if path.parent.name == "hearsay.libs"}
assert len(files) == len(inside) + 1, files  # and the module
for path in files:
    text = subprocess.run(["objdump", "-p", path], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"NEEDED +(\S+)", text))
    assert needed <= inside | OUTSIDE, f"{path} needs {needed - inside - OUTSIDE}"
    assert path.name not in inside or re.findall(r"SONAME +(\S+)", text) == [path.name], path
    paths = re.findall(r"(?:RPATH|RUNPATH) +(\S+)", text)
    assert paths == ["$ORIGIN" if path.name in inside else "$ORIGIN/../hearsay.libs"], f"{path}: {paths}"
    assert all(int(n) <= glibc for n in re.findall(r"GLIBC_2\.(\d+)", text)), path
    assert all(int(n) <= NEWEST_GLIBCXX[glibc] for n in re.findall(r"GLIBCXX_3\.4\.(\d+)", text)), path
used = re.findall(r"NEEDED +(\S+)", "".join(subprocess.run(["objdump", "-p", *files], check=True, capture_output=True,
                                                           text=True).stdout))
assert inside <= set(used), f"nothing needs {inside - set(used)}"
END

# --- in an empty environment, with no variable of this one ---
clean() { env -i HOME="$scratch" LANG=C.UTF-8 PATH="$scratch/env/bin:/usr/bin:/bin" PYTHONDONTWRITEBYTECODE=1 "$@"; }
"$python" -m venv env
clean pip install --quiet --no-index --no-cache-dir --disable-pip-version-check "$wheel"
clean pip check >/dev/null || fail "pip check objects"
shared=env/share/hearsay/scenarios
version=$(basename "$wheel" | cut -d- -f2)
[[ $(clean hearsay --version) = "hearsay $version "* ]] || fail "hearsay --version is not $version"
few=(--set repeat=2 --set stop.iterations=50 --no-progress)
clean hearsay run "$shared/quickstart.json" "${few[@]}" >run.txt 2>&1 || { cat run.txt; fail "hearsay run"; }
clean hearsay verify out/quickstart >/dev/null || fail "hearsay verify"
clean hearsay report out/quickstart >/dev/null
grep -q vegaEmbed out/quickstart/report.html || fail "the report has no figures"
clean python -m hearsay validate "$shared/quickstart.json" "$shared/studies/strongly-convex.json" >/dev/null || fail "validate"
clean hearsay schema | cmp - "$shared/scenario.schema.json"
"$python" "$source/tests/package/links.py" env/share/hearsay
code=0; clean hearsay run nowhere.json >/dev/null 2>&1 || code=$?
[ "$code" = 2 ] || fail "a missing scenario is exit code $code"

clean python - "$shared/quickstart.json" "$scratch/env" <<'END'
import sys
import hearsay
from hearsay.engine import core
before = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
module = core()
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line} - before
outside = {path for path in loaded if not path.startswith(sys.argv[2]) and "/libgcc_s.so" not in path and
           "/libstdc++.so" not in path and "/libm.so" not in path}
assert module.__file__.startswith(sys.argv[2]) and not outside, outside
assert hearsay.program() == sys.argv[2] + "/bin/hearsay", hearsay.program()
hearsay.Scenario(sys.argv[1]).check()
for late in (lambda: hearsay.run(sys.argv[1]), lambda: hearsay.load("out/quickstart"), lambda: hearsay.plots):
    try:
        late()
    except ImportError as error:
        assert 'pip install "hearsay[study]"' in str(error) and "\n" not in str(error), error
    else:
        raise AssertionError("no ImportError without pandas")
END

# --- an older processor ---
if command -v qemu-x86_64 >/dev/null; then
  code=0; clean qemu-x86_64 -cpu Nehalem env/bin/python -m hearsay --version 2>old.txt || code=$?
  [ "$code" = 3 ] || fail "on an older processor: exit code $code"
  grep -q "needs a processor with AVX2" old.txt || fail "on an older processor: $(cat old.txt)"
fi

# --- with Debian's pandas: the same numbers as the program's, and a protocol in Python ---
if "$python" -c 'import pandas, matplotlib' 2>/dev/null; then
  "$python" -m venv --system-site-packages env
  clean MPLBACKEND=agg python - "$shared/quickstart.json" <<'END'
import sys
import hearsay
study = hearsay.run(sys.argv[1], repeat=2, set={"stop.iterations": 50}, output="again")
assert study.final().equals(hearsay.load("out/quickstart").final())
study.plot("relative_fitness").savefig("figure.pdf")
END
  example=env/share/hearsay/docs/example-python
  clean hearsay run "$example/gossip.json" --allow-code "$example" --no-progress >run.txt 2>&1 || { cat run.txt; fail "gossip"; }
  [ "$(head -c 5 figure.pdf)" = "%PDF-" ] || fail "Python drew no figure"
else
  echo "skipped: figures in Python, without pandas and matplotlib"
fi
clean pip uninstall --quiet --yes hearsay
[ -z "$(find env -path '*hearsay*' -type f)" ] || fail "files are left: $(find env -path '*hearsay*' -type f | head -3)"
echo "wheel: $(basename "$wheel") installs and runs in an empty environment"
