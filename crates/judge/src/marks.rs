//! A session's episodes as marked by a reader.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Marks {
    pub session: String,
    pub format: String,
    pub source: Source,
    /// Each turn's first and last line.
    pub turns: Vec<(u64, u64)>,
    pub episodes: Vec<Episode>,
    /// Set for sessions marked after the first ten, to which the goals refer.
    #[serde(default)]
    pub later: bool,
    /// Set for held-out sessions: no weight is fitted to them, and no setting chosen by them.
    #[serde(default)]
    pub aside: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Source {
    pub repository: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Episode {
    pub name: String,
    /// `expl` or `act`.
    #[serde(rename = "type")]
    pub kind: String,
    pub first: u64,
    pub last: u64,
    /// Explorations that the episode depends on, by name.
    #[serde(default)]
    pub dependencies: Vec<String>,
}

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
