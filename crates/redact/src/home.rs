//! Home directories, whose paths name a person.

use std::sync::LazyLock;

use regex::{Captures, Regex};

const GENERIC: &str = "root user users admin ubuntu debian runner node app home guest test agent agents vscode \
     codespace coder dev developer build builder work workspace shared public default localhost local main data \
     linuxbrew nobody docker";

pub(crate) fn is_personal(name: &str) -> bool {
    name.chars().count() >= 4
        && name.chars().any(char::is_alphabetic)
        && GENERIC.split(' ').all(|generic| !generic.eq_ignore_ascii_case(name))
}

#[derive(Debug)]
struct Homes {
    hint: Regex,
    whole: Regex,
}

fn homes() -> Result<&'static Homes, &'static regex::Error> {
    static HOMES: LazyLock<Result<Homes, regex::Error>> = LazyLock::new(|| {
        let hint = Regex::new(r"(?i-u)[/\\](?:home|users|documents and settings)[/\\]")?;
        let whole = Regex::new(
            r#"(?x)
            (^|[^\w./~\-]|\\[nrt]|\b[ab]|file://)
            (?: /(?:var/|export/|mnt/[a-z]/|[a-z]/)?(?i:home|users)/ ([A-Za-z0-9._@+\-]+)
              | [A-Za-z]:(?:\\{1,4}|/)(?i:users|documents\ and\ settings)(?:\\{1,4}|/) ([^\\/:*?"'<>|\s]+)
            )"#,
        )?;
        Ok(Homes { hint, whole })
    });
    HOMES.as_ref()
}

pub(crate) fn ready() -> Result<(), String> {
    homes().map(|_| ()).map_err(ToString::to_string)
}

fn homes_for(text: &str) -> Option<&'static Regex> {
    homes().ok().filter(|homes| homes.hint.is_match(text)).map(|homes| &homes.whole)
}

pub(crate) fn user_of(path: &str) -> Option<&str> {
    let captures = homes_for(path)?.captures(path)?;
    let name = captures.get(2).or_else(|| captures.get(3))?;
    (captures.get(0)?.start() == 0).then(|| name.as_str())
}

pub(crate) fn hide_homes(text: &str, mut each: impl FnMut(&str)) -> String {
    let Some(homes) = homes_for(text) else { return text.to_owned() };
    homes
        .replace_all(text, |found: &Captures<'_>| {
            if let Some(name) = found.get(2).or_else(|| found.get(3)) {
                each(name.as_str());
            }
            format!("{}~", &found[1])
        })
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_hidden() {
        let check = |text: &str, hidden: &str| assert_eq!(hide_homes(text, |_| ()), hidden);
        check("cd /home/vera/work && ls", "cd ~/work && ls");
        check("/Users/vera.k/x:/Users/vera.k/y", "~/x:~/y");
        check(r"C:\Users\Vera\x and C:\\Users\\Vera\\x", r"~\x and ~\\x");
        check("/mnt/c/Users/vera/x", "~/x");
        check("the /homepage of /home", "the /homepage of /home");
        check("src/home/page.rs", "src/home/page.rs");
        check("file:///home/vera/x \\n/home/vera/y", "file://~/x \\n~/y");
    }

    #[test]
    fn users_are_known_by_their_homes() {
        assert_eq!(user_of("/home/vera/work"), Some("vera"));
        assert_eq!(user_of("/srv/home/vera"), None);
        assert!(!is_personal("root") && !is_personal("bob") && is_personal("vera"));
    }
}
