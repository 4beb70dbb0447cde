#!/usr/bin/env bash
# dist_test.sh [OLD.deb NEW.deb]
# Tests the Debian package on this machine, as root: builds it twice, first as it was before the newest migration, then
# installs, starts, checks, upgrades and removes it. Also checks the archive. With two packages it builds
# none. Not part of `make test`: it builds in release.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "Run this as root, on a machine without a portal: it installs a package."; exit 1; }
check_no_portal() {
  for found in /var/lib/spv /var/backups/spv /etc/spv /etc/default/spv /usr/bin/spvctl; do
    [ ! -e "$found" ] || { echo "There is a portal on this machine: $found. Nothing was changed."; exit 1; }
  done
  if getent passwd spv >/dev/null || dpkg -s spv-portal >/dev/null 2>&1; then
    echo "There is an account spv or a package spv-portal on this machine. Nothing was changed."
    exit 1
  fi
}
check_no_portal

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
before=$(mktemp -d /tmp/spv-before-XXXXXX)
logs=$(mktemp -d /tmp/spv-dist-logs-XXXXXX)
port=18080
server=
installed=
stop() {
  [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
  server=
}
finish() {
  stop || true
  git worktree remove --force "$before" 2>/dev/null || true
  if [ -n "$installed" ]; then
    DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq spv-portal >/dev/null 2>&1 || true
    rm -rf /var/lib/spv /var/backups/spv /etc/spv /etc/default/spv
    deluser --quiet --system spv 2>/dev/null || true
  fi
  rm -rf "$before" "$logs"
}
trap finish EXIT
step() { echo "==> $*"; }
fail() { echo "FAILED: $*"; exit 1; }
as_portal() { (exec_as_portal "$@"); }
# Replaces the shell, so that `$!` of a background job is the command itself.
exec_as_portal() { exec setpriv --reuid spv --regid spv --init-groups env HOME=/var/lib/spv "$@"; }

build() {
  newest=$(ls migrations/sqlite/*.sql | sort | tail -1)
  added=$(git log --diff-filter=A --format=%H -1 -- "$newest")
  step "Build the version before the newest migration, $(basename "$newest")"
  git worktree add --quiet --detach "$before" "$added^"
  (cd "$before" && DEB_VERSION=0.0.1 bash scripts/dist.sh)
  old=$(realpath "$before"/dist/*.deb)
  # Cargo takes the crates of both folders for the same, and compares the times of their files: without this it would keep
  # those of the version before.
  git ls-files -z db domain api jobs cli migrations | xargs -0 touch
  step "Build this version"
  bash scripts/dist.sh
  new=$(realpath dist/*.deb)

  step "Check the archive"
  (cd dist && sha256sum --check --quiet SHA256SUMS)
  unpacked=$(mktemp -d)
  tar -xzf dist/*.tar.gz -C "$unpacked"
  "$unpacked"/*/spvctl --version
  [ "$(ls "$unpacked"/*/man/*.1 | wc -l)" -gt 100 ] || fail "manual pages are missing"
  grep -q '"bomFormat": "CycloneDX"' "$unpacked"/*/spvctl.cdx.json || fail "no SBOM"
  rm -rf "$unpacked"
}
if [ $# = 2 ]; then
  old=$(realpath "$1") new=$(realpath "$2")
else
  build
fi

step "Install the version before: $(basename "$old")"
check_no_portal
installed=1
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$old" >/dev/null
id spv >/dev/null || fail "the account spv was not made"
[ "$(stat -c '%U %a' /var/lib/spv)" = "spv 700" ] || fail "/var/lib/spv: $(stat -c '%U %a' /var/lib/spv)"
[ "$(stat -c '%U %a' /var/backups/spv)" = "spv 700" ] || fail "/var/backups/spv: $(stat -c '%U %a' /var/backups/spv)"
[ "$(stat -c '%G %a' /etc/spv/portal.toml)" = "spv 640" ] || fail "/etc/spv/portal.toml is readable by others"
if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify /lib/systemd/system/spv.service /lib/systemd/system/spv-worker.service
  systemd-analyze security --offline=true --threshold=20 /lib/systemd/system/spv.service >/dev/null
fi
sed -i "s|^public_url.*|public_url = \"http://127.0.0.1:$port\"|; s|^listen.*|listen = \"127.0.0.1:$port\"|; s|^metrics_listen.*|metrics_listen = \"127.0.0.1:18090\"|" /etc/spv/portal.toml

start() {
  exec_as_portal spvctl serve >"$logs/$1" 2>&1 &
  server=$!
  for _ in $(seq 60); do
    as_portal spvctl healthcheck >/dev/null 2>&1 && return
    kill -0 "$server" 2>/dev/null || break
    sleep 1
  done
  cat "$logs/$1"
  fail "the portal does not start"
}
step "Start it, create an account and a client"
start before
as_portal spvctl user create --role super_admin --first-name Ada --last-name Admin --email ada@example.com --yes >/dev/null
as_portal spvctl company create --name Harbor --business-name "Harbor LLC" --yes >/dev/null
as_portal spvctl client create --setup quick --first-name Maya --last-name Ortiz --email maya@example.com --company Harbor --price 1250.00 --yes >/dev/null
curl -fsS "http://127.0.0.1:$port/" | grep -q '<div id="root"' || fail "the web app is not in the binary"
stop

step "Upgrade to $(basename "$new")"
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$new" >/dev/null
grep -q "127.0.0.1:$port" /etc/spv/portal.toml || fail "the upgrade replaced the configuration"
start after
as_portal spvctl backup list | grep -q -- -upgrade || fail "no backup was made before the upgrade"
as_portal spvctl client list | grep -q maya@example.com || fail "the client is gone"
as_portal spvctl migrate --check || fail "the schema is not up to date"
stop
as_portal spvctl doctor || [ $? = 1 ]
man --whatis spvctl >/dev/null 2>&1 || man -w spvctl >/dev/null 2>&1 || echo "man is not installed here: pages not shown"

step "Remove and purge it"
DEBIAN_FRONTEND=noninteractive apt-get remove -y -qq spv-portal >/dev/null
[ ! -e /usr/bin/spvctl ] || fail "the binary is still there"
[ -e /etc/spv/portal.toml ] || fail "remove took the configuration"
DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq spv-portal >/dev/null
[ ! -e /etc/spv/portal.toml ] || fail "purge left the configuration"
[ -e /var/lib/spv/spv.db ] || fail "purge took the data"
ls /var/backups/spv/* >/dev/null || fail "purge took the backups"
getent passwd spv >/dev/null || fail "purge took the owner of the data"
echo "The package installs, starts, upgrades and removes."
