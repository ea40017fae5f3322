#!/usr/bin/env bash
# Builds and installs hearsay for conda-build, which sets the variables.
set -euo pipefail
# shellcheck disable=SC2086
"$CC" $CFLAGS -O2 -fPIC -c libcsv/libcsv.c -o libcsv/libcsv.o
"$AR" rcs libcsv/libcsv.a libcsv/libcsv.o
# shellcheck disable=SC2086
cmake --preset package $CMAKE_ARGS -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
  -DHEARSAY_PYTHON="$PYTHON" -DHEARSAY_PYTHON_DIR="${SP_DIR#"$PREFIX"/}" \
  -DLIBCSV_LIBRARY="$PWD/libcsv/libcsv.a" -DLIBCSV_INCLUDE_DIR="$PWD/libcsv"
cmake --build --preset package -j "$CPU_COUNT"
cmake --install build/package --component program
"$PYTHON" -m pip install ./analysis/python --no-deps --no-build-isolation
