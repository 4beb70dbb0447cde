#!/usr/bin/env bash
# Builds the release: an archive with binary, manual pages, completions, licences, SBOM (CycloneDX), docs and deploy files, a
# Debian package, and their checksums, in dist/. Installs cargo-deb, cargo-about and cargo-cyclonedx if they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in cargo-deb cargo-about cargo-cyclonedx; do
  command -v "$tool" >/dev/null && continue
  echo "$tool is missing; installing it with: cargo install --locked $tool"
  features=()
  [ "$tool" = cargo-about ] && features=(--features cli)
  cargo install --locked "${features[@]}" "$tool"
done

target=${CARGO_TARGET_DIR:-target}
version=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"name":"cli","version":"\([^"]*\)".*/\1/')
name=spvctl-$version-$(uname -m)-linux
rm -rf dist
mkdir -p dist/man dist/completions "dist/$name"

echo "[1/4] Web app"
npm --prefix web ci --no-audit --no-fund --loglevel=error
npm --prefix web run --silent build
echo "[2/4] Binary"
cargo build --release --locked --workspace
"$target/release/spvctl" man dist/man
for shell in bash zsh fish; do "$target/release/spvctl" completions "$shell" >"dist/completions/spvctl.$shell"; done

echo "[3/4] Licences and SBOM"
cargo about generate --config scripts/release/about.toml --manifest-path cli/Cargo.toml scripts/release/licenses.hbs >dist/LICENSES-crates.txt
node scripts/release/npm_licenses.mjs >dist/LICENSES-npm.txt
cargo cyclonedx --manifest-path cli/Cargo.toml --format json --override-filename spvctl.cdx >/dev/null
mv cli/spvctl.cdx.json dist/
find . -name spvctl.cdx.json -not -path './dist/*' -not -path './target/*' -delete
npm --prefix web sbom --omit dev --sbom-format cyclonedx >dist/web.cdx.json

echo "[4/4] Archive and Debian package"
cp "$target/release/spvctl" README.md CHANGELOG.md LICENSE dist/LICENSES-*.txt dist/*.cdx.json "dist/$name"
cp -r docs deploy dist/man dist/completions "dist/$name"
tar -C dist --sort=name --owner=0 --group=0 --numeric-owner -czf "dist/$name.tar.gz" "$name"
cargo deb --package cli --no-build --no-strip --output dist/ ${DEB_VERSION:+--deb-version "$DEB_VERSION"}
(cd dist && sha256sum ./*.tar.gz ./*.deb >SHA256SUMS && rm -rf "$name")
echo "dist/: $(cd dist && ls | tr '\n' ' ')"
