//! The harnesses and their folders: data in `folders.toml`, which a user's file in the same form can extend.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cwl_tail::PathFilter;
use serde::Deserialize;

use crate::notices::Notice;
use crate::wanted::{
    databases_of_hermes, events_of_sessions, is_chat, is_rollout, of_any_harness,
    of_any_harness_and_messages, of_claude_code, of_opencode, of_opencode_and_messages, sessions_of_agents,
    sessions_of_projects, wire_of_agents,
};
use crate::wanted_in_editors::{in_brain, in_debug_logs, in_transcripts};

/// A program that writes logs, as a row in `folders.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    pub name: String,
    /// The harness's own folders, those named by environment variables first. The default folder stays in the
    /// list, since it still holds logs from before the variable was set.
    pub(crate) homes: Vec<Home>,
    /// Places below each home where sessions lie.
    pub(crate) sessions: Vec<String>,
    pub(crate) layout: FolderLayout,
    /// Set for pi and its derivatives, whose settings may name another session folder.
    #[serde(default)]
    pub(crate) pi_settings: bool,
    /// Variable that overrides the folder with sessions.
    pub(crate) sessions_variable: Option<String>,
    /// Day on which the source was checked, `YYYY-MM-DD`; empty if a user's row has none.
    #[serde(default)]
    pub as_of: String,
    /// The row's source; empty if a user's row has none.
    #[serde(default)]
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Home {
    /// Named by a variable, with commas between several folders.
    Named {
        variable: String,
    },
    /// A folder of the XDG specification: its variable, its default below the home folder, and the part below
    /// it.
    Xdg {
        xdg: String,
        default: String,
        below: String,
    },
    Below {
        below: String,
    },
    /// Anywhere: a full path, or one from the home folder (`~/…`).
    Folder {
        folder: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FolderLayout {
    Projects,
    ClaudeCode,
    Agents,
    Rollouts,
    SessionState,
    Chats,
    Wire,
    Opencode,
    Hermes,
    Brain,
    Transcripts,
    DebugLogs,
    Any,
}

impl FolderLayout {
    pub(crate) fn path_filters(self) -> (PathFilter, PathFilter) {
        let same = |wanted: PathFilter| (wanted, wanted);
        match self {
            Self::Projects => same(sessions_of_projects),
            Self::ClaudeCode => same(of_claude_code),
            Self::Agents => same(sessions_of_agents),
            Self::Rollouts => same(is_rollout),
            Self::SessionState => same(events_of_sessions),
            Self::Chats => same(is_chat),
            Self::Wire => same(wire_of_agents),
            Self::Opencode => (of_opencode, of_opencode_and_messages),
            Self::Hermes => same(databases_of_hermes),
            Self::Brain => same(in_brain),
            Self::Transcripts => same(in_transcripts),
            Self::DebugLogs => same(in_debug_logs),
            Self::Any => (of_any_harness, of_any_harness_and_messages),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Harnesses {
    pub rows: Vec<Harness>,
    /// How many rows are the user's; these come first in `rows`.
    pub n_own: usize,
    problems: Vec<String>,
    /// The user's file; empty for the builtin table.
    file: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HarnessTable {
    #[serde(default)]
    harness: Vec<toml::Value>,
}

static BUILTIN: LazyLock<Harnesses> = LazyLock::new(|| {
    // A test parses the builtin table.
    let (rows, _) = parse_rows(include_str!("../folders.toml"));
    Harnesses { rows, n_own: 0, problems: Vec::new(), file: PathBuf::new() }
});

static OF_USER: LazyLock<Harnesses> = LazyLock::new(|| {
    config_dir().map_or_else(|| BUILTIN.clone(), |dir| Harnesses::of_file(&dir.join("folders.toml")))
});

impl Harnesses {
    pub fn builtin_table() -> &'static Self {
        &BUILTIN
    }

    /// The builtin table with the user's `folders.toml` over it, as it was at program start.
    pub fn of_user() -> &'static Self {
        &OF_USER
    }

    /// The builtin table with a file over it; a missing file changes nothing.
    pub fn of_file(path: &Path) -> Self {
        let (mut rows, problems) = match std::fs::read_to_string(path) {
            Ok(text) => parse_rows(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Vec::new(), Vec::new()),
            Err(error) => {
                let problem =
                    format!("the table of folders cannot be read ({error}); the built-in one is used");
                (Vec::new(), vec![problem])
            }
        };
        let n_own = rows.len();
        let others = BUILTIN.rows.iter().filter(|known| rows.iter().all(|row| row.name != known.name));
        let others: Vec<Harness> = others.cloned().collect();
        rows.extend(others);
        Self { rows, n_own, problems, file: path.to_owned() }
    }

    pub fn problems(&self) -> Vec<String> {
        self.problems.iter().map(|problem| format!("{problem}: {}", self.file.display())).collect()
    }

    pub(crate) fn problem_notices(&self) -> impl Iterator<Item = Notice> {
        let hint = "correct the file, then start again";
        self.problems.iter().map(move |problem| Notice::new("", &self.file, problem.clone(), hint))
    }
}

impl Harness {
    pub fn describe_place(&self) -> String {
        let home = |home: &Home| match home {
            Home::Named { variable } => format!("${variable}"),
            Home::Below { below } => format!("~/{below}"),
            Home::Xdg { xdg, default, below } => format!("${xdg} or ~/{default}, {below}"),
            Home::Folder { folder } => folder.clone(),
        };
        let homes: Vec<String> = self.homes.iter().map(home).collect();
        format!("{} in {}", self.sessions.join(", "), homes.join(", "))
    }
}

fn parse_rows(text: &str) -> (Vec<Harness>, Vec<String>) {
    let table: HarnessTable = match toml::from_str(text) {
        Ok(table) => table,
        Err(error) => {
            let why = error.message().to_owned();
            return (
                Vec::new(),
                vec![format!("the table of folders is not understood, nothing of it is used ({why})")],
            );
        }
    };
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (number, row) in (1..).zip(table.harness) {
        match row.try_into::<Harness>() {
            Ok(row) if row.name.is_empty() || row.homes.is_empty() => {
                problems.push(format!("harness {number} is left out: it has no `name` or no `homes`"));
            }
            Ok(row) => rows.push(row),
            Err(why) => problems.push(format!("harness {number} is left out: {}", why.message())),
        }
    }
    (rows, problems)
}

/// Folder for the user's tables and settings: `CWL_CONFIG_DIR`, else the platform's.
pub fn config_dir() -> Option<PathBuf> {
    let chosen = std::env::var_os("CWL_CONFIG_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    chosen.or_else(|| project_dirs().map(|dirs| dirs.config_dir().to_owned()))
}

/// The platform's folders for this program. `None` for a user without a home.
pub fn project_dirs() -> Option<directories::ProjectDirs> {
    directories::ProjectDirs::from("dev", "cwl-inspector", "cwl-inspector")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_row_is_understood_and_has_a_source_and_a_day() {
        let (rows, problems) = parse_rows(include_str!("../folders.toml"));
        assert_eq!((problems, rows.len()), (Vec::new(), 15));
        for row in &rows {
            assert!(row.as_of.len() == 10 && !row.source.is_empty() && !row.sessions.is_empty(), "{row:?}");
            assert_eq!(rows.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
        }
        let says = |name: &str| rows.iter().find(|row| row.name == name).unwrap().describe_place();
        assert_eq!(says("codex"), "sessions, archived_sessions in $CODEX_HOME, ~/.codex");
        assert_eq!(says("opencode"), "opencode in $XDG_DATA_HOME or ~/.local/share, ");
    }

    #[test]
    fn the_users_file_goes_over_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("folders.toml");
        assert!(Harnesses::of_file(&file).problems().is_empty(), "a missing file is no problem");
        let check = |text: &str, n_rows: usize, n_own: usize, n_problems: usize| {
            std::fs::write(&file, text).unwrap();
            let found = Harnesses::of_file(&file);
            let counts = (found.rows.len(), found.n_own, found.problems().len());
            assert_eq!(counts, (n_rows, n_own, n_problems), "{text}: {:?}", found.problems());
            assert!(
                found.problems().iter().all(|problem| problem.ends_with("folders.toml")),
                "the path is last"
            );
            assert_eq!(found.problem_notices().count(), n_problems);
        };
        let row = |name: &str, homes: &str, rest: &str| {
            format!(
                "[[harness]]\nname = \"{name}\"\nhomes = [{homes}]\nsessions = [\".\"]\nlayout = \"any\"\n{rest}"
            )
        };
        let folder = "{ folder = \"/backup\" }";
        check("", 15, 0, 0);
        check(&row("mine", folder, ""), 16, 1, 0);
        check(&row("codex", folder, "source = \"my own\"\n"), 15, 1, 0);
        check(&row("", folder, ""), 15, 0, 1);
        check(&row("mine", "", ""), 15, 0, 1);
        check(&row("mine", "{ nowhere = 1 }", ""), 15, 0, 1);
        check(&row("mine", folder, "colour = 1\n"), 15, 0, 1);
        check(&row("mine", folder, "").replace("any", "heap"), 15, 0, 1);
        check("folder = 1", 15, 0, 1);
        check("not toml", 15, 0, 1);
    }
}
