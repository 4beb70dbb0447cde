#!/usr/bin/env bash
# A private PostgreSQL for tests and benchmarks, thrown away afterwards.
#   postgres.sh start DIR [setting=value …]   starts one and prints its address
#   postgres.sh vacuum DIR                    does at once what it does by itself a minute after much was written
#   postgres.sh stop DIR                      stops it and removes DIR
# PostgreSQL refuses to run as root, so as root it runs as the postgres user, in a folder that user can reach.
set -euo pipefail

bin() {
  local found
  found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
  if [ -z "$found" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >&2
    found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
  fi
  [ -n "$found" ] || { echo "PostgreSQL is needed: sudo apt-get install postgresql" >&2; exit 1; }
  echo "$found"
}

as_owner() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

case "${1:-}" in
  start)
    dir=$2
    shift 2
    bin=$(bin)
    mkdir -p "$dir"
    [ "$(id -u)" != 0 ] || chown postgres "$dir"
    as_owner "$bin/initdb" -D "$dir/data" -U spv -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir.log" 2>&1 \
      || { cat "$dir.log" >&2; exit 1; }
    settings=""
    for setting in "$@"; do settings="$settings -c $setting"; done
    for _ in 1 2 3 4 5; do
      port=$((20000 + RANDOM % 20000))
      if as_owner "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/server.log" \
        -o "-p $port -k $dir -c listen_addresses=127.0.0.1 -c max_connections=300 $settings" start >"$dir.log" 2>&1; then
        echo "postgres://spv@127.0.0.1:$port/postgres"
        exit 0
      fi
    done
    cat "$dir.log" "$dir/server.log" >&2
    exit 1
    ;;
  vacuum)
    dir=$2
    as_owner "$(bin)/vacuumdb" -h "$dir" -p "$(sed -n 4p "$dir/data/postmaster.pid")" -U spv -d postgres --analyze --quiet
    ;;
  stop)
    dir=$2
    as_owner "$(bin)/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$dir" "$dir.log"
    ;;
  *)
    echo "usage: postgres.sh start DIR [setting=value …] | vacuum DIR | stop DIR" >&2
    exit 2
    ;;
esac
