# Functions of check.sh and test.sh, which source this file: running the parts, counting their tests, the closing table.
# Needs bash; changes to the root of the repository.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export RUST_BACKTRACE=0 CARGO_TERM_COLOR=never
logs=$(mktemp -d)
# One line per part: passed, failed, seconds, name. A file, because some parts run in a subshell.
results=$logs/results
: >"$results"

# need PACKAGE...: installs Debian packages as root, else prints the command.
need() {
  if command -v cargo >/dev/null && ! command -v clippy-driver >/dev/null; then
    echo "Clippy is needed for the tests: rustup component add clippy"
    echo "0 passed, 1 failed"
    exit 1
  fi
  [ $# -gt 0 ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null && return 0
  fi
  echo "These are needed for the tests: sudo apt-get install $*"
  echo "0 passed, 1 failed"
  exit 1
}

record() {
  echo "$1 $2 $((SECONDS - $3)) $4" >>"$results"
}

# check NAME COMMAND...: passes or fails as a whole.
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

# suite NAME COUNT COMMAND...: the function COUNT prints "passed failed" from the log.
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

# Of a log: the failed tests first, then the reasons.
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

# Format, lints, types and unit tests of the web app. Runs in the background, beside the Rust build, whose last crates leave
# a core idle; `wait_for_web` prints the result.
web_checks() {
  check "web format" npm --prefix web run format:check
  check "web lints" npm --prefix web run lint
  check "web types" npm --prefix web run check
  check "generated types are fresh" types_are_fresh
  suite "web unit tests" count_vitest env NO_COLOR=1 CI=1 npm --prefix web test
}

wait_for_web() {
  wait "$1"
  cat "$logs/web_checks"
}

# Clippy lints our code while it is compiled for the tests: a separate command would compile each crate once more.
# Crates compiled by it are slightly less optimised, which no test notices.
clippy=(env RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings)

# Rust tests wait for disks, servers and other processes for a third of their time: two cores have enough work for four
# threads.
[ "$(nproc)" -ge 4 ] || export RUST_TEST_THREADS=${RUST_TEST_THREADS:-4}

# The closing table, slowest part first, and `N passed, N failed`; fails if a test failed.
summary() {
  local passed failed
  echo
  printf '%8s %8s %8s  %s\n' seconds passed failed part
  sort -k3,3nr "$results" | while read -r ok bad seconds name; do printf '%8s %8s %8s  %s\n' "$seconds" "$ok" "$bad" "$name"; done
  printf '%8s  in all\n' "$SECONDS"
  echo
  read -r passed failed < <(awk '{ ok += $1; bad += $2 } END { print ok + 0, bad + 0 }' "$results")
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
