#!/bin/sh
# Installs the web app's packages and builds it, unless both are up to date. A first argument precedes the messages.
set -e
cd "$(dirname "$0")/.."

if [ ! -e web/node_modules/.package-lock.json ] || [ web/package-lock.json -nt web/node_modules/.package-lock.json ]; then
  echo "${1:-}Installing the web app's packages and building it (about a minute)"
  npm --prefix web ci --no-audit --no-fund --loglevel=error
  touch web/node_modules/.package-lock.json
  stale=yes
elif [ ! -e web/dist/.vite/manifest.json ]; then
  stale=yes
else
  stale=$(find web/src web/public web/index.html web/vite.config.ts web/package.json domain/messages -newer web/dist/.vite/manifest.json -print -quit)
fi
if [ -n "$stale" ]; then
  echo "${1:-}Building the web app"
  npm --prefix web run --silent build
else
  echo "${1:-}The web app is up to date"
fi
