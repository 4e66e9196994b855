#!/bin/sh
# Stands for cargo where maturin builds the wheel for the tests. maturin asks for one package, and cargo would compile everything
# below it once more with another set of features; this asks for the whole workspace, as all suites do. A wheel that is given away is
# built by `maturin build --release` without it.
set -eu
[ "${1:-}" = rustc ] || exec cargo "$@"
# These would have the extension built again for maturin; its features say the same.
unset PYO3_BUILD_EXTENSION_MODULE PYO3_CONFIG_FILE PYO3_PYTHON PYO3_ENVIRONMENT_SIGNATURE
exec cargo build --locked --workspace --lib --bins --test fence --message-format json-render-diagnostics
