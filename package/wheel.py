"""Packs an installed hearsay into a wheel, with the libraries that its module needs, and prints the wheel's path.

    wheel.py PREFIX OUTPUT      PREFIX: where `cmake --install --component program` has put it
"""
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

# What every system of a manylinux platform has (PEP 600), as far as hearsay needs it.
OUTSIDE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
MIN_GLIBC = 35  # manylinux platforms from 2.35 on have the libstdc++ of g++ 12
MAX_GLIBCXX = 30
COMPILED_IN = ("libboost1.74-dev", "libcereal-dev", "libeigen3-dev", "libxxhash-dev", "nlohmann-json3-dev",
               "pybind11-dev")  # headers


def call(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def bundle(module, folder):
    """Copies the libraries that a module needs into a folder beside its package, under names of their contents. Returns
    the originals."""
    found = dict(re.findall(r"(\S+) => (/\S+)", call("ldd", module)))
    libraries = {name: Path(path).resolve() for name, path in found.items() if name not in OUTSIDE}
    folder.mkdir()
    names = {}
    for name, path in libraries.items():
        stem, suffix = name.split(".", 1)
        names[name] = f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}.{suffix}"
        shutil.copy(path, folder / names[name])
    for file, path in [(module, f"$ORIGIN/../{folder.name}"), *((folder / name, "$ORIGIN") for name in names.values())]:
        needed = call("patchelf", "--print-needed", file).split()
        changes = [("--replace-needed", name, names[name]) for name in needed if name in names]
        changes += [("--force-rpath", "--set-rpath", path), *([("--set-soname", file.name)] if file != module else [])]
        for change in changes:  # patchelf 0.14 mixes up the names of several changes made at once
            call("patchelf", *change, file)
    return libraries.values()


def platform(files):
    """The oldest manylinux platform that has all versions of symbols that these files need."""
    versions = "".join(call("objdump", "-p", file) for file in files)
    if max(map(int, re.findall(r"GLIBCXX_3\.4\.(\d+)", versions))) > MAX_GLIBCXX:
        sys.exit("package/wheel.py: compiled by a g++ later than 12, for which MIN_GLIBC and MAX_GLIBCXX are too small")
    return f"manylinux_2_{max(MIN_GLIBC, *map(int, re.findall(r'GLIBC_2.([0-9]+)', versions)))}_x86_64"


def metadata(project):
    """Commands need no other package; the dependencies of the Python package are an extra."""
    extras = {"study": project["dependencies"], **project["optional-dependencies"]}
    extras["all"] = [package for packages in extras.values() for package in packages]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    for extra, packages in extras.items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {package}; extra == "{extra}"' for package in packages)]
    return "\n".join(lines) + "\n"


def main(prefix, output):
    project = tomllib.loads(Path("analysis/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = f"{project['name']}-{project['version']}"
    root = output / "root"
    shutil.copytree(prefix / "lib/python3/dist-packages/hearsay", root / "hearsay")
    # A wheel has no symbolic links: documents lie beside the scenarios, as they do in the source tree.
    share = root / f"{name}.data/data/share"
    shutil.copytree(prefix / "share", share, ignore=shutil.ignore_patterns("doc"))
    shutil.copytree(prefix / "share/doc/hearsay", share / "hearsay", dirs_exist_ok=True,
                    ignore=lambda folder, _: ["scenarios"] if folder.endswith("doc/hearsay") else [])
    (module,) = (root / "hearsay").glob("_core.*.so")
    libraries = bundle(module, root / "hearsay.libs")

    info = root / f"{name}.dist-info"
    (info / "licenses").mkdir(parents=True)
    shutil.copy("LICENSE", info)
    shutil.copy("package/copyright", info / "licenses/hearsay")
    shutil.copy("/usr/share/common-licenses/LGPL-2.1", info / "licenses")
    for package in {*COMPILED_IN, *(call("dpkg", "-S", f"*/{path.name}").split(":")[0] for path in libraries)}:
        source = call("dpkg-query", "-W", "-f", "${source:Package}\n", package).split()[0]
        shutil.copy(f"/usr/share/doc/{package}/copyright", info / "licenses" / source)
    (info / "METADATA").write_text(metadata(project))
    (info / "entry_points.txt").write_text("[console_scripts]\nhearsay = hearsay.__main__:main\n")
    python = re.search(r"cpython-(\d+)", module.name)[1]
    tag = f"cp{python}-cp{python}-{platform([module, *(root / 'hearsay.libs').iterdir()])}"
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: hearsay\nRoot-Is-Purelib: false\nTag: {tag}\n")
    call(sys.executable, "-m", "wheel", "pack", root, "-d", output)
    print(output / f"{name}-{tag}.whl")


main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
