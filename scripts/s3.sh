#!/usr/bin/env bash
# A private S3-compatible server with an empty bucket for tests, thrown away afterwards: moto, from PyPI.
#   s3.sh start DIR   starts one and prints its address as the tests want it
#   s3.sh stop DIR    stops it and removes DIR
set -euo pipefail
cd "$(dirname "$0")/.."

# Kept beside what cargo builds, so that it is installed once.
tools="${CARGO_TARGET_DIR:-target}/moto"

install() {
  [ ! -x "$tools/bin/moto_server" ] || return 0
  python3 -c 'import ensurepip, venv' 2>/dev/null || {
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
      apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >&2
    else
      echo "Python's venv is needed for the S3 tests: sudo apt-get install python3-venv" >&2
      exit 1
    fi
  }
  rm -rf "$tools"
  python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check 'moto[server]==5.*' >&2 \
    || { rm -rf "$tools"; echo "moto could not be installed from PyPI; the S3 tests need it." >&2; exit 1; }
}

bucket() {
  "$tools/bin/python3" -c 'import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], method="PUT"))' "$1"
}

case "${1:-}" in
  start)
    dir=$2
    install
    mkdir -p "$dir"
    for _ in 1 2 3 4 5; do
      port=$((20000 + RANDOM % 20000))
      "$tools/bin/moto_server" -H 127.0.0.1 -p "$port" >"$dir/log" 2>&1 </dev/null &
      server=$!
      for _ in $(seq 100); do
        kill -0 "$server" 2>/dev/null || break
        if bucket "http://127.0.0.1:$port/documents" 2>/dev/null; then
          echo "$server" >"$dir/pid"
          echo "s3://documents?endpoint=http://127.0.0.1:$port"
          exit 0
        fi
        sleep 0.1
      done
      kill "$server" 2>/dev/null || true
    done
    cat "$dir/log" >&2
    exit 1
    ;;
  stop)
    dir=$2
    [ ! -f "$dir/pid" ] || kill "$(cat "$dir/pid")" 2>/dev/null || true
    rm -rf "$dir"
    ;;
  *)
    echo "usage: s3.sh start DIR | stop DIR" >&2
    exit 2
    ;;
esac
