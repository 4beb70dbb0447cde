#!/usr/bin/env bash
# The quick half of test.sh, for each commit: format, lints, types, web unit tests, Rust tests on SQLite alone. Reuses
# installed packages and the web build. The Rust tests choose PostgreSQL, S3 and clamd by TEST_… variables, which are unset
# here, and fail for want of them only where CI is set.
set -uo pipefail
. "$(dirname "$0")/lib.sh"
trap 'rm -rf "$logs"' EXIT
unset TEST_POSTGRES_URL TEST_S3_URL TEST_CLAMD CI

missing=()
sh scripts/python.sh >/dev/null 2>&1 || missing+=(python3-aiosmtpd)
need "${missing[@]}"
sh scripts/tools.sh || { echo "0 passed, 1 failed"; exit 1; }

check "plain words in comments" sh scripts/check-words.sh
check "links and paths of the documentation" python3 scripts/check_docs.py
check "web packages and build" sh scripts/web.sh
{
  [ -e web/tools/openapi/node_modules/.package-lock.json ] \
    || check "web packages of the type generator" npm --prefix web/tools/openapi ci --no-audit --no-fund --loglevel=error
  web_checks
} >"$logs/web_checks" 2>&1 &
web_checks=$!

check "rust format" cargo fmt --all --check
check "rust build and lints" "${clippy[@]}" cargo test --locked --workspace --no-run
wait_for_web "$web_checks"
suite "rust tests on SQLite" count_cargo "${clippy[@]}" cargo test --locked --workspace --no-fail-fast
summary
