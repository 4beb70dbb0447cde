#!/bin/sh
# Builds the release binary and measures it; prints the tables of docs/performance.md and the slow requests of the sweep.
set -e
cd "$(dirname "$0")/.."
sh scripts/tools.sh
if ! command -v wrk >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq wrk >/dev/null; else echo "wrk is needed: sudo apt-get install wrk"; exit 1; fi
fi
[ -d web/dist ] || { npm --prefix web ci --no-audit --no-fund --loglevel=error && npm --prefix web run --silent build; }
cargo build --locked --release --workspace --examples --bins
node scripts/bench.mjs
exec node scripts/sweep.mjs
