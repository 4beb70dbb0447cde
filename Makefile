# `make run` starts the portal with demo data, `make check` is for each commit, `make test` for each merge.
.PHONY: run dev check test audit bench fmt dist dist-test

# Builds the portal as far as it is out of date and starts it at http://127.0.0.1:8080.
run:
	@sh scripts/run.sh

# The API, and the web app by Vite with reload.
dev:
	@sh scripts/dev.sh

# Format, lints, types, unit tests, Rust tests on SQLite: minutes.
check:
	@bash scripts/check.sh

# All tests, on SQLite and PostgreSQL, up to the browser.
test:
	@bash scripts/test.sh

# Licences, banned crates, sources and security advisories of the dependencies.
audit:
	@sh scripts/audit.sh

# The release in dist/: archive, Debian package, licences, SBOM, checksums.
dist:
	@bash scripts/dist.sh

# Installs, upgrades and removes the Debian package on this machine.
dist-test:
	@bash scripts/dist_test.sh

# Measures the release binary, compared with a bare server.
bench:
	@sh scripts/bench.sh

fmt:
	cargo fmt --all
	npm --prefix web run --silent format
