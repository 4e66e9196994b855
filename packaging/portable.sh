#!/bin/sh
# Stands for cargo where maturin builds the wheel that is given away: builds the module together with `cwl`, so that what both have in common is
# compiled once, and takes the symbols out of both. CWL_LIBC as build.sh says.
set -eu
[ "${1:-}" = rustc ] || exec cargo "$@"
# These would have the extension built again for maturin; its features say the same.
unset PYO3_BUILD_EXTENSION_MODULE PYO3_CONFIG_FILE PYO3_PYTHON PYO3_ENVIRONMENT_SIGNATURE
# A compiler of C is run again when this changes, and all that rests on what it gave. It stays the same, because mimalloc has the time in it
# at which it was compiled.
export SOURCE_DATE_EPOCH=0
# zig takes an object of an earlier build for that of the same command, whatever time it has in it.
export ZIG_GLOBAL_CACHE_DIR="$CARGO_TARGET_DIR/zig"
machine=$(rustc -vV | sed -n 's/^host: //p')
set -- --locked --profile dist -p cwl-cli -p cwl-python --bins --lib --message-format json-render-diagnostics
case ${CWL_LIBC:-2.17} in
  machine) cargo build --target "$machine" "$@" ;;
  *) cargo zigbuild --target "$machine.${CWL_LIBC:-2.17}" "$@" ;;
esac
strip --strip-unneeded "$CARGO_TARGET_DIR/$machine/dist/cwl" "$CARGO_TARGET_DIR/$machine/dist/libcwl_python.so"
