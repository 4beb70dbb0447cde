#!/bin/sh
# Builds the web app and the binary as far as they are out of date, and prints its progress.
set -e
cd "$(dirname "$0")/.."
steps=${STEPS:-3}

echo "[1/$steps] Checking the tools"
sh scripts/tools.sh

sh scripts/web.sh "[2/$steps] "

if [ -x "${CARGO_TARGET_DIR:-target}/debug/spvctl" ]; then
  echo "[3/$steps] Building the changed parts of the portal"
else
  echo "[3/$steps] Building the portal: about 460 crates the first time, 4 to 8 minutes on two cores"
fi
cargo build --locked --workspace
