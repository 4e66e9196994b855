//! Another user of the machine can read nothing that the program writes.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Ways to act as another user: as root, and with sudo.
const AS_ANOTHER: [&[&str]; 2] = [
    &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"],
    &["sudo", "-n", "-u", "nobody", "--"],
];

/// Runs commands as another user of this machine.
struct OtherUser(&'static [&'static str]);

impl OtherUser {
    /// Finds a way that works, on a file that every user may read.
    fn find(readable: &Path) -> Self {
        let way = AS_ANOTHER.into_iter().find(|way| Self(way).reads(readable));
        Self(way.unwrap_or_else(|| {
            panic!(
                "this test acts as another user of the machine, and fails where it cannot: run it as root with setpriv \
                 (`apt install util-linux`), or as a user who may `sudo -n -u nobody`; {} must be readable for all",
                readable.display()
            )
        }))
    }

    fn does(&self, command: &[&str], path: &Path) -> bool {
        let mut words = self.0.iter().chain(command);
        let program = words.next().unwrap();
        let run = Command::new(program).args(words).arg(path).stdin(Stdio::null()).output();
        run.is_ok_and(|output| output.status.success())
    }

    /// Runs a copy of the program in a home; returns exit code, standard output and standard error.
    fn cwl(&self, dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
        let (program, way) = self.0.split_first().unwrap();
        let (home, data) = (dir.join("home").display().to_string(), dir.join("data").display().to_string());
        let output = Command::new(program)
            .args(way)
            .args(["env", "-i", &format!("HOME={home}"), &format!("CWL_DATA_DIR={data}")])
            .arg(dir.join("cwl"))
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn reads(&self, path: &Path) -> bool {
        self.does(&["cat", "--"], path)
    }

    fn lists(&self, path: &Path) -> bool {
        self.does(&["ls", "--"], path)
    }
}

/// A folder that every user may enter.
fn open_folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o755);
    dir
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn run(dir: &Path, args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_cwl"))
        .args(args)
        .current_dir(dir)
        .env("CWL_DATA_DIR", dir.join("share/cwl"))
        .env("CWL_CONFIG_DIR", dir.join("config"))
        .env("HOME", dir.join("home"))
        .env_remove("CWL_LOG")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn all_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(
            |path| if path.is_dir() { [vec![path.clone()], all_below(&path)].concat() } else { vec![path] },
        )
        .collect()
}

fn sample() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi/quickstart/input.jsonl");
    path.display().to_string()
}

#[test]
fn another_user_reads_nothing_of_a_store_or_an_export() {
    let dir = open_folder();
    let dir = dir.path();
    let readable = dir.join("readable.txt");
    std::fs::write(&readable, "for all").unwrap();
    set_mode(&readable, 0o644);
    let other = OtherUser::find(&readable);

    run(dir, &["import", &sample()]);
    let page = dir.join("ui");
    std::fs::create_dir(&page).unwrap();
    let template = "<!doctype html><script id=\"export\" type=\"text/plain\"></script>";
    ["index.html", "export.html"].iter().for_each(|name| std::fs::write(page.join(name), template).unwrap());
    // The engine is written into the page, and nothing here opens it.
    std::fs::write(dir.join("engine.wasm"), b"\0asm").unwrap();
    // An existing file with other rights is replaced by a private one.
    std::fs::write(dir.join("old.html"), "<!doctype html>").unwrap();
    set_mode(&dir.join("old.html"), 0o644);
    for html in ["new.html", "old.html"] {
        run(
            dir,
            &["export", &sample(), "--html", html, "--ui", "ui", "--engine", "engine.wasm", "--budget", "6k"],
        );
        assert_eq!(mode(&dir.join(html)), 0o600);
        assert!(!other.reads(&dir.join(html)), "{html}");
    }
    assert!(other.lists(dir), "the folder above is for all");
    let made = all_below(&dir.join("share"));
    assert!(made.iter().any(|path| path.ends_with("sessions.sqlite")), "{made:?}");
    for path in made.iter().chain([&dir.join("share")]) {
        let (expected, opens) =
            if path.is_dir() { (0o700, other.lists(path)) } else { (0o600, other.reads(path)) };
        assert_eq!(mode(path), expected, "{}", path.display());
        assert!(!opens, "{}", path.display());
    }
}

#[test]
fn a_store_of_an_earlier_version_is_tightened_when_it_is_opened() {
    let dir = open_folder();
    let dir = dir.path();
    run(dir, &["import", &sample()]);
    let store = dir.join("share/cwl");
    let document = store.join("opencode/0815/ses_1.json");
    std::fs::create_dir_all(document.parent().unwrap()).unwrap();
    std::fs::write(&document, "{}").unwrap();
    let loosen = || {
        for path in all_below(&store) {
            set_mode(&path, if path.is_dir() { 0o755 } else { 0o644 });
        }
        set_mode(&store, 0o755);
    };
    loosen();
    run(dir, &["import", &sample()]);
    for path in all_below(&store).iter().chain([&store]) {
        assert_eq!(mode(path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    // A folder with more than the store belongs to a person: it stays as it is, with private files in it.
    loosen();
    std::fs::write(store.join("shared.txt"), "for all").unwrap();
    set_mode(&store.join("shared.txt"), 0o644);
    run(dir, &["import", &sample()]);
    let modes = ["", "shared.txt", "sessions.sqlite", "user.sqlite"].map(|name| mode(&store.join(name)));
    assert_eq!(modes, [0o755, 0o644, 0o600, 0o600]);
}

/// As an ordinary user, so that permissions count: unreadable files are reported, and the rest is listed.
#[test]
fn what_a_user_may_not_read_is_said_and_the_rest_is_listed() {
    let dir = open_folder();
    let dir = dir.path();
    let program = dir.join("cwl");
    std::fs::copy(env!("CARGO_BIN_EXE_cwl"), &program).unwrap();
    set_mode(&program, 0o755);
    let other = OtherUser::find(&program);
    let project = dir.join("home/.pi/agent/sessions/--home-dev--");
    let closed = dir.join("home/.claude/projects/-closed");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::create_dir_all(&closed).unwrap();
    std::fs::create_dir(dir.join("data")).unwrap();
    let (log, mine) = (project.join("2026_1.jsonl"), project.join("2026_2.jsonl"));
    for path in [&log, &mine] {
        std::fs::copy(sample(), path).unwrap();
    }
    std::fs::copy(sample(), closed.join("a.jsonl")).unwrap();
    for path in all_below(&dir.join("home")) {
        set_mode(&path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    set_mode(&dir.join("home"), 0o755);
    set_mode(&dir.join("data"), 0o777);
    set_mode(&mine, 0o600);
    set_mode(&closed, 0o700);

    let (code, listed, said) = other.cwl(dir, &["sessions", "--json"]);
    assert_eq!(code, Some(0), "{said}");
    let list: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let rows = list["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["path"] == log.display().to_string()), "{listed}");
    let notices: Vec<&str> =
        list["notices"].as_array().unwrap().iter().filter_map(|notice| notice["path"].as_str()).collect();
    for unread in [&closed, &mine] {
        assert!(notices.contains(&&*unread.display().to_string()), "{listed}");
    }
    let (code, told, said) = other.cwl(dir, &["report", &log.display().to_string()]);
    assert_eq!((code, told.is_empty()), (Some(0), false), "{said}");
    // The second one is in a folder that may not be entered.
    for unread in [&mine, &closed.join("a.jsonl")] {
        for command in ["report", "import", "tail"] {
            let (code, told, said) = other.cwl(dir, &[command, &unread.display().to_string()]);
            assert_eq!((code, told.as_str()), (Some(2), ""), "{command}: {said}");
            assert!(said.contains("the file may not be read; check its permissions"), "{command}: {said}");
        }
    }
    // A store that is read-only, or not even accessible, does not prevent a list.
    for mode in [0o555, 0o000] {
        set_mode(&dir.join("data"), mode);
        let (code, listed, said) = other.cwl(dir, &["sessions", "--json"]);
        assert_eq!(code, Some(0), "{mode:o}: {said}");
        assert!(listed.contains(&log.display().to_string()), "{mode:o}: {listed}");
    }
    set_mode(&dir.join("data"), 0o777);
}
