use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

/// How long a rename is remembered: longer than [`GRACE`](crate::followed::GRACE).
const KEPT: Duration = Duration::from_secs(2);
const MAX_CHAIN: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct Renames {
    seen: BTreeMap<PathBuf, (PathBuf, Instant)>,
}

impl Renames {
    pub(crate) fn note_renames(&mut self, renamed: BTreeMap<PathBuf, PathBuf>, now: Instant) {
        self.seen.retain(|_, (_, at)| now.duration_since(*at) < KEPT);
        self.seen.extend(renamed.into_iter().map(|(from, to)| (from, (to, now))));
    }

    pub(crate) fn destination(&self, path: &Path) -> Option<PathBuf> {
        let mut name = self.renamed_once(path)?;
        for _ in 0..MAX_CHAIN {
            match self.renamed_once(&name) {
                Some(next) if next != path => name = next,
                _ => break,
            }
        }
        Some(name)
    }

    fn renamed_once(&self, path: &Path) -> Option<PathBuf> {
        path.ancestors().find_map(|above| {
            let (to, _) = self.seen.get(above)?;
            let rest = path.strip_prefix(above).ok()?;
            Some(if rest.as_os_str().is_empty() { to.clone() } else { to.join(rest) })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_followed_through_files_and_folders() {
        let now = Instant::now();
        let mut renames = Renames::default();
        let seen = [("/a/x", "/a/y"), ("/a/y", "/a/z"), ("/d", "/e"), ("/p", "/q"), ("/q", "/p")];
        renames.note_renames(seen.map(|(from, to)| (from.into(), to.into())).into(), now);
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(renames.destination(Path::new(path)), expected.map(PathBuf::from), "{path}");
        };
        check("/a/x", Some("/a/z"));
        check("/a/y", Some("/a/z"));
        check("/d/sub/f", Some("/e/sub/f"));
        check("/p", Some("/q"));
        check("/a/other", None);
        renames.note_renames(BTreeMap::new(), now + KEPT);
        assert_eq!(renames.destination(Path::new("/a/x")), None, "old renames are forgotten");
    }
}
