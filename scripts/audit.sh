#!/bin/sh
# Checks the crates that the portal is built from: licences, banned crates, sources (.cargo/deny.toml), and security
# advisories where their database can be fetched.
set -e
cd "$(dirname "$0")/.."

if ! cargo deny --version >/dev/null 2>&1; then
  echo "cargo-deny is missing; installing it with: cargo install --locked cargo-deny"
  cargo install --locked cargo-deny
fi
cargo deny --all-features check licenses bans sources
if cargo deny fetch db >/dev/null 2>&1; then
  cargo deny --all-features check --disable-fetch advisories
else
  echo "The advisory database cannot be fetched from here: advisories were not checked."
fi
