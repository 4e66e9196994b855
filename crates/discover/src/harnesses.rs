//! The harnesses and where each keeps its logs: data in `folders.toml`, and the same form as a user's own file.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cwl_tail::PathFilter;
use serde::Deserialize;

use crate::notices::Notice;
use crate::wanted::{
    events_of_sessions, is_chat, is_rollout, of_any_harness, of_any_harness_and_messages, of_claude_code,
    of_opencode, of_opencode_and_messages, sessions_of_agents, sessions_of_projects,
};

/// A program that writes logs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// As it is shown.
    pub name: String,
    /// The own folders; those that an environment variable names come first. What it wrote before the variable was set is
    /// in the default folder still, so one stays in the list.
    pub(crate) homes: Vec<Home>,
    /// The places of sessions below each home.
    pub(crate) sessions: Vec<String>,
    pub(crate) layout: FolderLayout,
    /// True for pi and programs made from it, with settings in their own folders that say where sessions are to be.
    #[serde(default)]
    pub(crate) pi_settings: bool,
    /// The variable that names the folder of sessions, if one does.
    pub(crate) sessions_variable: Option<String>,
    /// The day on which the source was looked up, `YYYY-MM-DD`; empty if a user's row has none.
    #[serde(default)]
    pub as_of: String,
    /// The source; empty if a user's row does not say.
    #[serde(default)]
    pub source: String,
}

/// The place of a folder a harness has for itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Home {
    /// Named by a variable; several are separated by commas.
    Named { variable: String },
    /// A folder of the XDG specification: its variable, its default below the home folder, and the part below it.
    Xdg { xdg: String, default: String, below: String },
    /// Below the user's home folder.
    Below { below: String },
    /// Anywhere, as a whole path or from the home folder on (`~/…`).
    Folder { folder: String },
}

/// How logs lie in a folder of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FolderLayout {
    Projects,
    ClaudeCode,
    Agents,
    Rollouts,
    SessionState,
    Chats,
    Opencode,
    Any,
}

impl FolderLayout {
    /// Returns which names are listed, and which are watched.
    pub(crate) fn path_filters(self) -> (PathFilter, PathFilter) {
        let same = |wanted: PathFilter| (wanted, wanted);
        match self {
            Self::Projects => same(sessions_of_projects),
            Self::ClaudeCode => same(of_claude_code),
            Self::Agents => same(sessions_of_agents),
            Self::Rollouts => same(is_rollout),
            Self::SessionState => same(events_of_sessions),
            Self::Chats => same(is_chat),
            Self::Opencode => (of_opencode, of_opencode_and_messages),
            Self::Any => (of_any_harness, of_any_harness_and_messages),
        }
    }
}

/// All harnesses, and what is odd about the user's file.
#[derive(Debug, Clone)]
pub struct Harnesses {
    /// The user's own first.
    pub rows: Vec<Harness>,
    /// How many of them are the user's own.
    pub n_own: usize,
    /// The problems of the user's file, as sentences.
    problems: Vec<String>,
    /// That file; nothing for those that come with the program.
    file: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HarnessTable {
    #[serde(default)]
    harness: Vec<toml::Value>,
}

static BUILTIN: LazyLock<Harnesses> = LazyLock::new(|| {
    // A test reads the table, which comes with the program.
    let (rows, _) = parse_rows(include_str!("../folders.toml"));
    Harnesses { rows, n_own: 0, problems: Vec::new(), file: PathBuf::new() }
});

static OF_USER: LazyLock<Harnesses> = LazyLock::new(|| {
    config_dir().map_or_else(|| BUILTIN.clone(), |dir| Harnesses::of_file(&dir.join("folders.toml")))
});

impl Harnesses {
    /// Returns those that come with the program.
    pub fn builtin_table() -> &'static Self {
        &BUILTIN
    }

    /// Returns those that come with the program with the user's `folders.toml` over them, as it was when this program started.
    pub fn of_user() -> &'static Self {
        &OF_USER
    }

    /// Returns those that come with the program with a file over them; a missing file changes nothing.
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

    /// Returns the problems of the user's file, as sentences that name it.
    pub fn problems(&self) -> Vec<String> {
        self.problems.iter().map(|problem| format!("{problem}: {}", self.file.display())).collect()
    }

    /// Returns the problems of the user's file as notices beside the list of sessions.
    pub(crate) fn problem_notices(&self) -> impl Iterator<Item = Notice> {
        let hint = "correct the file, then start again";
        self.problems.iter().map(move |problem| Notice::new("", &self.file, problem.clone(), hint))
    }
}

impl Harness {
    /// Says where its logs are, as the table has it.
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

/// Reads the rows of a table's text, with sentences about what is odd.
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

/// Returns the folder of the user's own tables and settings: `CWL_CONFIG_DIR`, else the platform's.
pub fn config_dir() -> Option<PathBuf> {
    let chosen = std::env::var_os("CWL_CONFIG_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    chosen.or_else(|| project_dirs().map(|dirs| dirs.config_dir().to_owned()))
}

/// Returns the folders the platform has for this program; `None` for a user without a home.
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
        assert_eq!((problems, rows.len()), (Vec::new(), 9));
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
        check("", 9, 0, 0);
        check(&row("mine", folder, ""), 10, 1, 0);
        check(&row("codex", folder, "source = \"my own\"\n"), 9, 1, 0);
        check(&row("", folder, ""), 9, 0, 1);
        check(&row("mine", "", ""), 9, 0, 1);
        check(&row("mine", "{ nowhere = 1 }", ""), 9, 0, 1);
        check(&row("mine", folder, "colour = 1\n"), 9, 0, 1);
        check(&row("mine", folder, "").replace("any", "heap"), 9, 0, 1);
        check("folder = 1", 9, 0, 1);
        check("not toml", 9, 0, 1);
    }
}
