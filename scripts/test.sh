#!/usr/bin/env bash
# All tests: format, lints, types, Rust tests on SQLite and PostgreSQL, web unit tests, auth compatibility with the
# npm client auth-js on both databases, and the browser tests in Chromium: all of them on SQLite, on PostgreSQL those whose
# server side differs by database. Ends with the time of each part and `N passed, N failed`.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

# A full disk fails every test after some moment, and none says why.
free=$(df -Pk . "${TMPDIR:-/tmp}" | awk 'NR > 1 && (min == "" || $4 < min) { min = $4 } END { print int(min / 1048576) }')
if [ "$free" -lt 12 ]; then
  echo "Only $free GB are free where the portal is built and in ${TMPDIR:-/tmp}; all tests need 12 GB. Free some space, or set TMPDIR."
  echo "0 passed, 1 failed"
  exit 1
fi
# Incremental compilation takes several GB and saves nothing where everything is compiled once.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0

# Browsers, PostgreSQL with PgBouncer, a virus scanner and a mail server are real here, from Debian's packages.
missing=()
[ -x /usr/bin/chromium-headless-shell ] || missing+=(chromium-headless-shell)
[ -x /usr/bin/firefox-esr ] || missing+=(firefox-esr)
fc-list 2>/dev/null | grep -q Liberation || missing+=(fonts-liberation)
fc-list :lang=ja 2>/dev/null | grep -q . || missing+=(fonts-ipafont-gothic)
ls -d /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
[ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
[ -x /usr/sbin/clamd ] || command -v clamd >/dev/null || missing+=(clamav-daemon)
sh scripts/python.sh >/dev/null 2>&1 || missing+=(python3-aiosmtpd)
need "${missing[@]}"
sh scripts/tools.sh || { echo "0 passed, 1 failed"; exit 1; }
postgres=$(mktemp -d /tmp/spv-pg-XXXXXX)
s3=$(mktemp -d /tmp/spv-s3-XXXXXX)
clamd=$(mktemp -d /tmp/spv-clamd-XXXXXX)
trap 'scripts/postgres.sh stop "$postgres"; scripts/s3.sh stop "$s3"; scripts/clamd.sh stop "$clamd"; rm -rf "$logs"' EXIT
# The Rust tests make hundreds of short-lived databases: vacuuming them would take a twentieth of the machine.
TEST_POSTGRES_URL=$(scripts/postgres.sh start "$postgres" fsync=off autovacuum=off) || { echo "0 passed, 1 failed"; exit 1; }
TEST_S3_URL=$(scripts/s3.sh start "$s3") || { echo "0 passed, 1 failed"; exit 1; }
TEST_CLAMD=$(scripts/clamd.sh start "$clamd") || { echo "0 passed, 1 failed"; exit 1; }
export TEST_POSTGRES_URL TEST_S3_URL TEST_CLAMD

check "plain words in comments" sh scripts/check-words.sh
check "links and paths of the documentation" python3 scripts/check_docs.py
check "web packages" npm --prefix web ci --no-audit --no-fund --loglevel=error
check "web build" npm --prefix web run build
{
  check "web packages of the type generator" npm --prefix web/tools/openapi ci --no-audit --no-fund --loglevel=error
  web_checks
} >"$logs/web_checks" 2>&1 &
web_checks=$!

check "rust format" cargo fmt --all --check
check "rust build and lints" "${clippy[@]}" cargo test --locked --workspace --no-run
wait_for_web "$web_checks"
suite "rust tests" count_cargo "${clippy[@]}" cargo test --locked --workspace --no-fail-fast
suite "auth-js compatibility on SQLite" count_vitest env NO_COLOR=1 CI=1 STORY_DATABASE=sqlite npm --prefix web run auth-compat
suite "auth-js compatibility on PostgreSQL" count_vitest env NO_COLOR=1 CI=1 STORY_DATABASE=postgres npm --prefix web run auth-compat
suite "browser tests on SQLite" count_playwright env NO_COLOR=1 CI=1 STORY_DATABASE=sqlite npm --prefix web run e2e
suite "browser tests on PostgreSQL" count_playwright env NO_COLOR=1 CI=1 STORY_DATABASE=postgres npm --prefix web run e2e
summary
