#!/bin/sh
# Makes a corpus of the samples and reads it with DuckDB and Polars, which it installs below the folder that it is given.
# Arguments: the program, a folder for the Python environment and the tables.
set -eu
program=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# Installed again only where the list of versions changed; the copy of the list comes last, so that half an installation is none.
if ! cmp -s "$here/requirements.txt" "$folder/python/requirements.txt"; then
  rm -rf "$folder/python"
  python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$folder/python/requirements.txt"
fi
rm -rf "$folder/tables"
"$folder/python/bin/python" "$here/check.py" "$program" "$here/../.." "$folder"
