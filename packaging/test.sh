#!/bin/sh
# Installs the `.deb` and unpacks the tarball in a clean root of Debian, runs the programs, opens the window through a link on a
# virtual screen, removes the package, and looks for what is left. Needs root, mmdebstrap and the network.
#
#   test.sh OUT [SUITE]
set -eu
out=$(cd "$1" && pwd)
suite=${2:-bookworm}
cd "$(dirname "$0")/.."
fail() { printf 'test-packages: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "a clean root needs root: run it with sudo"
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing (apt-get install mmdebstrap)"
work=$(mktemp -d)
root=$work/root
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=apt "$suite" "$root"
cp "$out"/*.deb "$out"/cwl-*-linux.tar.xz samples/pi/quickstart/input.jsonl "$root/tmp/"
within() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
listed() { (cd "$root" && find usr etc opt srv -xdev ! -path '*/__pycache__*' | sort); }

within sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends xz-utils >/dev/null'
within sh -c 'cd /tmp && tar -xJf cwl-*-linux.tar.xz && rm -rf /tmp/tar && mv cwl-*-linux /tmp/tar'
within /tmp/tar/bin/cwl --version
within /tmp/tar/bin/cwl report /tmp/input.jsonl | grep -q 'episode' || fail "the tarball's cwl reports nothing"

# The libraries that the package needs come first, so that what it brings itself can be told from them.
within sh -c 'apt-get install -y -qq --no-install-recommends xvfb xauth desktop-file-utils shared-mime-info hicolor-icon-theme $(dpkg-deb -f /tmp/cwl-inspector_*.deb Depends | tr "," "\n" | sed "s/ (.*//; s/ |.*//") >/dev/null'
listed > "$work/before"
within sh -c 'apt-get install -y -qq /tmp/cwl-inspector_*.deb >/dev/null'
within cwl --version
within cwl report /tmp/input.jsonl | grep -q 'episode' || fail "cwl reports nothing"
within cwl-inspector --version
grep -q 'x-scheme-handler/cwl-inspector=' "$root/usr/share/applications/mimeinfo.cache" || fail "the scheme is not registered"
# A window stays until it is closed; one that cannot be opened says so and ends.
opened=0
within sh -c 'timeout 20 xvfb-run -a cwl-inspector "cwl-inspector://open?session=/dev/zero"' > "$work/window" 2>&1 || opened=$?
[ "$opened" = 124 ] || fail "the window did not stay open ($opened): $(cat "$work/window")"
within sh -c 'dpkg --purge cwl-inspector >/dev/null'
listed > "$work/after"
diff "$work/before" "$work/after" | grep '^>' && fail "this is left behind"
echo "packages: installed, run, opened through a link and removed in $suite"
