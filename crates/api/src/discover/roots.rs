//! Where each harness keeps its logs, and which of the names there are logs: one row per harness.
//!
//! Only these folders are looked into. Working directories that a log names are shown, never touched.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cwl_tail::{Kind, LogFolder, Wanted};

use super::layout::{is_log_name, name_of};
use super::notices::{Store, unreadable_folder};
use super::pi_settings::sessions_folder;
use crate::dto::NoticeDto;

/// A program that writes logs.
struct Harness {
    /// As it is shown.
    name: &'static str,
    /// Its folders; those that an environment variable names come first. What it wrote before the
    /// variable was set is in the default folder still, so that one stays in the list.
    folders: fn(&Surroundings<'_>) -> Vec<PathBuf>,
    wanted: Wanted,
    /// Where it keeps settings, if it is pi or made from it.
    pi: Option<Pi>,
}

/// What pi, and what is made from it, can be told of where sessions are to be.
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
        pi: Some(Pi { homes: pi_homes, variable: Some("PI_CODING_AGENT_SESSION_DIR") }),
    },
    // It lives in Claude Code's folder and is none of it.
    Harness {
        name: "pi-cwl",
        folders: pi_cwl,
        wanted: sessions_of_projects,
        pi: Some(Pi { homes: pi_cwl_homes, variable: None }),
    },
    Harness { name: "openclaw", folders: openclaw, wanted: sessions_of_agents, pi: None },
    Harness { name: "claude-code", folders: claude_code, wanted: of_claude_code, pi: None },
    Harness { name: "codex", folders: codex, wanted: rollouts, pi: None },
    Harness { name: "gemini-cli", folders: gemini_cli, wanted: chats, pi: None },
    Harness { name: "opencode", folders: opencode, wanted: databases, pi: None },
];

/// What the user's machine says: the home folder, the folder that this was started in, and the environment.
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
    pub(super) fn expanded(&self, path: &str) -> PathBuf {
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

/// Folders are not gone into deeper than this.
const DEPTH: usize = 10;

fn depth(below: &Path) -> usize {
    below.components().count()
}

/// Returns the name of the folder at a depth, from 1.
fn part(below: &Path, number: usize) -> Option<&str> {
    below.iter().nth(number.checked_sub(1)?)?.to_str()
}

/// `<project>/<log>`, and below `<project>/<session>/` what its subagents wrote.
fn sessions_of_projects(below: &Path, kind: Kind) -> bool {
    match kind {
        Kind::Folder => depth(below) <= DEPTH,
        Kind::File => is_log_name(name_of(below)),
    }
}

/// `<log>`, and what subagents wrote in a folder named after it; also `--<project>--/<log>`, as in pi's own folder.
///
/// Somebody named the folder, which may hold a lot that is none of pi's.
fn sessions_in_named(below: &Path, kind: Kind) -> bool {
    let top = part(below, 1).unwrap_or_default();
    let is_project = top.starts_with("--") && top.ends_with("--");
    let is_of_session = top.starts_with(|first: char| first.is_ascii_digit()) && top.contains('_');
    match (kind, depth(below)) {
        (Kind::Folder, n) => n <= DEPTH && (is_project || is_of_session),
        (Kind::File, _) => is_log_name(name_of(below)),
    }
}

/// `<agent>/sessions/<log>`.
fn sessions_of_agents(below: &Path, kind: Kind) -> bool {
    match (kind, depth(below)) {
        (Kind::Folder, 1) => true,
        (Kind::Folder, 2) => part(below, 2) == Some("sessions"),
        (Kind::Folder, _) => false,
        (Kind::File, 3) => is_log_name(name_of(below)),
        (Kind::File, _) => false,
    }
}

/// `<project>/<log>` and `<project>/<session>/subagents/…/<log>`; large outputs of tools stand beside the latter.
fn of_claude_code(below: &Path, kind: Kind) -> bool {
    let is_of_subagents = || part(below, 3) == Some("subagents");
    match (kind, depth(below)) {
        (Kind::Folder, 1) => true,
        (Kind::Folder, 2) => part(below, 2) != Some("memory"),
        (Kind::Folder, n) => n <= DEPTH && is_of_subagents(),
        (Kind::File, 2) => is_log_name(name_of(below)),
        (Kind::File, n) => n >= 4 && is_of_subagents() && is_log_name(name_of(below)),
    }
}

/// `<year>/<month>/<day>/rollout-….jsonl`, or flat for archived ones; idle ones may be compressed.
fn rollouts(below: &Path, kind: Kind) -> bool {
    match kind {
        Kind::Folder => depth(below) <= 3,
        Kind::File => name_of(below).starts_with("rollout-") && is_log_name(name_of(below)),
    }
}

/// `<project>/chats/session-….json` or `.jsonl`, and `<project>/chats/<session>/<log>` for subagents.
fn chats(below: &Path, kind: Kind) -> bool {
    let is_in_chats = || part(below, 2) == Some("chats");
    match (kind, depth(below)) {
        (Kind::Folder, 1) => true,
        (Kind::Folder, n) => n <= 3 && is_in_chats(),
        (Kind::File, 3) => is_in_chats() && (is_old_chat(below) || is_log_name(name_of(below))),
        (Kind::File, 4) => is_in_chats() && is_log_name(name_of(below)),
        (Kind::File, _) => false,
    }
}

/// One JSON document, which is written anew with each change.
fn is_old_chat(below: &Path) -> bool {
    let name = name_of(below);
    name.starts_with("session-") && name.ends_with(".json")
}

/// `opencode.db`, and its log of writes, which changes where the database does not.
fn databases(below: &Path, kind: Kind) -> bool {
    kind == Kind::File && depth(below) == 1 && ["opencode.db", "opencode.db-wal"].contains(&name_of(below))
}

/// A folder that somebody names: logs of lines anywhere in it, chats, databases.
fn of_any_harness(below: &Path, kind: Kind) -> bool {
    match kind {
        Kind::Folder => {
            depth(below) <= DEPTH && !["tool-results", "node_modules", ".git"].contains(&name_of(below))
        }
        Kind::File => {
            let in_chats = below.parent().is_some_and(|folder| folder.ends_with("chats"));
            let is_database = ["opencode.db", "opencode.db-wal"].contains(&name_of(below));
            is_log_name(name_of(below)) || (in_chats && is_old_chat(below)) || is_database
        }
    }
}

/// The folders that are looked into, and whose they are.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    /// Each with its harness; `None` where somebody just named it.
    rows: Vec<(Option<&'static str>, LogFolder)>,
    /// Where sessions may be that cannot be read.
    stores: Vec<Store>,
    /// What is odd about the settings that were read.
    notices: Vec<NoticeDto>,
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
    pub(crate) fn of_user() -> Self {
        OF_USER.clone()
    }

    pub(crate) fn of(user: &Surroundings<'_>) -> Self {
        let mut roots = Self { rows: Vec::new(), stores: Vec::new(), notices: Vec::new() };
        for harness in &HARNESSES {
            for path in (harness.folders)(user) {
                roots.add(harness.name, path, harness.wanted);
            }
            if let Some(pi) = &harness.pi {
                roots.add_of_pi(harness.name, pi, user);
            }
        }
        roots
    }

    fn add(&mut self, harness: &'static str, path: PathBuf, wanted: Wanted) {
        if self.rows.iter().all(|(_, known)| known.path != path) {
            self.rows.push((Some(harness), LogFolder { path, wanted }));
        }
    }

    /// Adds the folders that pi was told to use instead of its own.
    fn add_of_pi(&mut self, harness: &'static str, pi: &Pi, user: &Surroundings<'_>) {
        let mut named: Vec<PathBuf> = pi.variable.map(|name| user.named(name)).unwrap_or_default();
        for home in (pi.homes)(user) {
            self.stores.push(Store::of_pi(harness, &home));
            let (folder, notice) = sessions_folder(harness, &home, user);
            named.extend(folder);
            self.notices.extend(notice);
        }
        for folder in named {
            self.stores.push(Store::of_pi(harness, &folder));
            self.add(harness, folder, sessions_in_named);
        }
    }

    /// Returns folders that somebody named.
    pub(crate) fn named(folders: Vec<PathBuf>) -> Self {
        let row = |path| (None, LogFolder { path, wanted: of_any_harness });
        Self { rows: folders.into_iter().map(row).collect(), stores: Vec::new(), notices: Vec::new() }
    }

    /// Returns what was found and is not in the list, as it is now.
    pub(crate) fn notices(&self) -> Vec<NoticeDto> {
        let folders =
            self.rows.iter().filter_map(|(harness, folder)| unreadable_folder(*harness, &folder.path));
        let stores = self.stores.iter().filter_map(Store::notice);
        self.notices.iter().cloned().chain(folders).chain(stores).collect()
    }

    /// Returns what the follower is to watch.
    pub(crate) fn folders(&self) -> Vec<LogFolder> {
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
pub(crate) struct Settled {
    rows: Vec<(&'static str, PathBuf)>,
}

impl Settled {
    /// Returns the harness in whose folder a real path is.
    pub(crate) fn harness_of(&self, path: &Path) -> Option<&'static str> {
        let holding = self.rows.iter().filter(|(_, folder)| path.starts_with(folder));
        holding.max_by_key(|(_, folder)| depth(folder)).map(|(harness, _)| *harness)
    }
}

/// Returns which harness wrote a log: that of its folder on this machine, else what its format is named after.
pub(crate) fn harness_of(path: &Path, format: &str) -> String {
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

    /// The folders above are wanted, as a walk would ask.
    fn wants(harness: &str, file: &str) -> bool {
        let wanted = match harness {
            "" => of_any_harness,
            _ => HARNESSES.iter().find(|row| row.name == harness).unwrap().wanted,
        };
        let path = Path::new(file);
        let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let mut above = above.collect::<Vec<_>>();
        above.reverse();
        above.into_iter().all(|folder| wanted(folder, Kind::Folder)) && wanted(path, Kind::File)
    }

    #[test]
    fn names_are_logs_or_not() {
        for (harness, file, expected) in [
            ("pi", "--home-a--/2026-01-02T03-04-05-000Z_0.jsonl", true),
            ("pi", "--home-a--/2026_0/ab12/run-0/session.jsonl", true),
            ("pi", "--home-a--/notes.txt", false),
            ("pi-cwl", "--home-a--/a.jsonl", true),
            ("claude-code", "-home-a/11.jsonl", true),
            ("claude-code", "-home-a/agent-1f3a9c2.jsonl", true),
            ("claude-code", "-home-a/11/subagents/agent-1f.jsonl", true),
            ("claude-code", "-home-a/11/subagents/workflows/w/agent-1f.jsonl", true),
            ("claude-code", "-home-a/11/subagents/agent-1f.meta.json", false),
            ("claude-code", "-home-a/11/tool-results/x.jsonl", false),
            ("claude-code", "-home-a/memory/x.jsonl", false),
            ("claude-code", "-home-a/sessions-index.json", false),
            ("claude-code", "history.jsonl", false),
            ("codex", "2026/01/02/rollout-2026-01-02T03-04-05-0.jsonl", true),
            ("codex", "2026/01/02/rollout-2026-01-02T03-04-05-0.jsonl.zst", true),
            ("codex", "rollout-2026-01-02T03-04-05-0.jsonl", true),
            ("codex", "session_index.jsonl", false),
            ("gemini-cli", "ab12/chats/session-2026-01-02T03-04-aabbccdd.json", true),
            ("gemini-cli", "ab12/chats/session-2026-01-02T03-04-aabbccdd.jsonl", true),
            ("gemini-cli", "ab12/chats/aabbccdd-0/sub.jsonl", true),
            ("gemini-cli", "ab12/logs.json", false),
            ("gemini-cli", "ab12/chats/checkpoint-x.json", false),
            ("gemini-cli", "ab12/shell_history.jsonl", false),
            ("openclaw", "main/sessions/0.jsonl", true),
            ("openclaw", "main/sessions/0.jsonl.deleted.2026-01-02T03-04-05.000Z", true),
            ("openclaw", "main/sessions/0.jsonl.reset.2026-01-02T03-04-05.000Z", true),
            ("openclaw", "main/sessions/sessions.json", false),
            ("openclaw", "main/agent/x.jsonl", false),
            ("opencode", "opencode.db", true),
            ("opencode", "opencode.db-wal", true),
            ("opencode", "opencode.db-shm", false),
            ("opencode", "storage/session/p/ses_1.json", false),
            ("", "anything/at/all/a.jsonl", true),
            ("", "p/chats/session-2026-01-02T03-04-aabbccdd.json", true),
            ("", "p/package.json", false),
            ("", "p/tool-results/a.jsonl", false),
            ("", "p/history.jsonl", false),
        ] {
            assert_eq!(wants(harness, file), expected, "{harness}: {file}");
        }
    }

    #[test]
    fn of_a_folder_that_pi_was_told_to_use_only_what_pi_makes_is_wanted() {
        let wants = |file: &str| {
            let path = Path::new(file);
            let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
            above.retain(|folder| !folder.as_os_str().is_empty());
            above.iter().all(|folder| sessions_in_named(folder, Kind::Folder))
                && sessions_in_named(path, Kind::File)
        };
        for (file, expected) in [
            ("2026-01-02T03-04-05-000Z_0.jsonl", true),
            ("--home-a--/2026-01-02T03-04-05-000Z_0.jsonl", true),
            ("2026-01-02T03-04-05-000Z_0/ab12/run-0/session.jsonl", true),
            ("2026-01-02T03-04-05-000Z_0.txt", false),
            ("photos/a.jsonl", false),
            (".cache/x/a.jsonl", false),
        ] {
            assert_eq!(wants(file), expected, "{file}");
        }
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
}
