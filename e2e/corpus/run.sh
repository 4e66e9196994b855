#!/bin/sh
# Makes a corpus of the samples and reads it with DuckDB and Polars, which it installs below the folder that it is given.
# Arguments: the program, a folder for the Python environment and the tables.
set -eu
program=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet "duckdb>=1.2" "polars>=1.30"
rm -rf "$folder/tables"
"$folder/python/bin/python" "$here/check.py" "$program" "$here/../.." "$folder"
