#!/bin/sh
# Builds the web app and the binary, skipping what is up to date. Says what it does and how far it is.
set -e
cd "$(dirname "$0")/.."
steps=${STEPS:-3}

echo "[1/$steps] Checking the tools"
sh scripts/tools.sh

if [ ! -e web/node_modules/.package-lock.json ] || [ web/package-lock.json -nt web/node_modules/.package-lock.json ]; then
  echo "[2/$steps] Installing the web app's packages and building it (about a minute)"
  npm --prefix web ci --no-audit --no-fund --loglevel=error
  touch web/node_modules/.package-lock.json
  stale=yes
elif [ ! -e web/dist/.vite/manifest.json ]; then
  stale=yes
else
  stale=$(find web/src web/public web/index.html web/vite.config.ts web/package.json domain/messages -newer web/dist/.vite/manifest.json -print -quit)
fi
if [ -n "$stale" ]; then
  echo "[2/$steps] Building the web app"
  npm --prefix web run --silent build
else
  echo "[2/$steps] The web app is up to date"
fi

if [ -x "${CARGO_TARGET_DIR:-target}/debug/spvctl" ]; then
  echo "[3/$steps] Building what has changed of the portal"
else
  echo "[3/$steps] Building the portal: about 460 crates the first time, 4 to 8 minutes on two cores"
fi
cargo build --locked --workspace
