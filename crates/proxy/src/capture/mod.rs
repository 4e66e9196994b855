//! Capture: the requests that ask a model, kept as they were sent, and what their answers used. No header is kept, and no address.
//!
//! [`RequestRecord`] gathers the bytes of one request and its answer while they pass, and holds up neither. Once the answer has
//! ended, a thread of its own writes both down: so neither a slow disk nor a full one is in the way of a harness.

mod folder;
mod record;
mod unpack;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

pub(crate) use record::{RecordTap, RequestRecord, TapSide};

pub(crate) use unpack::unpack_body;

use crate::Notices;
use folder::CaptureFolder;

/// The most requests that wait to be written; more are told and left out.
const N_WAITING: usize = 64;

/// A folder in which requests are kept while a proxy runs.
pub struct Capture {
    records: SyncSender<RequestRecord>,
    writer: JoinHandle<()>,
    notices: Notices,
}

impl Capture {
    /// Opens a folder, or makes it; only its owner may read it then.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn open(path: &Path, notices: Notices) -> io::Result<Self> {
        let mut folder = CaptureFolder::open(path)?;
        let (records, waiting) = sync_channel::<RequestRecord>(N_WAITING);
        let said = Arc::clone(&notices);
        let writer = std::thread::Builder::new().name("capture".to_owned()).spawn(move || {
            for record in waiting {
                if let Err(error) = folder.write_record(record) {
                    said(&format!("a request was not captured ({error})"));
                }
            }
        })?;
        Ok(Self { records, writer, notices })
    }

    /// Returns the place to which records are handed.
    pub(crate) fn sink(&self) -> CaptureSink {
        CaptureSink { records: self.records.clone(), notices: Arc::clone(&self.notices) }
    }

    /// Waits until everything is written that was handed over. All sinks must be gone.
    pub(crate) fn finish(self) {
        let Self { records, writer, .. } = self;
        drop(records);
        // A panic of the writer is told by itself.
        drop(writer.join());
    }
}

/// The place to which records are handed once their answer has ended.
#[derive(Clone)]
pub(crate) struct CaptureSink {
    records: SyncSender<RequestRecord>,
    notices: Notices,
}

impl CaptureSink {
    pub(crate) fn keep(&self, record: RequestRecord) {
        if self.records.try_send(record).is_err() {
            (self.notices)("a request was not captured: too many wait to be written");
        }
    }
}
