#!/bin/sh
# Makes the packages of this machine's Linux: `.deb` and `.rpm` of the window with `cwl`, a tarball with `cwl`, and a
# source tarball with the built page. `make package` lets build.sh build what they are made of, and the wheel, and calls this.
#
#   package.sh TARGET OUT        TARGET is cargo's target folder, OUT has the wheel
set -eu
machine=$(uname -m)
window=$(cd "$1/dist" && pwd)
portable=$(cd "$1/portable/$machine-unknown-linux-gnu/dist" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
here=packaging/linux
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
say() { printf 'package: %s\n' "$*" >&2; }
give_up() { say "$*"; exit 1; }
[ -n "$version" ] || give_up "Cargo.toml names no version"
for program in dpkg-deb dpkg-shlibdeps rpmbuild objdump strip xz git; do
  command -v "$program" >/dev/null || give_up "$program is missing (Debian: apt-get install dpkg-dev rpm binutils xz-utils git)"
done
ls "$out"/cwl_inspector-*.whl >/dev/null 2>&1 || give_up "the wheel is not built: run make package"
[ -f ui/dist/index.html ] || give_up "the page is not built: run make package, or npm run build in ui"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The same bytes give the same packages: every file has the time of the last commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
dated() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }
packed() { tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$1" -cf - "$2" | xz -6 -T1 > "$3"; }

# --- what is installed -------------------------------------------------------------------------------------------
install_cwl() {
  root=$1
  install -Dm755 "$portable/cwl" "$root/bin/cwl"
  strip --strip-unneeded "$root/bin/cwl"
  "$portable/cwl" --quiet man --out "$work/man"
  install -d "$root/share/man/man1"
  for page in "$work"/man/*.1; do gzip -9n < "$page" > "$root/share/man/man1/$(basename "$page").gz"; done
  completions cwl "$root" bash "$portable/cwl" completions bash
  completions cwl "$root" zsh "$portable/cwl" completions zsh
  completions cwl "$root" fish "$portable/cwl" completions fish
}
completions() {
  program=$1 root=$2 shell=$3
  shift 3
  case $shell in
    bash) file=$root/share/bash-completion/completions/$program ;;
    zsh) file=$root/share/zsh/vendor-completions/_$program ;;
    fish) file=$root/share/fish/vendor_completions.d/$program.fish ;;
  esac
  install -d "$(dirname "$file")"
  "$@" > "$file"
}
install_licences() {
  install -Dm644 LICENSE-MIT "$1/share/doc/cwl-inspector/LICENSE-MIT"
  install -Dm644 LICENSE-APACHE "$1/share/doc/cwl-inspector/LICENSE-APACHE"
}

tree=$work/tree
install_cwl "$tree/usr"
install_licences "$tree/usr"
install -Dm644 $here/copyright "$tree/usr/share/doc/cwl-inspector/copyright"
install -Dm755 "$window/cwl-inspector" "$tree/usr/bin/cwl-inspector"
strip --strip-unneeded "$tree/usr/bin/cwl-inspector"
"$window/examples/pages" "$work/pages"
gzip -9n < "$work/pages/cwl-inspector.1" > "$tree/usr/share/man/man1/cwl-inspector.1.gz"
completions cwl-inspector "$tree/usr" bash cat "$work/pages/cwl-inspector.bash"
completions cwl-inspector "$tree/usr" zsh cat "$work/pages/_cwl-inspector"
completions cwl-inspector "$tree/usr" fish cat "$work/pages/cwl-inspector.fish"
for entry in $here/*.desktop; do install -Dm644 "$entry" "$tree/usr/share/applications/$(basename "$entry")"; done
install -Dm644 $here/dev.cwl_inspector.CwlInspector.metainfo.xml -t "$tree/usr/share/metainfo"
install -Dm644 $here/cwl-inspector.mime.xml "$tree/usr/share/mime/packages/cwl-inspector.xml"
icon() { install -Dm644 "src-tauri/icons/$2" "$tree/usr/share/icons/hicolor/$1/apps/cwl-inspector.png"; }
icon 32x32 32x32.png
icon 128x128 128x128.png
icon 256x256 128x128@2x.png
icon 512x512 icon.png
chmod -R u=rwX,go=rX "$tree"
dated "$tree"

# --- .deb --------------------------------------------------------------------------------------------------------
arch=$(dpkg --print-architecture)
mkdir -p "$work/deb/debian"
printf 'Source: cwl-inspector\n\nPackage: cwl-inspector\nArchitecture: any\n' > "$work/deb/debian/control"
depends=$(cd "$work/deb" && dpkg-shlibdeps -O --ignore-missing-info "$tree/usr/bin/cwl" "$tree/usr/bin/cwl-inspector" 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || give_up "the libraries that the programs need are in no package of this machine"
cp -a "$tree" "$work/debtree"
mkdir "$work/debtree/DEBIAN"
{
  printf 'Package: cwl-inspector\nVersion: %s\nArchitecture: %s\nSection: devel\nPriority: optional\n' "$version" "$arch"
  printf 'Maintainer: CWL Inspector contributors <noreply@cwl-inspector.invalid>\n'
  printf 'Installed-Size: %s\nDepends: %s\n' "$(du -sk "$tree" | cut -f 1)" "$depends"
  printf 'Homepage: https://github.com/cwl-inspector/cwl-inspector\n'
  printf 'Description: inspector of sessions of coding agents\n It shows what the model of a coding agent would receive under an eviction policy\n'
  printf ' and a token budget, step by step. The window and cwl, the command line.\n'
} > "$work/debtree/DEBIAN/control"
dated "$work/debtree"
dpkg-deb --root-owner-group -Zxz -z6 --build "$work/debtree" "$out/cwl-inspector_${version}_$arch.deb" >/dev/null

# --- .rpm --------------------------------------------------------------------------------------------------------
# Fedora's zsh looks for completions in another folder than Debian's.
cp -a "$tree" "$work/rpmtree"
mv "$work/rpmtree/usr/share/zsh/vendor-completions" "$work/rpmtree/usr/share/zsh/site-functions"
dated "$work/rpmtree"
{
  printf 'Name: cwl-inspector\nVersion: %s\nRelease: 1\nSummary: Inspector of sessions of coding agents\n' "$version"
  printf 'License: MIT OR Apache-2.0\nURL: https://github.com/cwl-inspector/cwl-inspector\n'
  printf '%%global debug_package %%{nil}\n%%global __os_install_post %%{nil}\n%%global _build_id_links none\n'
  printf '%%global use_source_date_epoch_as_buildtime 1\n%%global _buildhost localhost\n%%global _binary_payload w6.xzdio\n'
  printf '%%description\nIt shows what the model of a coding agent would receive under an eviction policy and a\n'
  printf 'token budget, step by step. The window and cwl, the command line.\n'
  printf '%%install\ncp -a "%s/." "%%{buildroot}"\n%%files\n%%defattr(-,root,root)\n' "$work/rpmtree"
  # Folders that no other package may have; those that stay empty would be left behind.
  (cd "$work/rpmtree" && find usr/share/doc/* usr/share/bash-completion usr/share/fish usr/share/metainfo usr/share/zsh -type d | sed 's/^/%dir \//' | sort)
  (cd "$work/rpmtree" && find . -type f | sed 's/^\.//' | sort)
} > "$work/cwl-inspector.spec"
rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "_rpmdir $out" --define '_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm' \
  "$work/cwl-inspector.spec" >"$work/rpm.log" 2>&1 || { cat "$work/rpm.log" >&2; give_up "rpmbuild failed"; }

# --- tarballs ----------------------------------------------------------------------------------------------------
name=cwl-$version-$machine-linux
install_cwl "$work/tar/$name"
install_licences "$work/tar/$name"
glibc=$(objdump -T "$work/tar/$name/bin/cwl" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
printf 'cwl %s for Linux on %s.\nIt needs glibc %s or newer (ldd --version tells). Copy bin and share to /usr/local, or run bin/cwl where it is.\n' \
  "$version" "$machine" "$glibc" > "$work/tar/$name/README"
packed "$work/tar" "$name" "$out/$name.tar.xz"

name=cwl-inspector-$version-source
mkdir "$work/source"
git archive --prefix="$name/" HEAD | tar -xf - -C "$work/source"
cp -a ui/dist "$work/source/$name/ui/dist"
packed "$work/source" "$name" "$out/$name.tar.xz"

(cd "$out" && sha256sum ./*.deb ./*.rpm ./*.tar.xz ./*.whl | sed 's# \./# #' > SHA256SUMS)
say "cwl needs glibc $glibc or newer"
size() { printf '%8.1f MB  %s\n' "$(($(stat -c %s "$1") / 10000))e-2" "$2"; }
size "$tree/usr/bin/cwl" "cwl, installed"
size "$tree/usr/bin/cwl-inspector" "cwl-inspector, installed"
for file in "$out"/*.deb "$out"/*.rpm "$out"/*.tar.xz "$out"/*.whl; do size "$file" "$(basename "$file")"; done
