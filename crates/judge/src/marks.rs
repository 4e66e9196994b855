//! Marks: the episodes of a session as a reader wrote them down.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// One reading of one session.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Marks {
    /// The session's short name.
    pub session: String,
    /// The format of its log.
    pub format: String,
    /// The repository that holds the log.
    pub source: Source,
    /// The first and the last line of each turn.
    pub turns: Vec<(u64, u64)>,
    /// The episodes, in order.
    pub episodes: Vec<Episode>,
    /// True of the sessions that were marked later: the goals are those of the first ten.
    #[serde(default)]
    pub later: bool,
    /// True of the sessions that are kept aside: no weight is fitted to them, and no setting chosen by them.
    #[serde(default)]
    pub aside: bool,
}

/// The public repository that holds the log.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Source {
    /// The owner and name.
    pub repository: String,
}

/// One episode.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Episode {
    /// The name.
    pub name: String,
    /// `expl` or `act`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The first line, from 1.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// The names it draws on.
    #[serde(default)]
    pub dependencies: Vec<String>,
}

/// Reads all marks of `folder`, sorted by session and reader.
pub(crate) fn read_all(folder: &Path) -> anyhow::Result<Vec<Marks>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be listed", folder.display()))?
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path)?;
            serde_json::from_str(&text).with_context(|| format!("{} holds no marks", path.display()))
        })
        .collect()
}
