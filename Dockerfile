# syntax=docker/dockerfile:1
# The portal as one image. Build: docker build -t spv-portal .   Run: see deploy/compose.yaml.
# The container runs as an unprivileged user and needs to write only to /var/lib/spv.

FROM node:22-bookworm-slim AS web
WORKDIR /src
COPY web/package.json web/package-lock.json web/
RUN npm --prefix web ci --no-audit --no-fund
COPY domain/messages domain/messages
COPY web web
RUN npm --prefix web run build

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY api api
COPY cli cli
COPY db db
COPY domain domain
COPY jobs jobs
COPY migrations migrations
COPY --from=web /src/web/dist web/dist
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked --workspace && install target/release/spvctl /usr/local/bin/spvctl

FROM debian:bookworm-slim
# The fonts print names in Japanese, Chinese, Korean, Thai and Arabic on invoices.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates fonts-noto-core fonts-noto-cjk fonts-thai-tlwg \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --no-create-home --home-dir /var/lib/spv spv \
 && install -d -o spv -g spv -m 0700 /var/lib/spv
COPY --from=build /usr/local/bin/spvctl /usr/local/bin/spvctl
USER spv
ENV SPV_DATA_DIR=/var/lib/spv SPV_LISTEN=0.0.0.0:8080 SPV_LOG_FORMAT=json
VOLUME /var/lib/spv
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s CMD ["spvctl", "healthcheck"]
ENTRYPOINT ["spvctl"]
CMD ["serve"]
