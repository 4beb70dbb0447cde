#!/bin/sh
# Builds the portal as far as it is out of date and starts it with demo data, the worker inside.
set -e
cd "$(dirname "$0")/.."
STEPS=4 sh scripts/build.sh
echo "[4/4] Starting the portal; Ctrl-C stops it"
export SPV_DEMO="${SPV_DEMO:-true}"
exec "${CARGO_TARGET_DIR:-target}/debug/spvctl" serve
