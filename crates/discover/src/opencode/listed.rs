//! Sessions in databases, listed again only after a change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use cwl_tail::FileStamp;

use crate::database_sessions::{ListedSession, database_hint, database_sessions};
use crate::lock_unpoisoned;
use crate::notices::Notice;
use crate::opencode::database::DatabaseError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDatabase {
    pub path: PathBuf,
    /// Stamps for the database and its write-ahead log.
    pub stamps: (FileStamp, Option<FileStamp>),
}

type CachedListing = (FoundDatabase, Arc<Vec<ListedSession>>);

#[derive(Debug, Default)]
pub struct Databases {
    listed: Mutex<BTreeMap<PathBuf, CachedListing>>,
    failed: Mutex<BTreeMap<PathBuf, String>>,
    /// Databases that are not tried again in this state: reading them takes too long, or they have no tables.
    given_up: Mutex<BTreeMap<PathBuf, FoundDatabase>>,
}

impl Databases {
    /// Lists a database's sessions, read again only after a change. If that fails, the last list stands.
    pub fn list_sessions(&self, database: &FoundDatabase) -> Arc<Vec<ListedSession>> {
        let known = lock_unpoisoned(&self.listed).get(&database.path).cloned();
        if let Some((_, rows)) = known.as_ref().filter(|(then, _)| then == database) {
            return Arc::clone(rows);
        }
        if lock_unpoisoned(&self.given_up).get(&database.path) == Some(database) {
            return known.map_or_else(Arc::default, |(_, rows)| rows);
        }
        match database_sessions(&database.path) {
            Ok(rows) => {
                let rows = Arc::new(rows);
                let listed = (database.clone(), Arc::clone(&rows));
                lock_unpoisoned(&self.listed).insert(database.path.clone(), listed);
                lock_unpoisoned(&self.failed).remove(&database.path);
                rows
            }
            Err(error) => {
                tracing::warn!(%error, "sessions are not listed");
                if matches!(error, DatabaseError::TooSlow { .. } | DatabaseError::NoTable { .. }) {
                    lock_unpoisoned(&self.given_up).insert(database.path.clone(), database.clone());
                }
                lock_unpoisoned(&self.failed).insert(database.path.clone(), error.to_string());
                known.map_or_else(Arc::default, |(_, rows)| rows)
            }
        }
    }

    pub fn list_notices(&self) -> Vec<Notice> {
        let failed = lock_unpoisoned(&self.failed);
        let there = failed.iter().filter(|(path, _)| path.exists());
        let notice = |(path, why): (&PathBuf, &String)| {
            let (harness, hint) = database_hint(path);
            Notice::new(harness, path, why.clone(), hint)
        };
        there.map(notice).collect()
    }
}
