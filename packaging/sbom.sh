#!/bin/sh
# Writes bills of materials (CycloneDX, JSON): one for each program and one for the page. `make sbom` installs the tool and calls this.
#
#   sbom.sh CARGO_CYCLONEDX OUT
set -eu
tool=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
work=$(cd "$work" && pwd -P)

# The tool writes beside every manifest of a workspace, so it works in a copy of the last commit.
git archive HEAD | tar -xf - -C "$work"
(cd "$work" && "$tool" cyclonedx --quiet --format json --spec-version 1.5 --target all)
cp "$work/crates/cli/cwl-cli.cdx.json" "$out/cwl-$version.cdx.json"
cp "$work/src-tauri/cwl-inspector.cdx.json" "$out/cwl-inspector-$version.cdx.json"
# The page takes nothing along that it is only built or tested with.
(cd ui && npm sbom --sbom-format cyclonedx --sbom-type application --omit dev --package-lock-only) > "$out/cwl-inspector-page-$version.cdx.json"
cargo xtask sbom --root "$work" "$out/cwl-$version.cdx.json" "$out/cwl-inspector-$version.cdx.json" "$out/cwl-inspector-page-$version.cdx.json"
for file in "$out"/*.cdx.json; do
  printf 'sbom: %5s components  %s\n' "$(grep -c '"bom-ref": ' "$file")" "$(basename "$file")" >&2
done
