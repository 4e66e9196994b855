//! Where each harness keeps its logs: one row per harness.
//!
//! Only these folders are looked into. Working directories that a log names are shown, never touched.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cwl_tail::{LogFolder, Wanted};

use crate::notices::{Notice, UnreadStore, unreadable_folder};
use crate::pi_settings::sessions_folder;
use crate::wanted::{
    chats, depth, of_any_harness, of_any_harness_and_messages, of_claude_code, of_opencode,
    of_opencode_and_messages, rollouts, sessions_in_named, sessions_of_agents, sessions_of_projects,
};

/// A program that writes logs.
struct Harness {
    /// As it is shown.
    name: &'static str,
    /// Its folders; those that an environment variable names come first. What it wrote before the
    /// variable was set is in the default folder still, so that one stays in the list.
    folders: fn(&Surroundings<'_>) -> Vec<PathBuf>,
    wanted: Wanted,
    /// Names that are watched and not listed, if there are any.
    watched: Option<Wanted>,
    /// Where it keeps settings, if it is pi or made from it.
    pi: Option<Pi>,
}

/// The settings by which pi, and programs made from it, can be told where sessions are to be.
struct Pi {
    /// The folders of its settings.
    homes: fn(&Surroundings<'_>) -> Vec<PathBuf>,
    /// The variable that names the folder of sessions.
    variable: Option<&'static str>,
}

static HARNESSES: [Harness; 7] = [
    Harness {
        name: "pi",
        folders: pi,
        wanted: sessions_of_projects,
        watched: None,
        pi: Some(Pi { homes: pi_homes, variable: Some("PI_CODING_AGENT_SESSION_DIR") }),
    },
    // It lives in Claude Code's folder and is none of it.
    Harness {
        name: "pi-cwl",
        folders: pi_cwl,
        wanted: sessions_of_projects,
        watched: None,
        pi: Some(Pi { homes: pi_cwl_homes, variable: None }),
    },
    Harness { name: "openclaw", folders: openclaw, wanted: sessions_of_agents, watched: None, pi: None },
    Harness { name: "claude-code", folders: claude_code, wanted: of_claude_code, watched: None, pi: None },
    Harness { name: "codex", folders: codex, wanted: rollouts, watched: None, pi: None },
    Harness { name: "gemini-cli", folders: gemini_cli, wanted: chats, watched: None, pi: None },
    Harness {
        name: "opencode",
        folders: opencode,
        wanted: of_opencode,
        watched: Some(of_opencode_and_messages),
        pi: None,
    },
];

/// The surroundings on the user's machine: the home folder, the folder that this was started in, and the environment.
pub(crate) struct Surroundings<'a> {
    pub(crate) home: Option<&'a Path>,
    pub(crate) started_in: Option<&'a Path>,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Surroundings<'_> {
    fn in_home(&self, below: &str) -> Option<PathBuf> {
        self.home.map(|home| home.join(below))
    }

    /// Returns the folders that a variable names; several are separated by commas.
    fn named(&self, variable: &str) -> Vec<PathBuf> {
        let Some(value) = (self.variable)(variable) else { return Vec::new() };
        let text = value.to_string_lossy();
        text.split(',')
            .map(str::trim)
            .filter(|path| !path.is_empty())
            .map(|path| self.expanded(path))
            .collect()
    }

    /// Shells expand a tilde only at the start of a value, not behind a comma.
    pub(crate) fn expanded(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => home.join(below),
            (None, Some(home)) if path == "~" => home.to_owned(),
            _ => PathBuf::from(path),
        }
    }

    /// Returns a folder of the XDG specification, which ignores relative values.
    fn xdg(&self, variable: &str, default: &str) -> Option<PathBuf> {
        let named = (self.variable)(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| self.in_home(default))
    }
}

fn below(folders: impl IntoIterator<Item = PathBuf>, name: &str) -> Vec<PathBuf> {
    folders.into_iter().map(|folder| folder.join(name)).collect()
}

fn pi(user: &Surroundings<'_>) -> Vec<PathBuf> {
    below(pi_homes(user), "sessions")
}

fn pi_homes(user: &Surroundings<'_>) -> Vec<PathBuf> {
    user.named("PI_CODING_AGENT_DIR").into_iter().chain(user.in_home(".pi/agent")).collect()
}

fn pi_cwl(user: &Surroundings<'_>) -> Vec<PathBuf> {
    below(pi_cwl_homes(user), "sessions")
}

fn pi_cwl_homes(user: &Surroundings<'_>) -> Vec<PathBuf> {
    user.in_home(".claude/agent").into_iter().collect()
}

fn openclaw(user: &Surroundings<'_>) -> Vec<PathBuf> {
    let named = user.named("OPENCLAW_STATE_DIR").into_iter().chain(user.named("CLAWDBOT_STATE_DIR"));
    let earlier_names = [".openclaw", ".clawdbot", ".moltbot"];
    below(named.chain(earlier_names.iter().filter_map(|name| user.in_home(name))), "agents")
}

fn claude_code(user: &Surroundings<'_>) -> Vec<PathBuf> {
    let config = user.xdg("XDG_CONFIG_HOME", ".config").map(|config| config.join("claude"));
    let homes = user.named("CLAUDE_CONFIG_DIR").into_iter().chain(user.in_home(".claude")).chain(config);
    below(homes, "projects")
}

fn codex(user: &Surroundings<'_>) -> Vec<PathBuf> {
    let homes = user.named("CODEX_HOME").into_iter().chain(user.in_home(".codex"));
    homes.flat_map(|home| [home.join("sessions"), home.join("archived_sessions")]).collect()
}

fn gemini_cli(user: &Surroundings<'_>) -> Vec<PathBuf> {
    // The variable stands for the home folder, not for the folder in it.
    let homes = user.named("GEMINI_CLI_HOME").into_iter().chain(user.home.map(Path::to_owned));
    below(homes, ".gemini/tmp")
}

fn opencode(user: &Surroundings<'_>) -> Vec<PathBuf> {
    below(user.xdg("XDG_DATA_HOME", ".local/share"), "opencode")
}

/// The folders that are looked into, and whose they are.
#[derive(Debug, Clone)]
pub struct Roots {
    /// Each with its harness; `None` where the user just named it.
    rows: Vec<(Option<&'static str>, LogFolder)>,
    /// The names that are watched in each folder, in the same order.
    watched: Vec<Wanted>,
    /// Where sessions may be that cannot be read.
    stores: Vec<UnreadStore>,
    /// The problems of the settings that were read.
    notices: Vec<Notice>,
}

/// The folders of all harnesses on this machine.
static OF_USER: LazyLock<Roots> = LazyLock::new(|| {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    let started_in = std::env::current_dir().ok();
    Roots::of(&Surroundings {
        home: home.as_deref(),
        started_in: started_in.as_deref(),
        variable: &|name| std::env::var_os(name),
    })
});

impl Roots {
    /// Returns the folders where harnesses keep logs on this machine.
    pub fn of_user() -> Self {
        OF_USER.clone()
    }

    pub(crate) fn of(user: &Surroundings<'_>) -> Self {
        let mut roots =
            Self { rows: Vec::new(), watched: Vec::new(), stores: Vec::new(), notices: Vec::new() };
        for harness in &HARNESSES {
            for path in (harness.folders)(user) {
                roots.add(harness.name, path, harness.wanted, harness.watched);
            }
            if let Some(pi) = &harness.pi {
                roots.add_of_pi(harness.name, pi, user);
            }
        }
        roots
    }

    fn add(&mut self, harness: &'static str, path: PathBuf, wanted: Wanted, watched: Option<Wanted>) {
        if self.rows.iter().all(|(_, known)| known.path != path) {
            self.rows.push((Some(harness), LogFolder { path, wanted }));
            self.watched.push(watched.unwrap_or(wanted));
        }
    }

    /// Adds the folders that pi was told to use instead of its own.
    fn add_of_pi(&mut self, harness: &'static str, pi: &Pi, user: &Surroundings<'_>) {
        let mut named: Vec<PathBuf> = pi.variable.map(|name| user.named(name)).unwrap_or_default();
        for home in (pi.homes)(user) {
            self.stores.push(UnreadStore::of_pi(harness, &home));
            let (folder, notice) = sessions_folder(harness, &home, user);
            named.extend(folder);
            self.notices.extend(notice);
        }
        for folder in named {
            self.stores.push(UnreadStore::of_pi(harness, &folder));
            self.add(harness, folder, sessions_in_named, None);
        }
    }

    /// Returns folders that the user named.
    pub fn named(folders: Vec<PathBuf>) -> Self {
        let row = |path| (None, LogFolder { path, wanted: of_any_harness });
        let rows: Vec<_> = folders.into_iter().map(row).collect();
        let watched = vec![of_any_harness_and_messages as Wanted; rows.len()];
        Self { rows, watched, stores: Vec::new(), notices: Vec::new() }
    }

    /// Returns what was found and is not in the list, as it is now.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        let folders =
            self.rows.iter().filter_map(|(harness, folder)| unreadable_folder(*harness, &folder.path));
        let stores = self.stores.iter().filter_map(UnreadStore::notice);
        self.notices.iter().cloned().chain(folders).chain(stores).collect()
    }

    /// Returns what the follower is to watch.
    pub(crate) fn folders(&self) -> Vec<LogFolder> {
        let rows = self.rows.iter().zip(&self.watched);
        let watched = rows.map(|((_, folder), watched)| {
            // Files that OpenCode has taken over into its database do not change any more.
            let is_taken_over = folder.path.join("opencode.db").exists();
            let wanted = if is_taken_over { folder.wanted } else { *watched };
            LogFolder { path: folder.path.clone(), wanted }
        });
        watched.collect()
    }

    /// Returns what is to be listed.
    pub(crate) fn listed(&self) -> Vec<LogFolder> {
        self.rows.iter().map(|(_, folder)| folder.clone()).collect()
    }

    /// Returns the folders as they are shown.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.rows.iter().map(|(_, folder)| folder.path.display().to_string()).collect()
    }

    /// Returns these folders with links in them followed, those that are there.
    pub(crate) fn settled(&self) -> Settled {
        let real = |(harness, folder): &(Option<&'static str>, LogFolder)| {
            Some(((*harness)?, folder.path.canonicalize().ok()?))
        };
        Settled { rows: self.rows.iter().filter_map(real).collect() }
    }
}

/// Real folders of harnesses.
pub struct Settled {
    rows: Vec<(&'static str, PathBuf)>,
}

impl Settled {
    /// Returns the harness in whose folder a real path is.
    pub fn harness_of(&self, path: &Path) -> Option<&'static str> {
        let holding = self.rows.iter().filter(|(_, folder)| path.starts_with(folder));
        holding.max_by_key(|(_, folder)| depth(folder)).map(|(harness, _)| *harness)
    }
}

/// Returns which harness wrote a log: that of its folder on this machine, else what its format is named after.
pub fn harness_of(path: &Path, format: &str) -> String {
    OF_USER.settled().harness_of(path).unwrap_or(format).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeMap;

    fn roots(home: Option<&str>, variables: &[(&str, &str)]) -> Roots {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        Roots::of(&Surroundings {
            home: home.map(Path::new),
            started_in: Some(Path::new("/w")),
            variable: &|name| variables.get(name).map(OsString::from),
        })
    }

    fn check(harness: &str, variables: &[(&str, &str)], expected: &[&str]) {
        let roots = roots(Some("/h"), variables);
        let of_it = roots.rows.iter().filter(|(name, _)| *name == Some(harness));
        let paths: Vec<String> = of_it.map(|(_, folder)| folder.path.display().to_string()).collect();
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
        let settled = Roots::of(&user).settled();
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
            let folders = Roots::of(&user).folders();
            let of_it = folders.iter().find(|folder| folder.path == data).unwrap();
            (of_it.wanted)(Path::new("storage/message/ses_1/msg_1.json"), cwl_tail::Kind::File)
        };
        assert!(watches());
        std::fs::write(data.join("opencode.db"), "").unwrap();
        assert!(!watches());
    }
}
