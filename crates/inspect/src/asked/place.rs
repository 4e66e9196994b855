//! Refuses paths from links before anything is looked up. A web page can make a link, so looking up its path must not
//! contact another machine or a device.

use std::path::{Component, Path, PathBuf};

/// Folders that contain no logs, but devices, kernel state or other machines.
const CLOSED: &[(&str, PathRefusal)] = &[
    ("/dev", PathRefusal::Device),
    ("/proc", PathRefusal::Device),
    ("/sys", PathRefusal::Device),
    ("/net", PathRefusal::Network),
    ("/afs", PathRefusal::Network),
];
/// File system types on other machines, as listed in gnulib's mount list, and types that mount other file systems on
/// demand. Most remote mounts are recognised by their device instead.
const REMOTE: &[&str] = &[
    "acfs",
    "afs",
    "auristorfs",
    "autofs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "fhgfs",
    "fuse.glusterfs",
    "fuse.gvfsd-fuse",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "gpfs",
    "ibrix",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "smb3",
    "smbfs",
    "vxfs",
    "9p",
];
/// Names that Windows treats as devices in every folder, with any extension.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRefusal {
    Network,
    Device,
    Address,
    Hidden,
    Partial,
}

impl PathRefusal {
    pub fn describe_refusal(self) -> &'static str {
        match self {
            Self::Network => "a link may not open a place on the network",
            Self::Device => "a link may not open a device",
            Self::Address => "a link opens a session or a path, no address",
            Self::Hidden => "the path in the link has characters that are not seen",
            Self::Partial => "a link opens a session, or a path from the root on",
        }
    }
}

pub fn is_path(target: &str) -> bool {
    target.contains(['/', '\\'])
}

/// Checks `target` as text, without looking it up. `windows` selects Windows path rules.
pub fn refuse_target(target: &str, windows: bool) -> Option<PathRefusal> {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let bytes = target.as_bytes();
    if target.chars().any(char::is_control) {
        return Some(PathRefusal::Hidden);
    }
    // `\\server\share`, `\\?\UNC\…` and `\\.\device`. Elsewhere two separators equal one, and people do not write them.
    if bytes.len() >= 2 && bytes.iter().take(2).all(is_separator) {
        return Some(PathRefusal::Network);
    }
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme =
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if is_scheme {
        return Some(PathRefusal::Address);
    }
    if windows && target.split(['/', '\\']).any(is_device) {
        return Some(PathRefusal::Device);
    }
    None
}

fn is_device(part: &str) -> bool {
    let stem = part.split(['.', ':']).next().unwrap_or_default().trim_end().to_lowercase();
    let is_port = |name: &str| {
        stem.strip_prefix(name).is_some_and(|number| {
            number.chars().count() == 1 && number.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
        })
    };
    DEVICES.contains(&stem.as_str()) || is_port("com") || is_port("lpt")
}

/// Resolves `.` and `..` in `path` without looking it up; returns `None` for a relative path.
pub fn plain_path(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Some(plain)
}

/// Checks a normalised path by its location. `mounts` has the format of `/proc/self/mounts`.
pub fn refuse_path(path: &Path, mounts: &str) -> Option<PathRefusal> {
    let by_name = CLOSED.iter().find(|(folder, _)| path.starts_with(folder)).map(|(_, refusal)| *refusal);
    by_name.or_else(|| is_remote(path, mounts).then_some(PathRefusal::Network))
}

/// Tells whether `path` is on a remote file system, judged by the last mount of its deepest mounted ancestor.
fn is_remote(path: &Path, mounts: &str) -> bool {
    let mut deepest: Option<(usize, bool)> = None;
    for line in mounts.lines() {
        let mut fields = line.split(' ');
        let (Some(device), Some(folder), Some(kind)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let folder = unescape_mount(folder);
        let depth = folder.components().count();
        if path.starts_with(&folder) && deepest.is_none_or(|(known, _)| depth >= known) {
            let is_remote = device.contains(':') || device.starts_with("//") || REMOTE.contains(&kind);
            deepest = Some((depth, is_remote));
        }
    }
    deepest.is_some_and(|(_, is_remote)| is_remote)
}

/// Decodes octal escapes in a mount point: `\040` is a space.
fn unescape_mount(field: &str) -> PathBuf {
    let mut text = String::with_capacity(field.len());
    let mut rest = field;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        match after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(code) if code.is_ascii() => {
                text.push(char::from(code));
                rest = &after[3..];
            }
            _ => {
                text.push('\\');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    PathBuf::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_refused_before_anything_is_looked_up() {
        use PathRefusal::{Address, Device, Hidden, Network};
        let check = |target: &str, elsewhere: Option<PathRefusal>, on_windows: Option<PathRefusal>| {
            assert_eq!(
                (refuse_target(target, false), refuse_target(target, true)),
                (elsewhere, on_windows),
                "{target:?}"
            );
        };
        let both = |target: &str, expected: Option<PathRefusal>| check(target, expected, expected);
        both(r"\\server\share\a.jsonl", Some(Network));
        both("//server/share/a.jsonl", Some(Network));
        both(r"/\server\share", Some(Network));
        both(r"\\?\UNC\server\share", Some(Network));
        both(r"\\.\PhysicalDrive0", Some(Network));
        both("file:///etc/passwd", Some(Address));
        both("https://example.com/a.jsonl", Some(Address));
        both("smb:server", Some(Address));
        both("/home/dev/a\u{0}.jsonl", Some(Hidden));
        both("/home/dev/a\n.jsonl", Some(Hidden));
        both("/home/dev/a.jsonl", None);
        both(r"C:\Users\dev\a.jsonl", None);
        both("0a789f64", None);
        both("opencode.db#ses_6b1f0c2d9a", None);
        both("/home/dev/console.jsonl", None);
        both("/home/dev/12:30.jsonl", None);
        check(r"C:\logs\NUL", None, Some(Device));
        check(r"C:\logs\com1.jsonl", None, Some(Device));
        check(r"C:\logs\LPT9 .txt", None, Some(Device));
        check("/logs/aux.jsonl", None, Some(Device));
        both(r"C:\logs\com10.jsonl", None);
    }

    #[cfg(unix)]
    #[test]
    fn places_are_refused_by_their_folder_and_file_system() {
        use PathRefusal::{Device, Network};
        let mounts = "/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\nhost:/export /home/dev/far nfs4 rw 0 0\n\
                      /dev/sdb1 /home/dev/far/near ext4 rw 0 0\n//nas/share /far/my\\040share cifs rw 0 0\n\
                      gvfsd-fuse /run/user/1000/gvfs fuse.gvfsd-fuse rw 0 0\nme@host:/x /far/ssh fuse.sshfs rw 0 0\n\
                      systemd-1 /auto autofs rw 0 0\nodd\n";
        let check = |path: &str, expected: Option<PathRefusal>| {
            let plain = plain_path(Path::new(path));
            assert_eq!(plain.map(|path| refuse_path(&path, mounts)), Some(expected), "{path}");
        };
        check("/dev/zero", Some(Device));
        check("/home/../dev/zero", Some(Device));
        check("/proc/self/environ", Some(Device));
        check("/sys/kernel/notes", Some(Device));
        check("/device/a.jsonl", None);
        check("/net/host/a.jsonl", Some(Network));
        check("/home/dev/a.jsonl", None);
        check("/home/dev/far/a.jsonl", Some(Network));
        check("/home/dev/farther/a.jsonl", None);
        check("/home/dev/far/near/a.jsonl", None);
        check("/home/dev/far/near/../a.jsonl", Some(Network));
        check("/far/my share/a.jsonl", Some(Network));
        check("/run/user/1000/gvfs/sftp:host=x/a.jsonl", Some(Network));
        check("/far/ssh/a.jsonl", Some(Network));
        check("/auto/a/b.jsonl", Some(Network));
        assert_eq!(
            refuse_path(Path::new("/home/dev/a.jsonl"), ""),
            None,
            "a system without a list of mounts"
        );
        for partial in ["a.jsonl", "../a.jsonl", "./a/b", ""] {
            assert_eq!(plain_path(Path::new(partial)), None, "{partial}");
        }
    }

    #[test]
    fn escapes_of_mounts() {
        let check = |field: &str, expected: &str| {
            assert_eq!(unescape_mount(field), PathBuf::from(expected), "{field}")
        };
        check("/a", "/a");
        check(r"/a\040b\134c", r"/a b\c");
        check(r"/a\04", r"/a\04");
        check(r"/a\", r"/a\");
        check(r"/a\é00", r"/a\é00");
    }
}
