#!/bin/sh
# Installs each package in a clean place, runs what it brings, removes it, and looks for what is left. Needs root, mmdebstrap, rpm,
# cargo and the network.
#
#   test.sh OUT [PART…]          a part is tar, wheel, deb, rpm or source; without one all are tried
#
# tar, wheel  in a root of the oldest Debian that the mirror has, for its old glibc and its old Python
# deb         in a root of Debian 12
# rpm         in the same kind of root by Debian's rpm, with the libraries that the .deb names; that each library that a program asks for is
#             required by the package is looked up, but no Fedora or openSUSE is installed
# source      on this machine, with all its programs but node, by cargo install
set -eu
out=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
fail() { printf 'test-packages: %s\n' "$*" >&2; exit 1; }
say() { printf '%s\n' "packages: $*"; }
[ "$(id -u)" = 0 ] || fail "a clean root needs root: run it with sudo"
for program in mmdebstrap rpm objdump; do
  command -v "$program" >/dev/null || fail "$program is missing (apt-get install mmdebstrap rpm binutils)"
done
work=$(mktemp -d)
trap 'umount "$work/window/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
sample=$PWD/samples/pi/quickstart/input.jsonl

within() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
listed() { (cd "$root" && find usr etc opt srv -xdev ! -path '*/__pycache__*' | sort); }
# Compares what stands in the root with what stood there before; `$1` says what was removed.
nothing_left() {
  listed > "$work/after"
  diff "$work/before" "$work/after" > "$work/left" || fail "$1 is removed, and this is not as it was before: $(cat "$work/left")"
}
reports() { "$@" | grep -q 'episode' || fail "no report: $*"; }

# --- the oldest Debian -------------------------------------------------------------------------------------------
oldest_root() {
  [ ! -d "$work/oldest" ] || { root=$work/oldest; return 0; }
  root=$work/oldest
  for suite in stretch buster bullseye bookworm; do
    mmdebstrap --variant=apt "$suite" "$root" > "$work/log" 2>&1 && break
    say "no root of $suite: $(grep -m 1 -o -e "404 .*" -e '^E:' "$work/log")"
    rm -rf "$root"
  done
  [ -d "$root" ] || fail "no root can be made: $(cat "$work/log")"
  oldest="$suite, glibc $(within ldd --version | sed -n '1s/.* //p')"
  cp "$sample" "$root/tmp/input.jsonl"
}

test_tar() {
  oldest_root
  listed > "$work/before"
  mkdir "$root/opt/cwl"
  tar -xJf "$out"/cwl-*-linux.tar.xz -C "$root/opt/cwl" --strip-components=1
  within /opt/cwl/bin/cwl --version
  reports within /opt/cwl/bin/cwl report /tmp/input.jsonl
  within sh -c '/opt/cwl/bin/cwl --quiet export /tmp/input.jsonl --html /tmp/page.html >/dev/null && grep -q "<html" /tmp/page.html' || fail "no page is exported"
  rm -r "$root/opt/cwl"
  nothing_left "the tarball's cwl"
  say "the tarball's cwl runs in $oldest"
}

test_wheel() {
  oldest_root
  within sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv >/dev/null 2>&1'
  cp "$out"/cwl_inspector-*.whl "$root/tmp/"
  rm -rf "$root/opt/venv"
  within python3 -m venv /opt/venv
  listed > "$work/before"
  within sh -c '/opt/venv/bin/pip install --quiet --no-index --no-deps /tmp/cwl_inspector-*.whl'
  within /opt/venv/bin/python -c 'import cwl, sys; n = len(cwl.open("/tmp/input.jsonl").graph()["episodes"]); assert n > 0; print("Python", sys.version.split()[0], "reads", n, "episodes")'
  within /opt/venv/bin/pip uninstall --quiet --yes cwl-inspector
  nothing_left "the wheel"
  say "the wheel $(basename "$out"/cwl_inspector-*.whl) runs in $oldest"
}

# --- the window --------------------------------------------------------------------------------------------------
# A root of Debian 12 with the libraries that the package needs, so that what it brings itself can be told from them.
window_root() {
  [ ! -d "$work/window" ] || { root=$work/window; return 0; }
  root=$work/window
  mmdebstrap --quiet --variant=apt bookworm "$root"
  cp "$out"/*.deb "$out"/*.rpm "$root/tmp/"
  cp "$sample" "$root/tmp/input.jsonl"
  within sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends xvfb xauth x11-utils libglib2.0-bin desktop-file-utils \
    shared-mime-info hicolor-icon-theme rpm $(dpkg-deb -f /tmp/cwl-inspector_*.deb Depends | tr "," "\n" | sed "s/ (.*//; s/ |.*//") >/dev/null 2>&1' ||
    fail "the libraries that the package needs cannot be installed"
  # The process of the page ends at once without it.
  mount -t proc proc "$root/proc"
}
# Whether the root has a process that draws a page.
page_lives() {
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/root" 2>/dev/null)" = "$root" ] && [ "$(cat "$process/comm" 2>/dev/null)" = WebKitWebProces ] && return 0
  done
  return 1
}
# Runs what was installed: the programs, and the window as a browser opens it, by the scheme of a link.
installed_runs() {
  within cwl --version
  reports within cwl report /tmp/input.jsonl
  within cwl-inspector --version
  within test -s /usr/share/man/man1/cwl.1.gz || fail "there is no page for man"
  grep -q 'x-scheme-handler/cwl-inspector=' "$root/usr/share/applications/mimeinfo.cache" || fail "the scheme is not registered"
  rm -f "$root/tmp/opened" "$root/tmp/seen"
  within sh -c 'xvfb-run -a sh -c "
    gio open cwl-inspector://open?session=/tmp/input.jsonl
    for i in \$(seq 120); do xwininfo -root -tree | grep \"CWL Inspector\" && touch /tmp/opened && break; sleep 0.5; done
    for i in \$(seq 120); do [ ! -e /tmp/seen ] || exit 0; sleep 0.5; done; exit 1"' > "$work/window.log" 2>&1 &
  window=$!
  for i in $(seq 120); do [ ! -e "$root/tmp/opened" ] || break; sleep 0.5; done
  # A page that cannot be drawn takes its process with it, and its window stays; so it is looked at some seconds later.
  [ ! -e "$root/tmp/opened" ] || { sleep 5; ! page_lives || touch "$root/tmp/seen"; }
  wait "$window" || fail "no window with a page opened through a link: $(cat "$work/window.log")"
  within sh -c 'test -s ~root/.local/share/cwl-inspector/sessions.sqlite' || fail "there is no store of the user, so nothing shows that it outlasts the package"
}
removed() {
  nothing_left "$1"
  within sh -c 'test -s ~root/.local/share/cwl-inspector/sessions.sqlite' || fail "the store of the user went with the package"
  say "$1: installed, run, opened through a link and removed; the user's data is still there"
}

test_deb() {
  window_root
  listed > "$work/before"
  within sh -c 'apt-get install -y -qq /tmp/cwl-inspector_*.deb >/dev/null 2>&1'
  installed_runs
  within sh -c 'dpkg --purge cwl-inspector >/dev/null'
  removed "the .deb"
}

test_rpm() {
  window_root
  listed > "$work/before"
  within sh -c 'rpm -i --nodeps /tmp/cwl-inspector-*.rpm && update-desktop-database -q'
  # What the programs ask the loader for, as the loader's names say it, must be what the package requires. The loader itself is in no
  # list of requirements.
  for program in cwl cwl-inspector; do objdump -p "$root/usr/bin/$program"; done | sed -n 's/^ *NEEDED *//p' | grep -v '^ld-linux' | sort -u > "$work/needed"
  rpm -qp --requires "$out"/*.rpm | sed -n 's/^\([^ (]*\.so[^ (]*\)(.*/\1/p' | sort -u > "$work/required"
  [ -s "$work/required" ] || fail "the .rpm requires no library"
  diff "$work/needed" "$work/required" || fail "the .rpm requires other libraries than its programs ask for"
  installed_runs
  within sh -c 'rpm -e --nodeps cwl-inspector && update-desktop-database -q'
  removed "the .rpm"
}

# --- from source -------------------------------------------------------------------------------------------------
test_source() {
  # All programs of this machine but node.
  mkdir "$work/bin"
  for folder in /bin /usr/bin "$HOME/.cargo/bin"; do
    for program in "$folder"/*; do
      case ${program##*/} in node* | npm* | npx* | corepack*) ;; *) ln -sf "$program" "$work/bin/${program##*/}" ;; esac
    done
  done
  without_node() { env -i PATH="$work/bin" HOME="$HOME" CARGO_TARGET_DIR="${SOURCE_TARGET:-$work/source-target}" "$@"; }
  without_node sh -c '! command -v node' || fail "node is still there"
  mkdir "$work/source"
  tar -xJf "$out"/cwl-inspector-*-source.tar.xz -C "$work/source" --strip-components=1
  without_node cargo install --quiet --locked --path "$work/source/crates/cli" --root "$work/installed" --no-track
  "$work/installed/bin/cwl" --version
  reports "$work/installed/bin/cwl" --quiet report "$sample"
  # The source has no engine of exported pages in it; the template is what is looked for.
  printf '\0asm' > "$work/engine.wasm"
  "$work/installed/bin/cwl" --quiet export "$sample" --html "$work/page.html" --engine "$work/engine.wasm" >/dev/null
  grep -q '<html' "$work/page.html" || fail "the page is not in the program"
  say "the source tarball: installed by cargo without node, and the page is in it"
}

[ $# -gt 0 ] || set -- tar wheel deb rpm source
for part; do
  case $part in tar | wheel | deb | rpm | source) "test_$part" ;; *) fail "no part is called $part" ;; esac
done
