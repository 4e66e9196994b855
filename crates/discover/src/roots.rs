//! Folders that are searched, derived from the table of harnesses and the settings on this machine.
//!
//! Only these folders are searched. Working directories named in logs are displayed but never touched.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cwl_tail::{EntryKind, LogFolder, PathFilter};

use crate::harnesses::{Harness, Harnesses, Home};
use crate::notices::{Notice, unread_store, unreadable_folder};
use crate::pi_settings::sessions_folder;
use crate::wanted::{depth_below, of_any_harness, of_any_harness_and_messages, sessions_in_named};

pub(crate) struct Surroundings<'a> {
    pub(crate) home: Option<&'a Path>,
    pub(crate) started_in: Option<&'a Path>,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Surroundings<'_> {
    /// Folders at a place; none if neither a variable nor the home folder is known.
    fn folders_at(&self, home: &Home) -> Vec<PathBuf> {
        let in_home = |below: &str| self.home.map(|home| home.join(below));
        match home {
            Home::Named { variable } => self.folders_in_variable(variable),
            Home::Below { below } => in_home(below).into_iter().collect(),
            // A relative folder would depend on where this program starts.
            Home::Folder { folder } => {
                Some(self.expand_tilde(folder)).filter(|path| path.is_absolute()).into_iter().collect()
            }
            Home::Xdg { xdg, default, below } => {
                // The XDG specification ignores relative values.
                let named = (self.variable)(xdg).map(PathBuf::from).filter(|path| path.is_absolute());
                named.or_else(|| in_home(default)).map(|folder| folder.join(below)).into_iter().collect()
            }
        }
    }

    fn folders_in_variable(&self, variable: &str) -> Vec<PathBuf> {
        let Some(value) = (self.variable)(variable) else { return Vec::new() };
        let text = value.to_string_lossy();
        text.split(',')
            .map(str::trim)
            .filter(|path| !path.is_empty())
            .map(|path| self.expand_tilde(path))
            .collect()
    }

    /// Shells expand a tilde only at a value's start, not after a comma.
    pub(crate) fn expand_tilde(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => home.join(below),
            (None, Some(home)) if path == "~" => home.to_owned(),
            _ => PathBuf::from(path),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Roots {
    /// Harness (`None` for a folder named by the user), folder, and names watched in it.
    rows: Vec<(Option<&'static str>, LogFolder, PathFilter)>,
    stores: Vec<(&'static str, PathBuf)>,
    notices: Vec<Notice>,
}

static OF_USER: LazyLock<Roots> = LazyLock::new(|| {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    let started_in = std::env::current_dir().ok();
    let user = Surroundings {
        home: home.as_deref(),
        started_in: started_in.as_deref(),
        variable: &|name| std::env::var_os(name),
    };
    Roots::find(&user, Harnesses::of_user())
});

impl Roots {
    pub fn of_user() -> Self {
        OF_USER.clone()
    }

    pub(crate) fn find(user: &Surroundings<'_>, harnesses: &'static Harnesses) -> Self {
        let mut roots =
            Self { rows: Vec::new(), stores: Vec::new(), notices: harnesses.problem_notices().collect() };
        for harness in &harnesses.rows {
            let (wanted, watched) = harness.layout.path_filters();
            let homes: Vec<PathBuf> = harness.homes.iter().flat_map(|home| user.folders_at(home)).collect();
            for folder in homes.iter().flat_map(|home| harness.sessions.iter().map(|below| home.join(below)))
            {
                roots.add_folder(&harness.name, folder, wanted, watched);
            }
            if harness.pi_settings {
                roots.add_of_pi(harness, homes, user);
            }
        }
        roots
    }

    fn add_folder(&mut self, harness: &'static str, path: PathBuf, wanted: PathFilter, watched: PathFilter) {
        if self.rows.iter().all(|(_, known, _)| known.path != path) {
            self.rows.push((Some(harness), LogFolder { path, wanted }, watched));
        }
    }

    fn add_of_pi(&mut self, harness: &'static Harness, homes: Vec<PathBuf>, user: &Surroundings<'_>) {
        let mut named: Vec<PathBuf> =
            harness.sessions_variable.as_ref().map(|name| user.folders_in_variable(name)).unwrap_or_default();
        for home in homes {
            self.stores.push((&harness.name, database_of_pi(&home)));
            let (folder, notice) = sessions_folder(&harness.name, &home, user);
            named.extend(folder);
            self.notices.extend(notice);
        }
        for folder in named {
            self.stores.push((&harness.name, database_of_pi(&folder)));
            self.add_folder(&harness.name, folder, sessions_in_named, sessions_in_named);
        }
    }

    pub fn from_folders(folders: Vec<PathBuf>) -> Self {
        let watched: PathFilter = of_any_harness_and_messages;
        let row = |path| (None, LogFolder { path, wanted: of_any_harness }, watched);
        Self { rows: folders.into_iter().map(row).collect(), stores: Vec::new(), notices: Vec::new() }
    }

    pub(crate) fn list_notices(&self) -> Vec<Notice> {
        let folders =
            self.rows.iter().filter_map(|(harness, folder, _)| unreadable_folder(*harness, &folder.path));
        let stores = self.stores.iter().filter_map(|(harness, path)| unread_store(harness, path));
        self.notices.iter().cloned().chain(folders).chain(stores).collect()
    }

    pub(crate) fn watched_folders(&self) -> Vec<LogFolder> {
        let watched = |(_, folder, watched): &(_, LogFolder, PathFilter)| {
            // Files migrated to OpenCode's database do not change any more.
            let is_taken_over = folder.path.join("opencode.db").exists();
            let wanted = if is_taken_over { folder.wanted } else { *watched };
            LogFolder { path: folder.path.clone(), wanted }
        };
        self.rows.iter().map(watched).collect()
    }

    pub(crate) fn watches_file(&self, path: &Path) -> bool {
        self.rows.iter().any(|(_, folder, watched)| {
            path.strip_prefix(&folder.path).is_ok_and(|below| watched(below, EntryKind::File))
        })
    }

    pub(crate) fn listed_folders(&self) -> Vec<LogFolder> {
        self.rows.iter().map(|(_, folder, _)| folder.clone()).collect()
    }

    pub fn harness_places(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.rows.iter().filter_map(|(harness, folder, _)| Some(((*harness)?, folder.path.as_path())))
    }

    pub(crate) fn displayed_folders(&self) -> Vec<String> {
        self.rows.iter().map(|(_, folder, _)| folder.path.display().to_string()).collect()
    }

    pub(crate) fn resolve_links(&self) -> ResolvedFolders {
        let real = |(harness, folder, _): &(Option<&'static str>, LogFolder, PathFilter)| {
            Some(((*harness)?, folder.path.canonicalize().ok()?))
        };
        ResolvedFolders { rows: self.rows.iter().filter_map(real).collect() }
    }
}

/// The database that newer pi versions can be told to use, in the folder with settings or with sessions.
pub(crate) fn database_of_pi(folder: &Path) -> PathBuf {
    folder.join("sessions.sqlite")
}

pub struct ResolvedFolders {
    rows: Vec<(&'static str, PathBuf)>,
}

impl ResolvedFolders {
    pub fn harness_of(&self, path: &Path) -> Option<&'static str> {
        let holding = self.rows.iter().filter(|(_, folder)| path.starts_with(folder));
        holding.max_by_key(|(_, folder)| depth_below(folder)).map(|(harness, _)| *harness)
    }
}

/// A log's harness: by its folder on this machine, else by the format's name.
pub fn harness_of(path: &Path, format: &str) -> String {
    OF_USER.resolve_links().harness_of(path).unwrap_or(format).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeMap;

    fn roots(home: Option<&str>, variables: &[(&str, &str)]) -> Roots {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        let user = Surroundings {
            home: home.map(Path::new),
            started_in: Some(Path::new("/w")),
            variable: &|name| variables.get(name).map(OsString::from),
        };
        Roots::find(&user, Harnesses::builtin_table())
    }

    #[test]
    fn a_row_of_the_users_is_looked_into_too() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("folders.toml");
        let own = r#"
            [[harness]]
            name = "codex on the server"
            homes = [{ folder = "~/server" }, { folder = "/srv/codex" }, { folder = "here" }]
            sessions = ["sessions", "."]
            layout = "rollouts"
        "#;
        std::fs::write(&file, own).unwrap();
        let user = Surroundings { home: Some(Path::new("/h")), started_in: None, variable: &|_| None };
        let roots = Roots::find(&user, Box::leak(Box::new(Harnesses::of_file(&file))));
        let of_it = roots.harness_places().filter(|(name, _)| *name == "codex on the server");
        let paths: Vec<String> = of_it.map(|(_, path)| path.display().to_string()).collect();
        assert_eq!(paths, ["/h/server/sessions", "/h/server/.", "/srv/codex/sessions", "/srv/codex/."]);
        assert!(
            roots
                .harness_places()
                .any(|(name, path)| name == "codex" && path == Path::new("/h/.codex/sessions"))
        );
    }

    fn check(harness: &str, variables: &[(&str, &str)], expected: &[&str]) {
        let roots = roots(Some("/h"), variables);
        let of_it = roots.rows.iter().filter(|(name, ..)| *name == Some(harness));
        let paths: Vec<String> = of_it.map(|(_, folder, _)| folder.path.display().to_string()).collect();
        assert_eq!(paths, expected, "{harness} with {variables:?}");
    }

    #[test]
    fn each_harness_has_its_folders_and_overrides() {
        check("pi", &[], &["/h/.pi/agent/sessions"]);
        check("pi", &[("PI_CODING_AGENT_DIR", "")], &["/h/.pi/agent/sessions"]);
        check("pi", &[("PI_CODING_AGENT_DIR", "/h/.pi/agent")], &["/h/.pi/agent/sessions"]);
        check("pi", &[("PI_CODING_AGENT_DIR", "/a")], &["/a/sessions", "/h/.pi/agent/sessions"]);
        let named = ("PI_CODING_AGENT_SESSION_DIR", "~/s");
        check("pi", &[named], &["/h/.pi/agent/sessions", "/h/s"]);
        check("pi-cwl", &[named], &["/h/.claude/agent/sessions"]);
        let default = ["/h/.claude/projects", "/h/.config/claude/projects"];
        check("claude-code", &[], &default);
        check("claude-code", &[("XDG_CONFIG_HOME", "/x")], &[default[0], "/x/claude/projects"]);
        check("claude-code", &[("XDG_CONFIG_HOME", "relative")], &default);
        let list = ("CLAUDE_CONFIG_DIR", "/a, ~/b,,/h/.claude");
        check("claude-code", &[list], &["/a/projects", "/h/b/projects", default[0], default[1]]);
        check("codex", &[], &["/h/.codex/sessions", "/h/.codex/archived_sessions"]);
        check(
            "codex",
            &[("CODEX_HOME", "/c")],
            &["/c/sessions", "/c/archived_sessions", "/h/.codex/sessions", "/h/.codex/archived_sessions"],
        );
        check("copilot", &[], &["/h/.copilot/session-state"]);
        check("copilot", &[("COPILOT_HOME", "/c")], &["/c/session-state", "/h/.copilot/session-state"]);
        check("gemini-cli", &[], &["/h/.gemini/tmp"]);
        check("gemini-cli", &[("GEMINI_CLI_HOME", "/g")], &["/g/.gemini/tmp", "/h/.gemini/tmp"]);
        check("opencode", &[], &["/h/.local/share/opencode"]);
        check("opencode", &[("XDG_DATA_HOME", "/d")], &["/d/opencode"]);
        let earlier = ["/h/.openclaw/agents", "/h/.clawdbot/agents", "/h/.moltbot/agents"];
        check("openclaw", &[], &earlier);
        check(
            "openclaw",
            &[("OPENCLAW_STATE_DIR", "/o")],
            &["/o/agents", earlier[0], earlier[1], earlier[2]],
        );
        assert!(roots(None, &[]).rows.is_empty(), "no home, no folders");
        assert_eq!(roots(None, &[("CODEX_HOME", "/c")]).rows.len(), 2);
    }

    #[test]
    fn pi_cwl_in_claudes_folder_is_not_claude_code() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in [".claude/agent/sessions/p", ".claude/projects/p"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        let user = Surroundings { home: Some(&home), started_in: None, variable: &|_| None };
        let settled = Roots::find(&user, Harnesses::builtin_table()).resolve_links();
        assert_eq!(settled.harness_of(&home.join(".claude/agent/sessions/p/a.jsonl")), Some("pi-cwl"));
        assert_eq!(settled.harness_of(&home.join(".claude/projects/p/a.jsonl")), Some("claude-code"));
        assert_eq!(settled.harness_of(&home.join(".claude/agent/a.jsonl")), None);
    }

    #[test]
    fn messages_that_a_database_has_taken_over_are_not_watched() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join(".local/share/opencode");
        std::fs::create_dir_all(&data).unwrap();
        let user = Surroundings { home: Some(home.path()), started_in: None, variable: &|_| None };
        let watches = || {
            let folders = Roots::find(&user, Harnesses::builtin_table()).watched_folders();
            let of_it = folders.iter().find(|folder| folder.path == data).unwrap();
            (of_it.wanted)(Path::new("storage/message/ses_1/msg_1.json"), cwl_tail::EntryKind::File)
        };
        assert!(watches());
        std::fs::write(data.join("opencode.db"), "").unwrap();
        assert!(!watches());
    }
}
