#!/bin/sh
# The API with the demo data, and Vite's dev server, which reloads the web app on each edit.
set -e
cd "$(dirname "$0")/.."
STEPS=4 sh scripts/build.sh
echo "[4/4] Starting the API and Vite; Ctrl-C stops both"
SPV_DEMO="${SPV_DEMO:-true}" SPV_PUBLIC_URL="${SPV_PUBLIC_URL:-http://localhost:5173}" "${CARGO_TARGET_DIR:-target}/debug/spvctl" serve &
api=$!
trap 'kill $api 2>/dev/null' EXIT INT TERM
npm --prefix web run --silent dev
