# `make run` and `make test` are the two commands; both install missing tools and name them.
# Linux with apt is tested; macOS and Windows (make in Git for Windows' shell) are written and untested.
.DEFAULT_GOAL := help
SHELL := /bin/sh
.DELETE_ON_ERROR:
.NOTPARALLEL:

export PATH := $(CURDIR)/target/tools/node/bin:$(HOME)/.cargo/bin:$(PATH)

LOG ?= samples/pi/long/input.jsonl
OUT := $(or $(CARGO_TARGET_DIR),target)
PACKAGES := target/packages
CARGO_FLAGS := --locked
# The package for Python has no tests in Rust, and needs pyo3 and arrow, which nothing else does; `test-python` compiles it.
CRATES := --workspace --exclude cwl-python
# One more test at once than there are processors, as some wait for locks and clocks. A process a test, as `cargo nextest` has it,
# loads the vocabularies in each: `cwl-host` takes 247 instead of 161 seconds of a processor. A test in a module `slow` runs in
# `make test-all` alone.
TESTS_AT_ONCE := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# The gate tries the same random cases each time, so that a commit is red only by what it changed; `make test-all` tries others.
FIXED_CASES := PROPTEST_RNG_SEED=20261130
RUN_TESTS := $(if $(CWL_ALL),,$(FIXED_CASES)) cargo test $(CARGO_FLAGS) $(CRATES) --no-fail-fast --quiet --lib --bins --tests -- \
  --test-threads $(TESTS_AT_ONCE) $(if $(CWL_ALL),,--skip slow::)
# PROPTEST_CASES goes over the number that a property asks for. A property below this name opens stores, a second a case: with
# 1,024 cases it takes an hour, so it keeps its own number.
STORE_PROPERTIES := reading::live::
RUN_MANY_CASES := PROPTEST_CASES=$(CWL_CASES) $(RUN_TESTS) --skip $(STORE_PROPERTIES)
# The suites compile the workspace with Clippy's driver, which is the compiler with lints: one compile gives programs, tests and
# findings. A call of cargo outside the suites compiles with rustc, and leaves what the suites compiled as it is. Without lines for
# backtraces the compile takes a sixteenth less (391 for 416 s); a failed assertion tells its line all the same.
ONE_COMPILE := RUSTC_WORKSPACE_WRAPPER=clippy-driver CARGO_PROFILE_DEV_DEBUG=false
BUILD_TESTS := cargo test $(CARGO_FLAGS) $(CRATES) --no-run --quiet --lib --bins --tests
# Cargo compiles a crate once for each set of features, and the set follows from the packages that one call names. So
# every suite names the same crates; naming one test turns on the features that the tests use.
BUILD_PROGRAMS := $(if $(CWL_PROGRAMS_ARE_BUILT),:,cargo build $(CARGO_FLAGS) $(CRATES) --bins --test fence)

# A window can be opened: always on macOS and Windows, with a display on the others.
UNAME := $(shell uname -s)
ifneq ($(filter Linux %BSD,$(UNAME)),)
  DISPLAY_FOUND := $(DISPLAY)$(WAYLAND_DISPLAY)
else
  DISPLAY_FOUND := native
endif

say = @printf '\n\033[1m== %s\033[0m\n' "$(1)"

.PHONY: help
help: ## Lists the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

# --- people -----------------------------------------------------------------------------------------------------

.PHONY: run
ifeq ($(strip $(DISPLAY_FOUND)),)
run: ## Opens the window on a sample (LOG=path for your own log)
	@./.ci/setup cli
	@echo "There is no display (DISPLAY and WAYLAND_DISPLAY are empty), so no window can open."
	@echo "This is the report of the same session. 'make serve' shows the window's page in a browser; 'cargo run -p cwl-cli -- --help' lists all commands."
	cargo build $(CARGO_FLAGS) -p cwl-cli --no-default-features --profile quick
	@$(OUT)/quick/cwl report "$(LOG)"
else
run: setup ui-build ## Opens the window on a sample (LOG=path for your own log)
	cargo build $(CARGO_FLAGS) -p cwl-inspector
	$(OUT)/debug/cwl-inspector "$(LOG)"
endif

.PHONY: serve
serve: ## Serves the window's page for a browser on this machine (LOG=path for your own log)
	@./.ci/setup page
	@$(MAKE) --no-print-directory ui-build
	cargo build $(CARGO_FLAGS) -p cwl-cli
	@$(OUT)/debug/cwl serve "$(LOG)"

.PHONY: demo
demo: setup ui-build ## Opens the session of the presenter's script in the window (docs/demo.md)
	cargo build $(CARGO_FLAGS) -p cwl-inspector
	$(OUT)/debug/cwl-inspector samples/pi/long/input.jsonl --budget 80k

.PHONY: demo-duel
demo-duel: setup ui-build ## Opens the session of the duel, a task that comes back to early findings (docs/demo.md)
	cargo build $(CARGO_FLAGS) -p cwl-inspector
	$(OUT)/debug/cwl-inspector samples/pi/returns/input.jsonl --budget 50k

.PHONY: demo-live
demo-live: setup ui-build ## Plays a short sample in the window as if an agent were writing it now
	cargo build $(CARGO_FLAGS) -p cwl-inspector
	$(OUT)/debug/cwl-inspector --demo

.PHONY: demo-agent
demo-agent: setup ui-build ## Opens a real agent that a policy holds at τ, in the lab, while it works; steer it in the window (network; HARNESS=pi, opencode, claude, codex or gemini)
	cargo build $(CARGO_FLAGS) -p cwl-inspector -p cwl-cli
	CWL=$(abspath $(OUT))/debug/cwl PYTHONPATH=$(CURDIR) \
	  python3 -m lab.demo $(or $(HARNESS),pi) -- $(abspath $(OUT))/$(if $(strip $(DISPLAY_FOUND)),debug/cwl-inspector,debug/cwl serve)

.PHONY: setup
setup:
	@./.ci/setup build

# --- tests ------------------------------------------------------------------------------------------------------

# Every suite runs, whatever failed before it; the end names those that did. Both processors have work all the time: the suites of
# the page run beside the compiler; the window, which draws one test at a time, and `check-wasm`, which checks one crate after
# another, beside the tests of the crates.
FIRST := check-format build-tests check-generated check-rust
BESIDE := ui-test ui-check
THEN := test-rust
WINDOW := test-window check-wasm
REST := test-browser
# `make test-all` adds what the gate leaves out: whole suites, and more of those that it has.
# The lab waits for programs most of the time, so it follows the window, beside the tests of the crates.
ALL_WINDOW := $(WINDOW) test-lab
ALL_REST := $(REST) test-site test-exported check-docs check-benches check-features check-fuzz test-corpus test-python
ALL := CWL_ALL=1 CWL_E2E_ALL=1 CWL_KILLS=200 CWL_CASES=1024
# Some suites alone: make test SUITES="check-rust test-rust".
ifdef SUITES
  FIRST := $(SUITES)
  BESIDE :=
  THEN :=
  WINDOW :=
  REST :=
  ALL_WINDOW :=
  ALL_REST :=
endif

export CWL_FAILED := $(abspath $(OUT))/failed.txt

.PHONY: test
test: setup-test ui-build ## Installs missing tools and runs the gate, which continuous integration runs (SUITES="ui-test test-rust" for some)
	@$(ONE_COMPILE) .ci/suites "$(FIRST)" "$(BESIDE)" "$(THEN)" "$(WINDOW)" "$(REST)"

.PHONY: test-all
test-all: setup-test ui-build ## Runs the gate and the rest: all tests in the window, tables of a corpus, the wheel, more kills and cases
	@$(ONE_COMPILE) $(ALL) .ci/suites "$(FIRST)" "$(BESIDE)" "$(THEN)" "$(ALL_WINDOW)" "$(ALL_REST)"

.PHONY: setup-test
setup-test:
	$(call say,setup)
	@./.ci/setup test

.PHONY: check
check: check-format ui-check check-rust check-wasm check-docs check-features check-generated deny machete ## Lints, types, fences and generated files, no tests

.PHONY: check-format
check-format:
	$(call say,format)
	cargo fmt --all --check

.PHONY: check-rust
check-rust: ui-build
	$(call say,clippy)
ifeq ($(RUSTC_WORKSPACE_WRAPPER),)
	cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings
else
	@{ $(BUILD_TESTS); cargo build $(CARGO_FLAGS) --quiet $(CRATES) --bins --test fence; } > $(OUT)/lints.txt 2>&1; cat $(OUT)/lints.txt
	@! grep -qE '^(warning|error)' $(OUT)/lints.txt
endif

.PHONY: check-benches
check-benches: ui-build
	$(call say,clippy: benches and examples)
	cargo clippy $(CARGO_FLAGS) --workspace --benches --examples -- -D warnings

.PHONY: check-features
check-features:
	$(call say,cwl without its optional parts)
	cargo clippy $(CARGO_FLAGS) -p cwl-cli --no-default-features -- -D warnings

.PHONY: check-wasm
check-wasm:
	$(call say,the engine builds without std and for a page in a browser)
	cargo check $(CARGO_FLAGS) --quiet -p cwl-engine --target wasm32-unknown-unknown
	cargo check $(CARGO_FLAGS) --quiet -p cwl-page --target wasm32-unknown-unknown
	cargo check $(CARGO_FLAGS) --quiet -p cwl-page --target wasm32-unknown-unknown --no-default-features

.PHONY: check-fuzz
check-fuzz: ## Compiles the fuzz targets, which are a workspace of their own
	$(call say,fuzz targets compile)
	cargo check $(CARGO_FLAGS) --manifest-path fuzz/Cargo.toml --bins

.PHONY: check-docs
check-docs:
	$(call say,documentation)
	RUSTDOCFLAGS="-D warnings" cargo doc $(CARGO_FLAGS) --workspace --no-deps --quiet

.PHONY: build-tests
build-tests: ui-build
	$(call say,the tests of all crates are built)
	$(BUILD_TESTS)

.PHONY: test-rust
test-rust: ui-build
	$(call say,tests of all crates)
	$(if $(CWL_CASES),$(RUN_MANY_CASES) && $(RUN_TESTS) $(STORE_PROPERTIES),$(RUN_TESTS))

.PHONY: check-generated
check-generated: ui-build
	$(call say,generated files and house rules)
	$(BUILD_PROGRAMS)
	CWL_CRATES="$(CRATES)" $(OUT)/debug/xtask gen --check
	$(OUT)/debug/xtask tidy

E2E := CWL_INSPECTOR_BIN=$(abspath $(OUT))/debug/cwl-inspector CWL_BIN=$(abspath $(OUT))/debug/cwl node e2e/run.mjs

.PHONY: test-browser
test-browser: ui-build ## Runs all end-to-end tests in Chromium before a real cwl serve (TESTS="graph live" for some)
	$(call say,tests in a browser)
	$(BUILD_PROGRAMS)
	$(E2E) browser $(TESTS)

.PHONY: mcp-clients
mcp-clients: ## Drives cwl mcp with the official Python and TypeScript clients; installs them below target (network)
	$(call say,clients of the Model Context Protocol)
	cargo build $(CARGO_FLAGS) -p cwl-cli
	e2e/mcp/run.sh $(abspath $(OUT))/debug/cwl $(abspath $(OUT))/mcp-clients

.PHONY: lab
lab: ## Runs real harnesses against a scripted model on loopback and compares each request with cwl context, into docs/wire.md; installs them below target (network; NEWEST=1 for today's versions, HARNESSES="claude pi/chat" for some, then into target; PROXIED=1 through cwl proxy)
	$(call say,harnesses on the wire)
	cargo build $(CARGO_FLAGS) -p cwl-cli
	CWL=$(abspath $(OUT))/debug/cwl LAB_OUT=$(abspath $(OUT))/lab LAB_PROXIED=$(PROXIED) PYTHONPATH=$(CURDIR) \
	  python3 -m lab $(HARNESSES) $(if $(NEWEST),--newest) $(if $(HARNESSES),,--write)

.PHONY: test-lab
test-lab: ## Runs the lab's pinned harnesses and fails if a row is worse than in docs/wire.md; installs them below target (network)
	$(call say,harnesses on the wire)
	$(BUILD_PROGRAMS)
	CWL=$(abspath $(OUT))/debug/cwl LAB_OUT=$(abspath $(OUT))/lab PYTHONPATH=$(CURDIR) python3 -m lab $(HARNESSES) --check

.PHONY: test-corpus
test-corpus: ui-build ## Compares the tables of cwl corpus, read by DuckDB and Polars, with cwl --json, and asks docs/corpus.md; installs both below target (network)
	$(call say,tables of a corpus)
	$(BUILD_PROGRAMS)
	e2e/corpus/run.sh $(abspath $(OUT))/debug/cwl $(abspath $(OUT))/corpus

.PHONY: answers
answers: ## Writes the answers in docs/corpus.md anew; look at what changed (network)
	CWL_GEN=1 $(MAKE) --no-print-directory test-corpus

.PHONY: test-python
test-python: ui-build ## Builds the wheel for Python and runs its short tests in an environment of its own below target (network)
	$(call say,the package for Python)
	$(BUILD_PROGRAMS)
	cargo clippy $(CARGO_FLAGS) -p cwl-python --all-targets -- -D warnings
	python/test.sh $(abspath $(OUT))/debug/cwl $(abspath $(OUT))/python short

.PHONY: test-cluster
test-cluster: ui-build ## Runs the notebook, and tables on local clusters of Ray and Spark of which a worker is killed (network; Spark needs Java; minutes)
	$(call say,the package for Python on clusters)
	$(BUILD_PROGRAMS)
	python/test.sh $(abspath $(OUT))/debug/cwl $(abspath $(OUT))/python cluster

# The compiler itself builds the engine, without the lints of the suites: one build serves `make site` and `make test-site`.
ENGINE := $(OUT)/wasm32-unknown-unknown/page/cwl_page.wasm

.PHONY: site
site: ## Builds the page that computes in the browser into target/site: static files for any web server (docs/site.md)
	@./.ci/setup site
	$(call say,the page without a host)
	RUSTC_WORKSPACE_WRAPPER= cargo rustc $(CARGO_FLAGS) --quiet -p cwl-page --lib --crate-type cdylib --target wasm32-unknown-unknown --profile page
	@$(MAKE) --no-print-directory ui/node_modules/.package-lock.json
	cd ui && CWL_ENGINE=$(abspath $(ENGINE)) CWL_SITE=$(abspath $(OUT))/site npm run --silent site
	@find $(OUT)/site -name '*.wasm' -exec sh -c 'echo "the engine has $$(wc -c < "$$1") bytes, $$(gzip -9c "$$1" | wc -c) of them after gzip"' sh {} ';'
	@echo "the page is $(OUT)/site/index.html, for a web server"

.PHONY: test-site
test-site: site ## Serves target/site, drops logs on it in Chromium, and compares the figures with cwl --json
	$(call say,the page without a host in a browser)
	$(BUILD_PROGRAMS)
	CWL_SITE=$(abspath $(OUT))/site $(E2E) browser --all site

# Without readers of logs and without vocabularies: an exported page has its session and the counts.
PAGE_ENGINE := $(OUT)/page-engine/cwl-page-engine.wasm.gz

.PHONY: page-engine
page-engine: ## Builds the engine of exported pages into target/page-engine, for --engine of cwl export and cwl serve (docs/site.md)
	@./.ci/setup site
	$(call say,the engine of exported pages)
	RUSTC_WORKSPACE_WRAPPER= cargo rustc $(CARGO_FLAGS) --quiet -p cwl-page --lib --crate-type cdylib --target wasm32-unknown-unknown --profile page --no-default-features
	@mkdir -p $(dir $(PAGE_ENGINE))
	gzip -9nc $(ENGINE) > $(PAGE_ENGINE)
	@echo "the engine has $$(wc -c < $(PAGE_ENGINE)) bytes: cwl export SESSION --html page.html --engine $(PAGE_ENGINE)"

.PHONY: test-exported
test-exported: page-engine ui-build ## Opens exported pages from files in Chromium, and compares the figures with cwl --json
	$(call say,exported pages)
	$(BUILD_PROGRAMS)
	CWL_PAGE_ENGINE=$(abspath $(PAGE_ENGINE)) $(E2E) browser --all export exported

.PHONY: pixels
pixels: setup-test ui-build ## Accepts how the main views look now; look at e2e/pixels before you commit it
	$(BUILD_PROGRAMS)
	CWL_PIXELS=bless $(E2E) browser pixels

.PHONY: test-window
test-window: ui-build ## Runs the main end-to-end tests in the real window (TESTS="graph live" for others)
	$(call say,tests in the real window)
	$(BUILD_PROGRAMS)
	$(E2E) window $(TESTS)

.PHONY: deny
deny: ## Checks licences, sources and banned crates; installs cargo-deny
	$(call say,licences and sources)
	@cargo deny --version >/dev/null 2>&1 || { echo "installing cargo-deny (a few minutes)"; cargo install --quiet --locked cargo-deny; }
	cargo deny check bans licenses sources

.PHONY: machete
machete: ## Looks for unused dependencies; installs cargo-machete
	$(call say,unused dependencies)
	@cargo machete --version >/dev/null 2>&1 || { echo "installing cargo-machete (a minute)"; cargo install --quiet --locked cargo-machete; }
	cargo machete

FUZZ_SECONDS ?= 60
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/tests/targets/*.rs)))

.PHONY: fuzz
fuzz: ## Fuzzes every parser for a minute each (FUZZ_SECONDS=60), on the nightly toolchain
	$(call say,fuzz)
	@cargo fuzz --version >/dev/null 2>&1 || { echo "installing cargo-fuzz"; cargo install --quiet --locked cargo-fuzz; }
	@for target in $(FUZZ_TARGETS); do \
	  echo "== $$target"; mkdir -p fuzz/corpus/$$target; seeds=samples/$$(echo $$target | tr _ -); [ -d "$$seeds" ] || seeds=; \
	  cargo +nightly fuzz run $$target fuzz/corpus/$$target $$seeds -- \
	    -max_total_time=$(FUZZ_SECONDS) $$([ $$target = redact_large ] && echo "-timeout=60 -rss_limit_mb=1024" || echo "-timeout=10 -rss_limit_mb=4096") -max_len=65536 -print_final_stats=1 || exit 1; \
	done

# --- ui ---------------------------------------------------------------------------------------------------------

ui/node_modules/.package-lock.json: ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	@touch $@

# Built again only when something that goes into it is newer.
UI_SOURCES := $(shell find ui/src ui/build -type f) $(wildcard ui/*.html ui/*.ts ui/*.json)

ui/dist/index.html: ui/node_modules/.package-lock.json $(UI_SOURCES)
	cd ui && npm run --silent build

.PHONY: ui-build
ui-build: ui/dist/index.html

.PHONY: ui-check
ui-check: ui/node_modules/.package-lock.json
	$(call say,ui: lint and types)
	cd ui && npm run --silent lint

.PHONY: ui-test
ui-test: ui-build
	$(call say,ui: tests)
	cd ui && npm run --silent test
	$(call say,extensions of harnesses: tests)
	rm -rf $(OUT)/integrations
	ui/node_modules/.bin/rolldown --platform node --format esm --dir $(OUT)/integrations $(wildcard integrations/*/*.test.ts) > /dev/null
	node --test $(OUT)/integrations/*.test.js

# --- written by programs ----------------------------------------------------------------------------------------

.PHONY: gen
gen: ## Rewrites the TypeScript of the wire types, the JSON schemas, and the parts of docs that programs write
	cargo xtask gen
	CWL_GEN=1 cargo test $(CARGO_FLAGS) --quiet -p cwl-host --test it -- schemas_are pages_are
	CWL_GEN=1 cargo test $(CARGO_FLAGS) --quiet -p cwl-corpus --test it -- tables_are
	CWL_GEN=1 cargo test $(CARGO_FLAGS) --quiet -p cwl-cli --test it -- book_of
	CWL_GEN=1 cargo test $(CARGO_FLAGS) --quiet -p cwl-live --test it -- documented
	CWL_GEN=1 cargo test $(CARGO_FLAGS) --quiet -p cwl-mcp --lib -- extensions_have
	cd ui && CWL_GEN=1 npx vitest run --silent src/components/views/keys.page.test.ts

# mdBook is built from its source: no registry that this needs has it prebuilt. Its version is pinned here, those below it by its lock file.
MDBOOK := target/tools/bin/mdbook
MDBOOK_VERSION := 0.5.4

.PHONY: docs
docs: ## Builds the book of docs into target/book; installs mdbook below target, from its source (some minutes, once)
	$(call say,the book)
	@[ "$$($(MDBOOK) --version 2>/dev/null)" = "mdbook v$(MDBOOK_VERSION)" ] || { ./.ci/setup cli && echo "installing mdbook" && \
	  cargo install --quiet --locked mdbook --version $(MDBOOK_VERSION) --no-default-features --features search --root target/tools; }
	$(MDBOOK) build docs
	@echo "the book is target/book/index.html; xtask tidy checks its links, and crates/cli/tests/it/book.rs runs its commands"

.PHONY: package
package: setup-package ui-build ## Makes .deb, .rpm, tarballs and the wheel for Python into target/packages (a build of its own; installs the tools that it needs; network)
	$(call say,packages)
	packaging/build.sh $(OUT) $(PACKAGES)
	packaging/package.sh $(OUT) $(PACKAGES)

# The tools are there before anything is built: the packing comes after half an hour.
.PHONY: setup-package
setup-package:
	@./.ci/setup package

.PHONY: test-packages
test-packages: ## Installs each file of target/packages in a clean place, runs and removes it (PARTS="deb wheel" for some; root, mmdebstrap, rpm, cargo, network)
	$(call say,packages in clean roots)
	packaging/test.sh $(PACKAGES) $(PARTS)

# A bill of materials for each program and one for the page; the tool writes beside every manifest, so that it works in a copy.
CYCLONEDX := target/tools/bin/cargo-cyclonedx
CYCLONEDX_VERSION := 0.5.9

.PHONY: sbom
sbom: ui/node_modules/.package-lock.json ## Writes bills of materials (CycloneDX) of the programs and the page into target/packages; installs cargo-cyclonedx below target
	$(call say,bills of materials)
	@[ "$$($(CYCLONEDX) cyclonedx --version 2>/dev/null)" = "cargo-cyclonedx-cyclonedx $(CYCLONEDX_VERSION)" ] || { echo "installing cargo-cyclonedx (a few minutes)"; \
	  cargo install --quiet --locked cargo-cyclonedx --version $(CYCLONEDX_VERSION) --root target/tools; }
	packaging/sbom.sh $(abspath $(CYCLONEDX)) target/packages

.PHONY: package-cwl
package-cwl: ui-build ## Makes the program cwl and the page alone into target/packages (release build), for a shorter make reproduce
	cargo build $(CARGO_FLAGS) --release -p cwl-cli
	@mkdir -p target/packages
	cp $(OUT)/release/cwl target/packages/
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$${SOURCE_DATE_EPOCH:-0}" -C ui -cf target/packages/page.tar dist

.PHONY: release release-fixture reproduce
release: ## Makes VERSION=0.2.0 below target: version, changelog, packages, bills, checksums, two builds compared; YES=1 commits and tags (docs/release.md)
	cargo xtask release $(VERSION) $(if $(YES),--yes) $(RELEASE)

release-fixture: ## Writes the store and tables of this version as a fixture that later versions must open
	CWL_RELEASE=1 cargo test $(CARGO_FLAGS) --quiet -p cwl-host --test it -- the_store_of_this_release_is_written

reproduce: ## Builds the last commit twice in two folders and compares the packages (two cold release builds; REPRODUCE="--artefacts package-cwl" for cwl alone)
	cargo xtask reproduce $(REPRODUCE)

.PHONY: bless
bless: ## Accepts the snapshots that the tests now give; read the diff before you commit it
	INSTA_UPDATE=always INSTA_FORCE_PASS=1 cargo test $(CARGO_FLAGS)

.PHONY: screenshots
screenshots: setup-test ui-build ## Takes the README's pictures from the real window
	cargo build $(CARGO_FLAGS) -p cwl-inspector -p cwl-cli
	CWL_INSPECTOR_BIN=$(abspath $(OUT))/debug/cwl-inspector CWL_BIN=$(abspath $(OUT))/debug/cwl \
	  node e2e/pictures.mjs docs/images

CORPORA ?=
.PHONY: secrets
secrets: ## Measures redaction (CORPORA=folder with checkouts of gitleaks, trufflehog, detect-secrets, hono, perfetto)
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-redact --bench found -- $(abspath $(CORPORA)) $(MORE)
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-redact --bench hostile

.PHONY: judge fit
judge: ## Judges the inference of episodes and the rules of quality by marked sessions, into docs/inference.md and docs/lints.md (LOGS=folder with logs judges its use as well)
	cargo run $(CARGO_FLAGS) --quiet --release -p cwl-judge -- judge --write
	cargo run $(CARGO_FLAGS) --quiet --release -p cwl-judge -- quality --write
ifdef LOGS
	cargo run $(CARGO_FLAGS) --quiet --release -p cwl-judge -- value --write $(abspath $(LOGS))
endif

fit: ## Fits the weights of inference to all marked sessions, and writes the engine's table
	cargo run $(CARGO_FLAGS) --quiet --release -p cwl-judge -- fit

.PHONY: fit-check
fit-check: ## Judges the sizes on your own logs: fitted to odd turns, held against even ones (LOGS=folder)
	CWL_LOGS="$(abspath $(LOGS))" cargo test $(CARGO_FLAGS) --quiet --release -p cwl-inspect --lib judged -- --ignored --nocapture

.PHONY: bench
bench: setup-test ui-build ## Measures all waiting times (release build, some minutes)
	cargo build $(CARGO_FLAGS) --release -p cwl-inspector -p cwl-cli
	@mkdir -p target/bench
	cargo xtask session target/bench/long.jsonl --turns 4000 --blocks 60000 --episodes 1500
	cargo xtask session target/bench/usual.jsonl --turns 1250 --blocks 18750 --episodes 470
	cargo xtask session target/bench/large.jsonl --turns 20000 --blocks 140000 --episodes 4000 --bytes 629145600
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-host --bench ingest -- --first $(abspath target/bench/large.jsonl)
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-host --bench product -- \
	  --replay $(abspath target/bench/long.jsonl) --reopen $(abspath target/bench/usual.jsonl)
	cargo xtask session target/bench/many.jsonl --turns 20000 --blocks 140000 --episodes 10000
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-host --bench appends -- \
	  $(abspath target/bench/long.jsonl) $(abspath target/bench/many.jsonl)
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-host --bench policies -- --replay $(abspath target/bench/long.jsonl)
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-host --bench discovery
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-tokens --bench growth
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-proxy --bench overhead
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-live --bench live
	cargo bench $(CARGO_FLAGS) --quiet -p cwl-corpus --bench corpus
	@for n in 20000 100000; do \
	  cargo xtask session target/bench/episodes-$$n.jsonl --turns $$((n * 2)) --blocks $$((n * 5)) --episodes $$n; done
	@for n in 200000 1000000; do \
	  awk -v n=$$n 'BEGIN { for (i = 1; i <= n; i++) printf "{\"type\":\"user\",\"uuid\":\"u%d\",\"parentUuid\":null,\"message\":{\"role\":\"user\",\"content\":\"line %d\"}}\n", i, i }' \
	    > target/bench/lines-$$n.jsonl; done
	@echo "growth of cwl report: seconds and KiB; of the larger at most 6 times those of the smaller"
	@for log in episodes-20000 episodes-100000 lines-200000 lines-1000000; do \
	  case $$log in lines*) format="--format claude-code";; *) format=;; esac; \
	  /usr/bin/time -f "$$log %e s %M KiB" $(OUT)/release/cwl report $$format target/bench/$$log.jsonl > /dev/null || exit 1; done
	for kind in window browser; do \
	  CWL_INSPECTOR_BIN=$(abspath $(OUT))/release/cwl-inspector CWL_BIN=$(abspath $(OUT))/release/cwl CWL_E2E=$$kind \
	    node e2e/bench.mjs target/bench/long.jsonl target/bench/many.jsonl || exit 1; done
	cargo build $(CARGO_FLAGS) --release -p cwl-inspector --example empty
	CWL_INSPECTOR_BIN=$(abspath $(OUT))/release/cwl-inspector CWL_BIN=$(abspath $(OUT))/release/cwl \
	  node e2e/idle.mjs $(abspath $(OUT))/release/examples/empty
	node e2e/installed.mjs $(PACKAGES)
