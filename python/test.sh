#!/bin/sh
# Builds the wheel and installs it into a fresh environment below the folder that it is given. Then it runs the short tests, or with
# `cluster` the notebook and the examples on two local clusters.
# Arguments: the program, a folder, and `short` or `cluster`.
set -eu
program=$1
folder=$2
goal=${3:-short}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
python="$folder/$goal/bin/python"
requirements="$here/tests/requirements-$goal.txt"
# Installed again only where the list of versions changed; the copy of the list comes last, so that half an installation is none. The
# wheel of a run before goes in any case.
if cmp -s "$requirements" "$folder/$goal/requirements.txt"; then
  "$python" -m pip uninstall --quiet --yes --disable-pip-version-check cwl-inspector
else
  rm -rf "$folder/$goal"
  python3 -m venv "$folder/$goal"
  install() { "$python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: "$@"; }
  if [ "$goal" = cluster ]; then
    install -r "$here/tests/requirements-build.txt"
    install --no-binary pyspark --no-build-isolation -r "$requirements"
  else
    install -r "$requirements"
  fi
  cp "$requirements" "$folder/$goal/requirements.txt"
fi
rm -rf "$folder/wheels"
# A debug build is large; it is not packed, and what it links is not looked through for other distributions.
CARGO="$here/cargo-of-workspace.sh" "$python" -m maturin build --quiet --manifest-path "$here/Cargo.toml" --out "$folder/wheels" \
  --interpreter "$python" --auditwheel skip --compression-method stored
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index "$folder"/wheels/*.whl
export CWL_PROGRAM="$program" CWL_CONFIG_DIR="$folder/config" CWL_DATA_DIR="$folder/data" PYTHONDONTWRITEBYTECODE=1
cd "$folder"
if [ "$goal" = short ]; then
  set -- "$here"/tests/test_*.py
else
  set -- "$here/tests/cluster"
fi
"$python" -m pytest --quiet -p no:cacheprovider --rootdir "$here/tests" "$@"
