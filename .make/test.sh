#!/usr/bin/env bash
# Everything that must hold: format, lints, types, Rust tests on SQLite and PostgreSQL, web unit tests, the sign-in
# protocol as the client from npm speaks it on both databases, and the browser stories in Chromium: all of them on SQLite,
# on PostgreSQL those whose server side differs by database. Ends with the time of each part and `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$0")/.."
export RUST_BACKTRACE=0 CARGO_TERM_COLOR=never
logs=$(mktemp -d)
# One line for each part: passed, failed, seconds, name. A file, because some parts run in a subshell.
results=$logs/results
: >"$results"

# Chromium, PostgreSQL, a virus scanner and a mail server are real here, from Debian's packages.
need() {
  local missing=()
  [ -x /usr/bin/chromium-headless-shell ] || missing+=(chromium-headless-shell)
  fc-list 2>/dev/null | grep -q Liberation || missing+=(fonts-liberation)
  ls -d /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
  [ -x /usr/sbin/clamd ] || command -v clamd >/dev/null || missing+=(clamav-daemon)
  sh .make/python.sh >/dev/null 2>&1 || missing+=(python3-aiosmtpd)
  if command -v cargo >/dev/null && ! command -v clippy-driver >/dev/null; then
    echo "Clippy is needed for the tests: rustup component add clippy"
    echo "0 passed, 1 failed"
    exit 1
  fi
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null && return 0
  fi
  echo "These are needed for the tests: sudo apt-get install ${missing[*]}"
  echo "0 passed, 1 failed"
  exit 1
}

record() {
  echo "$1 $2 $((SECONDS - $3)) $4" >>"$results"
}

# A check that passes or fails as a whole.
check() {
  local name=$1 start=$SECONDS out
  out=$(mktemp "$logs/out-XXXXXX")
  shift
  if "$@" >"$out" 2>&1; then
    record 1 0 "$start" "$name"
    echo "ok      $name ($((SECONDS - start)) s)"
  else
    record 0 1 "$start" "$name"
    echo "FAILED  $name ($((SECONDS - start)) s)"
    tail -n 60 "$out"
  fi
}

# Tests that say themselves how many there were: `count` prints "passed failed" from the log.
suite() {
  local name=$1 count=$2 start=$SECONDS status=0 ok bad out
  out=$(mktemp "$logs/out-XXXXXX")
  shift 2
  "$@" >"$out" 2>&1 || status=$?
  read -r ok bad < <("$count" "$out")
  # A suite that breaks before it counts is one failure.
  [ "$status" = 0 ] || [ "$bad" -gt 0 ] || bad=1
  [ "$((ok + bad))" -gt 0 ] || bad=1
  record "$ok" "$bad" "$start" "$name"
  if [ "$bad" = 0 ]; then
    echo "ok      $name: $ok ($((SECONDS - start)) s)"
  else
    echo "FAILED  $name: $ok passed, $bad failed ($((SECONDS - start)) s)"
    why "$out" | head -n 150
  fi
}

# Of a log, which tests failed and then why: what a reader of only the first lines wants.
why() {
  grep -E '^ +✘|^test .* FAILED$|^ FAIL ' "$1"
  if grep -qE '^  1\) |^failures:$|Failed Tests' "$1"; then
    sed -nE '/^  1\) |^failures:$|Failed Tests/,$p' "$1" | grep -vE '^$'
  else
    tail -n 100 "$1"
  fi
}

count_cargo() {
  awk '/^test result:/ { ok += $4; bad += $6 } END { print ok + 0, bad + 0 }' "$1"
}

count_vitest() {
  awk '/^ *Tests / { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) ok = $(i - 1); if ($i ~ /^failed/) bad = $(i - 1) } }
    END { print ok + 0, bad + 0 }' "$1"
}

count_playwright() {
  awk '/^ +[0-9]+ passed/ { ok = $1 } /^ +[0-9]+ (failed|flaky|interrupted|did not run)/ { bad += $1 } END { print ok + 0, bad + 0 }' "$1"
}

types_are_fresh() {
  cp web/src/api/schema.ts "$logs/schema.ts" && npm --prefix web run --silent openapi && diff "$logs/schema.ts" web/src/api/schema.ts
}

need
sh .make/tools.sh || { echo "0 passed, 1 failed"; exit 1; }
postgres=$(mktemp -d /tmp/spv-pg-XXXXXX)
s3=$(mktemp -d /tmp/spv-s3-XXXXXX)
clamd=$(mktemp -d /tmp/spv-clamd-XXXXXX)
trap '.make/postgres.sh stop "$postgres"; .make/s3.sh stop "$s3"; .make/clamd.sh stop "$clamd"; rm -rf "$logs"' EXIT
# The Rust tests leave hundreds of databases behind: to look after them takes a twentieth of the machine ever after.
TEST_POSTGRES_URL=$(.make/postgres.sh start "$postgres" fsync=off autovacuum=off) || { echo "0 passed, 1 failed"; exit 1; }
TEST_S3_URL=$(.make/s3.sh start "$s3") || { echo "0 passed, 1 failed"; exit 1; }
TEST_CLAMD=$(.make/clamd.sh start "$clamd") || { echo "0 passed, 1 failed"; exit 1; }
export TEST_POSTGRES_URL TEST_S3_URL TEST_CLAMD

check "web packages" npm --prefix web ci --no-audit --no-fund --loglevel=error
check "web build" npm --prefix web run build

# Beside the Rust build, whose last crates leave a core idle. Prints when it is done, so that no two parts mix.
web_checks() {
  check "web packages of the type generator" npm --prefix web/tools/openapi ci --no-audit --no-fund --loglevel=error
  check "web format" npm --prefix web run format:check
  check "web lints" npm --prefix web run lint
  check "web types" npm --prefix web run check
  check "generated types are fresh" types_are_fresh
  suite "web unit tests" count_vitest env NO_COLOR=1 CI=1 npm --prefix web test
}
web_checks >"$logs/web_checks" 2>&1 &
web_checks=$!

check "rust format" cargo fmt --all --check
# Clippy looks at our code while it is compiled for the tests: as a command of its own it compiles every crate once more.
# What it compiles is a little less optimised, which no test minds.
clippy=(env RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings)
check "rust build and lints" "${clippy[@]}" cargo test --locked --workspace --no-run
wait "$web_checks"
cat "$logs/web_checks"
# They wait for disks, servers and other processes for a third of their time: two cores have enough to do for four.
[ "$(nproc)" -ge 4 ] || export RUST_TEST_THREADS=${RUST_TEST_THREADS:-4}
suite "rust tests" count_cargo "${clippy[@]}" cargo test --locked --workspace --no-fail-fast
suite "auth-js compatibility on SQLite" count_vitest env NO_COLOR=1 CI=1 STORY_DATABASE=sqlite npm --prefix web run auth-compat
suite "auth-js compatibility on PostgreSQL" count_vitest env NO_COLOR=1 CI=1 STORY_DATABASE=postgres npm --prefix web run auth-compat
suite "browser tests on SQLite" count_playwright env NO_COLOR=1 CI=1 STORY_DATABASE=sqlite npm --prefix web run e2e
suite "browser tests on PostgreSQL" count_playwright env NO_COLOR=1 CI=1 STORY_DATABASE=postgres npm --prefix web run e2e

# The slowest part first.
echo
printf '%8s %8s %8s  %s\n' seconds passed failed part
sort -k3,3nr "$results" | while read -r ok bad seconds name; do printf '%8s %8s %8s  %s\n' "$seconds" "$ok" "$bad" "$name"; done
printf '%8s  in all\n' "$SECONDS"
echo

read -r passed failed < <(awk '{ ok += $1; bad += $2 } END { print ok + 0, bad + 0 }' "$results")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
