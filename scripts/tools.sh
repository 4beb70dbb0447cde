#!/bin/sh
# Checks the build tools and their versions; names each missing one with the command that installs it.
missing=0
lack() {
  echo "$1"
  echo "    $2"
  missing=1
}

# at_least FOUND WANTED: compares major and minor.
at_least() {
  found_major=${1%%.*} found_rest=${1#*.} wanted_major=${2%%.*} wanted_minor=${2#*.}
  [ "$found_major" -gt "$wanted_major" ] || { [ "$found_major" -eq "$wanted_major" ] && [ "${found_rest%%.*}" -ge "$wanted_minor" ]; }
}

apt() {
  command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

rustup="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y"
if ! command -v cargo >/dev/null 2>&1; then
  lack "cargo is missing (1.94 or newer is needed). Install it with:" "$rustup"
else
  version=$(cargo --version | cut -d' ' -f2)
  at_least "$version" 1.94 || lack "cargo is $version; 1.94 or newer is needed. Update it with:" "rustup update stable    # or, without rustup: $rustup"
fi

node22="curl -fsSL https://deb.nodesource.com/setup_22.x | sudo bash - && sudo apt-get install -y nodejs"
if ! command -v node >/dev/null 2>&1; then
  lack "node is missing (20 or newer is needed). Install it with:" "$node22"
else
  version=$(node --version)
  version=${version#v}
  at_least "$version" 20.0 || lack "node is $version; 20 or newer is needed. Install it with:" "$node22"
  command -v npm >/dev/null 2>&1 || lack "npm is missing. Install it with:" "sudo apt-get install -y npm"
fi

if ! command -v cc >/dev/null 2>&1; then
  apt build-essential || lack "A C compiler is missing (SQLite is built with it). Install it with:" "sudo apt-get install -y build-essential"
fi
exit $missing
