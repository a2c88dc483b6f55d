# Six doors. CI opens three of them and holds no logic of its own.
#
#   make run     a demonstration board in the browser, from a release build
#   make dev     the same in debug, rebuilt and restarted on save
#   make check   formatting, lints, documentation, styles, links, sizes
#   make test    every Rust test (SLOW=1 adds the long ones)
#   make e2e     the release binary in a real browser, with a real agent client
#   make bench   the promises of speed beside their floors

.PHONY: run dev check test e2e bench
.DEFAULT_GOAL := run

# Server crates need no browser half to be checked or tested.
NO_UI := CALLBOARD_UI=skip
CHROMIUM := $(firstword $(wildcard /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome))
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

run: wasm-target
	cargo run --release -p callboard -- demo target/demo --port 2140 --open

dev: wasm-target
	end2end/scripts/dev

check: wasm-target end2end/node_modules/.package-lock.json
	cargo fmt --all --check
	$(NO_UI) cargo clippy --workspace --all-targets --exclude frontend -- -D warnings
	cargo clippy -p frontend -p engine -p workflow -p filter --target wasm32-unknown-unknown -- -D warnings
	$(NO_UI) RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --exclude frontend
	cd end2end && npm run --silent types && npm run --silent css && npm run --silent links && npm run --silent licences -- --check
	cargo build --release -p callboard
	cd end2end && npm run --silent sizes

test:
	$(NO_UI) cargo test --workspace --exclude frontend

e2e: wasm-target chromium end2end/node_modules/.package-lock.json
	cargo build --release -p callboard
	cd end2end && npx playwright test

# A thousand sockets are a thousand files, on either side.
bench: wasm-target
	ulimit -n 8192 && cargo bench -p callboard --bench board

# What the doors need, brought when it is missing.
.PHONY: wasm-target chromium

wasm-target:
	@test -d "$$(rustc --print target-libdir --target wasm32-unknown-unknown)" || rustup target add wasm32-unknown-unknown

chromium:
ifeq ($(CHROMIUM)$(value CALLBOARD_CHROMIUM),)
	$(AS_ROOT) apt-get update -qq
	$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
endif

end2end/node_modules/.package-lock.json: end2end/package.json end2end/package-lock.json
	cd end2end && npm ci --no-progress
	@touch $@
