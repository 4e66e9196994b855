//! Parts: a corpus is divided by hashes of its logs' names. Each part lists its logs, so a run rewrites only
//! parts with a changed log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cwl_host::{SessionPlace, private};
use serde::{Deserialize, Serialize};

use crate::make::CorpusError;
use crate::table::{TABLES, VERSION};
use crate::texts::CorpusKey;

const LOGS_TOGETHER: usize = 128;
const PARTS: &str = "parts";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CorpusForm {
    pub(crate) version: u32,
    pub(crate) n_parts: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartList {
    /// Hash over everything that rows depend on besides the logs.
    pub(crate) asked: String,
    pub(crate) logs: BTreeMap<String, LogIdentity>,
    pub(crate) n_unread: u32,
    /// Row count and file size in bytes, per table.
    pub(crate) tables: BTreeMap<String, (u64, u64)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogIdentity {
    /// Size in bytes. `None` if the log is unreadable.
    pub(crate) size: Option<u64>,
    /// Modification time in nanoseconds since 1970. `None` if only the content tells.
    pub(crate) modified: Option<i64>,
    pub(crate) content: Option<String>,
    /// The outcome that a file beside the log tells.
    #[serde(default)]
    pub(crate) reward: Option<bool>,
}

impl LogIdentity {
    /// Reads and hashes a log. The stamp is taken first: if the log grows meanwhile, the stamp is outdated
    /// and the log is read again next time.
    pub(crate) fn read(place: &SessionPlace) -> Self {
        let modified = place.log_stamp().map(|(_, modified)| modified);
        let (size, content) = place.hash().ok().unzip();
        Self { size, modified, content, reward: place.reward_beside() }
    }

    /// Returns the log's present identity if its content is the same, else `None`. The log is read only if
    /// its stamp is not enough.
    fn if_unchanged(&self, place: &SessionPlace) -> Option<Self> {
        let is_stamped = match (place.log_stamp(), self.size, self.modified) {
            (Some((size, modified)), Some(then), Some(modified_then)) => {
                (size, modified) == (then, modified_then)
            }
            _ => false,
        };
        if is_stamped && self.content.is_some() && self.reward == place.reward_beside() {
            return Some(self.clone());
        }
        let now = Self::read(place);
        (now.content == self.content && now.reward == self.reward).then_some(now)
    }
}

impl CorpusForm {
    /// Reads the form of a corpus, or creates one for about `n_logs` logs. If several workers do so at once,
    /// the first one wins.
    pub(crate) fn read_or_create(folder: &Path, n_logs: usize, least: u32) -> Result<Self, CorpusError> {
        let path = folder.join("corpus.json");
        let n_parts = u32::try_from(n_logs.div_ceil(LOGS_TOGETHER)).unwrap_or(u32::MAX).max(least).max(1);
        let form = Self { version: VERSION, n_parts };
        let json = serde_json::to_string(&form)
            .map_err(|error| CorpusError::Odd { path: path.clone(), why: error.to_string() })?;
        Self::check_form(&read_or_write(&path, json.as_bytes())?)
            .map_err(|why| CorpusError::Odd { path, why })
    }

    pub(crate) fn read_form(folder: &Path) -> Result<Self, CorpusError> {
        let no_corpus = |why: String| CorpusError::NoCorpus { path: folder.to_owned(), why };
        let bytes = fs::read(folder.join("corpus.json"))
            .map_err(|error| no_corpus(format!("its corpus.json cannot be read: {error}")))?;
        Self::check_form(&bytes).map_err(no_corpus)
    }

    fn check_form(bytes: &[u8]) -> Result<Self, String> {
        let form: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let Self { version, .. } = form;
        if version != VERSION {
            return Err(format!("its tables have version {version}, and this program writes {VERSION}"));
        }
        Ok(form)
    }

    pub(crate) fn part_of(&self, place: &SessionPlace) -> u32 {
        let hash = blake3::hash(place.name.as_os_str().as_encoded_bytes());
        let first = hash.as_bytes().iter().take(8).fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        u32::try_from(first % u64::from(self.n_parts.max(1))).unwrap_or(0)
    }
}

/// Reads a corpus's key from a file with 64 hexadecimal digits, or creates one.
pub(crate) fn settle_key(path: &Path) -> Result<CorpusKey, CorpusError> {
    let mut new = [0; 32];
    getrandom::fill(&mut new)
        .map_err(|error| CorpusError::Odd { path: path.to_owned(), why: error.to_string() })?;
    let text = blake3::Hash::from_bytes(new).to_hex();
    let bytes = read_or_write(path, format!("{text}\n").as_bytes())?;
    key_of(&bytes).ok_or_else(|| CorpusError::Odd {
        path: path.to_owned(),
        why: "a key is 64 hexadecimal digits".to_owned(),
    })
}

pub(crate) fn read_key(path: &Path) -> Option<CorpusKey> {
    key_of(&fs::read(path).ok()?)
}

fn key_of(bytes: &[u8]) -> Option<CorpusKey> {
    let key = blake3::Hash::from_hex(String::from_utf8_lossy(bytes).trim().as_bytes()).ok()?;
    Some(CorpusKey(*key.as_bytes()))
}

/// Reads a file, and creates it with `new` if it is missing. If several workers create it at once, the first
/// one wins.
fn read_or_write(path: &Path, new: &[u8]) -> Result<Vec<u8>, CorpusError> {
    let failed = |source: io::Error| CorpusError::Disk { path: path.to_owned(), source };
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read.map_err(failed),
    }
    let mine = path.with_extension(format!("{}.tmp", std::process::id()));
    private::write_private(&mine, new).map_err(failed)?;
    // A hard link appears at once and never replaces a file.
    let linked = fs::hard_link(&mine, path);
    remove_file(&mine)?;
    match (linked, fs::read(path)) {
        // Another worker was first, and may have removed this one's file.
        (_, Ok(bytes)) => Ok(bytes),
        (Err(error), _) | (_, Err(error)) => Err(failed(error)),
    }
}

/// Removes a stopped run's leftovers beside a shared file that exists now.
pub(crate) fn clear_beside(path: &Path) -> Result<(), CorpusError> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(|stem| stem.to_str())) else {
        return Ok(());
    };
    // A relative name with one component has an empty parent.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_left = |name: &str| {
        let worker = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".tmp"));
        worker.is_some_and(|worker| !worker.is_empty() && worker.bytes().all(|byte| byte.is_ascii_digit()))
    };
    names
        .filter(|entry| entry.file_name().to_str().is_some_and(is_left))
        .try_for_each(|entry| remove_file(&entry.path()))
}

pub(crate) fn file_of(folder: &Path, table: &str, part: u32) -> PathBuf {
    folder.join(table).join(format!("part-{part:06}.parquet"))
}

fn list_of(folder: &Path, part: u32) -> PathBuf {
    folder.join(PARTS).join(format!("part-{part:06}.json"))
}

pub(crate) fn make_folders(folder: &Path) -> Result<(), CorpusError> {
    let names = TABLES.iter().map(|table| table.name).chain([PARTS]);
    for path in names.map(|name| folder.join(name)) {
        private::make_folder(&path).map_err(|source| CorpusError::Disk { path: path.clone(), source })?;
    }
    Ok(())
}

impl PartList {
    pub(crate) fn read_list(folder: &Path, part: u32) -> Option<Self> {
        serde_json::from_slice(&fs::read(list_of(folder, part)).ok()?).ok()
    }

    /// Returns the list on disk if all its files exist and its logs are unchanged.
    pub(crate) fn if_unchanged(
        &self,
        folder: &Path,
        part: u32,
        asked: &str,
        logs: &[(String, &SessionPlace)],
    ) -> Option<Self> {
        let is_whole = TABLES.iter().all(|table| {
            let size = fs::metadata(file_of(folder, table.name, part)).map(|metadata| metadata.len()).ok();
            self.tables.get(table.name).is_some_and(|(_, known)| Some(*known) == size)
        });
        if self.asked != asked || !is_whole || self.logs.len() != logs.len() {
            return None;
        }
        let still = logs.iter().map(|(key, place)| {
            let identity = self.logs.get(key)?.if_unchanged(place)?;
            Some((key.clone(), identity))
        });
        Some(Self { logs: still.collect::<Option<_>>()?, ..self.clone() })
    }

    pub(crate) fn write_list(&self, folder: &Path, part: u32) -> Result<(), CorpusError> {
        let path = list_of(folder, part);
        let failed = |source: io::Error| CorpusError::Disk { path: path.clone(), source };
        let json = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let unfinished = path.with_extension("json.tmp");
        private::write_private(&unfinished, &json).map_err(failed)?;
        fs::rename(&unfinished, &path).map_err(failed)
    }

    /// Removes a part's list, so that `part` counts as unfinished until it is rewritten.
    pub(crate) fn remove_list(folder: &Path, part: u32) -> Result<(), CorpusError> {
        remove_file(&list_of(folder, part))
    }
}

pub(crate) fn parts_on_disk(folder: &Path) -> BTreeSet<u32> {
    let folders = TABLES.iter().map(|table| table.name).chain([PARTS]);
    let entries = folders.flat_map(|name| fs::read_dir(folder.join(name)).into_iter().flatten().flatten());
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_prefix("part-")?.split_once('.')?.0.parse().ok()).collect()
}

/// Returns the number of logs in a corpus, and a hash over their contents, whatever their names and order. `None` if the
/// tables were given away without their lists.
pub(crate) fn inputs_of(folder: &Path) -> Option<(usize, String)> {
    let lists = parts_on_disk(folder).into_iter().filter_map(|part| PartList::read_list(folder, part));
    let mut contents: Vec<String> =
        lists.flat_map(|list| list.logs.into_values()).filter_map(|log| log.content).collect();
    contents.sort();
    let hash = blake3::hash(contents.join("\n").as_bytes()).to_hex().to_string();
    (!contents.is_empty()).then_some((contents.len(), hash))
}

pub(crate) fn remove_part(folder: &Path, part: u32) -> Result<(), CorpusError> {
    PartList::remove_list(folder, part)?;
    remove_file(&list_of(folder, part).with_extension("json.tmp"))?;
    TABLES.iter().map(|table| file_of(folder, table.name, part)).try_for_each(|file| {
        remove_file(&file.with_extension("tmp"))?;
        remove_file(&file)
    })
}

fn remove_file(path: &Path) -> Result<(), CorpusError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(CorpusError::Disk { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
