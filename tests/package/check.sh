#!/usr/bin/env bash
# Installs hearsay under the build tree, builds the example protocol against that as a project of its own, and runs
# its scenario with it.
#   check.sh BUILD SOURCE
set -euo pipefail
build=$(realpath "$1") source=$(realpath "$2")
prefix=$build/package/prefix
rm -rf "$build/package"
cmake --install "$build" --prefix "$prefix" >/dev/null
test -x "$prefix/bin/hearsay"
cp -r "$source/docs/example-protocol" "$build/package/gossip"
cmake -S "$build/package/gossip" -B "$build/package/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$build/package/build"
"$build/package/build/gossip" explain protocol.gossip_average | grep -q step
"$build/package/build/gossip" run "$build/package/gossip/ring.json" --no-progress -o "$build/package/out"
test -s "$build/package/out/series.csv"
