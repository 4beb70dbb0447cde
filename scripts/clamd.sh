#!/usr/bin/env bash
# A private virus scanner for tests, thrown away afterwards: clamd, which knows one virus, the EICAR test file.
#   clamd.sh start DIR   starts one and prints its address
#   clamd.sh stop DIR    stops it and removes DIR
set -euo pipefail

case "${1:-}" in
  start)
    dir=$2
    mkdir -p "$dir/signatures"
    echo "44d88612fea8a8f36de82e1278abb02f:68:Eicar-Test-Signature" >"$dir/signatures/eicar.hdb"
    for _ in 1 2 3 4 5; do
      port=$((20000 + RANDOM % 20000))
      cat >"$dir/clamd.conf" <<CONF
Foreground yes
DatabaseDirectory $dir/signatures
TCPSocket $port
TCPAddr 127.0.0.1
StreamMaxLength 30M
MaxThreads 2
CONF
      clamd=$(command -v clamd || echo /usr/sbin/clamd)
      "$clamd" --config-file="$dir/clamd.conf" >"$dir/log" 2>&1 </dev/null &
      scanner=$!
      for _ in $(seq 100); do
        kill -0 "$scanner" 2>/dev/null || break
        if (exec 3<>"/dev/tcp/127.0.0.1/$port" && echo PING >&3 && read -r pong <&3 && [ "$pong" = PONG ]) 2>/dev/null; then
          echo "$scanner" >"$dir/pid"
          echo "127.0.0.1:$port"
          exit 0
        fi
        sleep 0.1
      done
      kill "$scanner" 2>/dev/null || true
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
    echo "usage: clamd.sh start DIR | stop DIR" >&2
    exit 2
    ;;
esac
