//! Capture: keeps the bodies of requests to a model as sent, and what their answers used. Headers and addresses are
//! never kept.
//!
//! [`RequestRecord`] gathers the bytes of one request and its answer without delaying either. After the answer a
//! separate thread writes the record, so a slow or full disk never blocks a harness.

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

/// Limit on records waiting to be written; further records are dropped with a notice.
const N_WAITING: usize = 64;

pub struct Capture {
    records: SyncSender<RequestRecord>,
    writer: JoinHandle<()>,
    notices: Notices,
}

impl Capture {
    /// Opens or creates the folder; a new folder is readable by its owner only.
    ///
    /// # Errors
    /// Fails if the folder or its index cannot be written.
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

    pub(crate) fn sink(&self) -> CaptureSink {
        CaptureSink { records: self.records.clone(), notices: Arc::clone(&self.notices) }
    }

    /// Waits until all records are written. All sinks must be dropped first, or this blocks.
    pub(crate) fn finish(self) {
        let Self { records, writer, .. } = self;
        drop(records);
        // The panic hook has already reported a panic in the writer.
        drop(writer.join());
    }
}

/// Accepts finished records; never blocks.
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
