#!/usr/bin/env bash
# Plays a traced run in Chromium:  player.sh HEARSAY NODE_MODULES
set -euo pipefail
if [ ! -x /usr/bin/chromium ] || [ ! -d "$2/playwright-core" ]; then
  echo "skipped: chromium or $2/playwright-core is missing; script/bootstrap --browser installs them"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Latencies of seconds, so that many messages are in flight.
"$1" run "$(dirname "$0")/traced.json" -o "$folder" --set 'network.latency.max="3 s"' --no-progress >/dev/null
"$1" play "$folder"
"$1" report "$folder"
node "$(dirname "$0")/player.mjs" "$1" "$2" "$folder"
