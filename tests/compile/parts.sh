#!/usr/bin/env bash
# Registers the parts of docs/example-parts as docs/extending.md says, in a copy of the headers, and compiles what uses
# them:
#   parts.sh SOURCE COMPILER FLAG...
set -euo pipefail
source=$(realpath "$1")
shift
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# Inserts a kind at the front of a variant: the header, the text before the kind, the kind, its header.
register() {
  install -D "$source/$1" "$copy/$1"
  grep -q "$2" "$copy/$1" || { echo "$1: '$2' is not there: renew this script and docs/extending.md"; exit 1; }
  sed -i "s/$2/&$3, /; 0,/^#include/s//#include \"docs\/example-parts\/$4\"\n#include/" "$copy/$1"
}
register models/losses/loss.hpp 'using Kind = std::variant<' HuberLoss huber_loss.hpp
register models/data/data_options.hpp 'std::variant<' TwoBlobs two_blobs.hpp
register sim/laws/distribution.hpp 'using DistributionOr = std::variant<' Weibull weibull.hpp

compiler=$1
shift
"$compiler" "-I$copy" "$@" "-I$source" "$source/tests/compile/parts.cpp"
