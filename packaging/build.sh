#!/bin/sh
# Builds what the packages are made of, optimised as they are given away (profile `dist` of Cargo.toml).
#
#   build.sh TARGET OUT          TARGET is cargo's target folder; the wheel for Python goes to OUT
#
# `cwl` and the module for Python are built against glibc 2.17, the oldest that Rust supports, so that one file runs on every Linux with
# glibc of the last ten years. CWL_LIBC=machine builds them against the glibc of this machine instead, without zig.
set -eu
mkdir -p "$1" "$2"
target=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="$target"

# The tools are installed again only where the list of versions changed; the copy of the list comes last, so that half an
# installation is none.
tools=$target/packaging
if ! cmp -s packaging/requirements.txt "$tools/requirements.txt"; then
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r packaging/requirements.txt
  cp packaging/requirements.txt "$tools/requirements.txt"
fi
PATH="$tools/bin:$PATH"

# `cwl` and the window have the engine of exported pages in them.
cargo rustc --locked --quiet -p cwl-page --lib --crate-type cdylib --target wasm32-unknown-unknown --profile page --no-default-features
gzip -9nc "$target/wasm32-unknown-unknown/page/cwl_page.wasm" > "$target/cwl-page-engine.wasm.gz"
export CWL_PAGE_ENGINE="$target/cwl-page-engine.wasm.gz"

# mimalloc has the time in it at which it was compiled.
SOURCE_DATE_EPOCH=0 cargo build --locked --profile dist -p cwl-inspector --bins --example pages

# In a folder of its own, because with another linker cargo would compile what both builds share anew each time.
# One call of cargo gives `cwl` and the module; maturin makes a wheel of the module, and names the glibc that it found the module to need.
rm -f "$out"/cwl_inspector-*.whl
# The wheel's files have the time of the last commit, as those of the other packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} CARGO_TARGET_DIR="$target/portable" CARGO="$PWD/packaging/portable.sh" \
  maturin build --quiet --profile dist --manifest-path python/Cargo.toml --interpreter "$tools/bin/python" --out "$out"
