//! The demo: a sample log that grows as if an agent were writing it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::Duration;

use cwl_store::private;

use crate::error::unreadable_file;
use crate::{ApiError, Inspector};

const SAMPLE: &str = include_str!("../../../../samples/pi/quickstart/input.jsonl");
pub(crate) const BUDGET: &str = "9000";
/// Lines written at once, so the window does not open on an empty log.
const LINES_AT_ONCE: usize = 4;
const PACE: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1500)];
const BYTES_PER_SECOND: u64 = 4000;

pub(crate) fn write_whole(data_dir: &Path) -> Result<PathBuf, ApiError> {
    let folder = data_dir.join("demo");
    let path = folder.join("sample.jsonl");
    // The sample may be open: a complete file is left as it is.
    if std::fs::read(&path).is_ok_and(|bytes| bytes == SAMPLE.as_bytes()) {
        return Ok(path);
    }
    private::make_folder(&folder)
        .and_then(|()| private::write_private(&path, SAMPLE.as_bytes()))
        .map_err(|error| unreadable_file(&path, &error))?;
    Ok(path)
}

pub(crate) struct Demo {
    path: PathBuf,
    rest: Vec<&'static str>,
}

pub(crate) fn prepare_demo(data_dir: &Path) -> Result<Demo, ApiError> {
    let folder = data_dir.join("demo");
    let path = folder.join("quickstart.jsonl");
    let mut lines: Vec<&'static str> = SAMPLE.split_inclusive('\n').collect();
    let rest = lines.split_off(LINES_AT_ONCE.min(lines.len()));
    private::make_folder(&folder)
        .and_then(|()| private::write_private(&path, lines.concat().as_bytes()))
        .map_err(|error| unreadable_file(&path, &error))?;
    Ok(Demo { path, rest })
}

impl Demo {
    pub(crate) fn file_path(&self) -> &Path {
        &self.path
    }

    /// Appends line by line, with `wait` in between, until the sample ends or `host` is gone.
    pub(crate) async fn play_lines<W: Future<Output = ()>>(
        self,
        host: Weak<Inspector>,
        wait: impl Fn(Duration) -> W,
    ) {
        for line in &self.rest {
            wait(time_for(line)).await;
            if host.strong_count() == 0 {
                return;
            }
            if let Err(error) = append_line(&self.path, line) {
                tracing::warn!(%error, "the demo ends early");
                return;
            }
        }
    }
}

fn append_line(path: &Path, line: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new().append(true).open(path)?.write_all(line.as_bytes())
}

fn time_for(line: &str) -> Duration {
    let [least, most] = PACE;
    Duration::from_millis(line.len() as u64 * 1000 / BYTES_PER_SECOND).clamp(least, most)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn the_whole_sample_is_played_at_a_human_pace() {
        let dir = tempfile::tempdir().unwrap();
        let demo = prepare_demo(dir.path()).unwrap();
        let path = demo.file_path().to_owned();
        let n_lines = demo.rest.len();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), LINES_AT_ONCE);
        let host = Inspector::start(crate::InspectorConfig {
            data_dir: dir.path().to_owned(),
            defaults: crate::api::DefaultsAnswer::default(),
            folders: Some(Vec::new()),
            corpora: None,
        })
        .await
        .unwrap();
        let waits = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&waits);
        demo.play_lines(Arc::downgrade(&host), move |wait| {
            noted.lock().unwrap().push(wait);
            std::future::ready(())
        })
        .await;
        assert_eq!(std::fs::read_to_string(&path).unwrap(), SAMPLE);
        let waits = waits.lock().unwrap();
        assert_eq!(waits.len(), n_lines);
        assert!(waits.iter().all(|wait| (PACE[0]..=PACE[1]).contains(wait)));
    }

    #[tokio::test]
    async fn a_demo_ends_with_its_host() {
        let dir = tempfile::tempdir().unwrap();
        let demo = prepare_demo(dir.path()).unwrap();
        let path = demo.file_path().to_owned();
        demo.play_lines(Weak::new(), |_| std::future::ready(())).await;
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), LINES_AT_ONCE);
    }
}
