//! Normal forms for paths and commands, in which different spellings are equal.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::shell_commands;

/// Maximum length of a path or command, bytes.
pub(crate) const MAX_NAME: usize = 512;

const MAX_FOLDERS: usize = 4;

/// Normalises a path; returns `None` for URLs, patterns, multi-line texts and anything else that
/// is no file name.
///
/// Strips quotes, `file://`, `./`, `//`, a trailing `/` and line numbers, resolves `..`, replaces
/// `\` if there is no `/`, and makes the path relative to the normalised folder `cwd` if it is
/// below. No disk access.
pub(crate) fn normal_path(text: &str, cwd: &str) -> Option<String> {
    if is_normal(text) && cwd != "/" {
        let found = if text.starts_with('/') { relative_to(text, cwd) } else { None };
        return Some(found.unwrap_or(text).to_owned());
    }
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`') || c.is_whitespace();
    if text.len() > 2 * MAX_NAME {
        return None;
    }
    let text = text.trim_matches(is_quote);
    let text = without_line(text.strip_prefix("file://").unwrap_or(text));
    let is_odd = |c: char| c.is_control() || matches!(c, '*' | '?' | '<' | '>' | '|' | '$' | '"');
    if text.is_empty() || text.len() > MAX_NAME || text.contains("://") || text.contains(is_odd) {
        return None;
    }
    let slashed;
    let text = if text.contains('\\') && !text.contains('/') {
        slashed = text.replace('\\', "/");
        &slashed
    } else {
        text
    };
    let is_absolute = text.starts_with('/') || text.as_bytes().get(1) == Some(&b':');
    let whole = if is_absolute || cwd.is_empty() {
        resolve_dots(text)
    } else {
        resolve_dots(&format!("{cwd}/{text}"))
    };
    Some(match relative_to(&whole, cwd) {
        Some(below) => below.to_owned(),
        None => whole,
    })
}

fn relative_to<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    match path.strip_prefix(folder)? {
        "" => Some("."),
        rest if !folder.is_empty() => rest.strip_prefix('/'),
        _ => None,
    }
}

/// Fast check for paths that are already normal, as most are. May return false for other normal
/// paths, which take the slow way.
fn is_normal(path: &str) -> bool {
    let is_usual = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    let parts = path.strip_prefix('/').unwrap_or(path).as_bytes();
    path.len() <= MAX_NAME
        && parts.iter().all(is_usual)
        && parts.split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

fn without_line(text: &str) -> &str {
    let mut kept = text;
    while let Some((before, after)) = kept.rsplit_once(':') {
        let is_line = after.bytes().all(|b| b.is_ascii_digit() || b == b'-') && !after.starts_with('-');
        if before.is_empty() || !is_line {
            break;
        }
        kept = before;
    }
    kept
}

fn resolve_dots(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    match (is_absolute, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NormalCommand {
    /// The command; a name only if it is short enough.
    pub(crate) text: String,
    /// Folder of leading `cd` commands, normalised; empty for the session's own.
    pub(crate) folder: String,
}

/// Normalises a shell command; `None` if it is empty.
///
/// Collapses white space. Drops `cd FOLDER &&` if the folder is the session's own or unknown;
/// elsewhere it stays, because the same words are another command there.
pub(crate) fn normal_command(line: &str, cwd: &str) -> Option<NormalCommand> {
    let (folder, rest) = folder_of(line, cwd);
    let mut text = if folder.is_empty() { String::new() } else { format!("cd {folder} &&") };
    for word in rest.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    (!rest.trim().is_empty()).then_some(NormalCommand { text, folder })
}

fn folder_of<'a>(line: &'a str, cwd: &str) -> (String, &'a str) {
    let (mut folder, mut rest) = (String::new(), line.trim_start());
    for _ in 0..MAX_FOLDERS {
        if !rest.starts_with("cd ") {
            break;
        }
        let Some(first) = shell_commands(rest).next().filter(|first| first.is_joined) else { break };
        let [_, to] = &first.words[..] else { break };
        let from = if folder.is_empty() { cwd.to_owned() } else { join_path(cwd, &folder) };
        let Some(place) = normal_path(to, &from) else { break };
        // If the session's folder is unknown, an absolute folder most likely is the session's.
        folder = match normal_path(&join_path(&from, &place), cwd) {
            Some(place) if place == "." || (cwd.is_empty() && place.starts_with('/')) => String::new(),
            Some(place) => place,
            None => break,
        };
        rest = rest[first.end..].trim_start();
    }
    (folder, rest)
}

pub(crate) fn join_path(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_path(text: &str, expected: &str) {
        let found = normal_path(text, "/home/dev/app").unwrap_or_default();
        assert_eq!(found, expected, "path {text:?}");
    }

    fn check_command(line: &str, expected: &str) {
        let found = normal_command(line, "/home/dev/app").map(|command| command.text).unwrap_or_default();
        assert_eq!(found, expected, "command {line:?}");
    }

    #[test]
    fn paths() {
        for (text, expected) in [
            ("src/a.rs", "src/a.rs"),
            ("./src/a.rs", "src/a.rs"),
            ("././src//a.rs", "src/a.rs"),
            ("src/./a.rs", "src/a.rs"),
            ("src/b/../a.rs", "src/a.rs"),
            ("../app/src/a.rs", "src/a.rs"),
            ("../other/a.rs", "/home/dev/other/a.rs"),
            ("../../../../../a.rs", "/a.rs"),
            ("/home/dev/app/src/a.rs", "src/a.rs"),
            ("/home/dev/app//src/", "src"),
            ("/home/dev/app", "."),
            ("/home/dev/apple/a.rs", "/home/dev/apple/a.rs"),
            ("/etc/hosts", "/etc/hosts"),
            (".", "."),
            ("/", "/"),
            ("'src/a.rs'", "src/a.rs"),
            ("\"src/a.rs\"", "src/a.rs"),
            ("`src/a.rs`", "src/a.rs"),
            (" src/a.rs\n", "src/a.rs"),
            ("src/a.rs:12", "src/a.rs"),
            ("src/a.rs:12:5", "src/a.rs"),
            ("src/a.rs:12-20", "src/a.rs"),
            ("src\\a.rs", "src/a.rs"),
            ("C:\\src\\a.rs", "C:/src/a.rs"),
            ("file:///home/dev/app/src/a.rs", "src/a.rs"),
            ("my file.txt", "my file.txt"),
            ("app/[id]/(group)/page.tsx", "app/[id]/(group)/page.tsx"),
            ("https://example.org/a", ""),
            ("src/*.rs", ""),
            ("$HOME/a", ""),
            ("a\nb", ""),
            ("", ""),
            ("''", ""),
        ] {
            check_path(text, expected);
        }
        check_path(&"x".repeat(513), "");
    }

    #[test]
    fn paths_without_a_folder_of_the_session() {
        let check = |text: &str, expected: &str| {
            assert_eq!(normal_path(text, "").unwrap_or_default(), expected, "path {text:?}");
        };
        check("a/b", "a/b");
        check("/a/b", "/a/b");
        check("./a//b", "a/b");
        check("../a", "../a");
        check("a/../../b", "../b");
        check("/a/../../b", "/b");
        check("a/..", ".");
    }

    #[test]
    fn paths_of_a_session_at_the_root() {
        let check = |text: &str, expected: &str| {
            assert_eq!(normal_path(text, "/").unwrap_or_default(), expected, "path {text:?}");
        };
        check("a/b", "/a/b");
        check("/a/b", "/a/b");
    }

    #[test]
    fn commands() {
        for (line, expected) in [
            ("cargo test", "cargo test"),
            ("  cargo \t test\n", "cargo test"),
            ("cd /home/dev/app && cargo test", "cargo test"),
            ("cd /home/dev/app; cargo test", "cargo test"),
            ("cd '/home/dev/app' && cargo test", "cargo test"),
            ("cd . && cargo test", "cargo test"),
            ("cd ui && npm test", "cd ui && npm test"),
            ("cd ./ui/ && npm test", "cd ui && npm test"),
            ("cd /home/dev/app/ui && npm test", "cd ui && npm test"),
            ("cd ui && cd src && ls", "cd ui/src && ls"),
            ("cd ui && cd .. && ls", "ls"),
            ("cd /tmp && ls", "cd /tmp && ls"),
            ("cd ui", "cd ui"),
            ("cd \"unclosed && ls", "cd \"unclosed && ls"),
            ("cd $HOME && ls", "cd $HOME && ls"),
            ("cd ü && ls", "cd ü && ls"),
            ("cd ui &&", ""),
            ("", ""),
        ] {
            check_command(line, expected);
        }
        let unknown = normal_command("cd /repo && make", "").map(|command| command.text);
        assert_eq!(unknown.as_deref(), Some("make"), "an absolute folder is taken for the session's own");
    }
}
