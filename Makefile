# `make run` starts the portal with demo data; `make test` runs everything that must hold.
.PHONY: run test bench dev fmt

# Builds what is not up to date and starts the portal at http://127.0.0.1:8080.
run:
	@sh scripts/run.sh

# Everything that must hold, on SQLite and PostgreSQL, down to the browser.
test:
	@bash scripts/test.sh

# Measures the release binary beside a bare server.
bench:
	@sh scripts/bench.sh

# The API, and the web app by Vite with reload.
dev:
	@sh scripts/dev.sh

fmt:
	cargo fmt --all
	npm --prefix web run --silent format
