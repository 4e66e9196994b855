//! Gathers one request and its answer in passing.

use std::sync::{Arc, Mutex, PoisonError};

use cwl_formats::{Format, asked_format};
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap};
use hyper::{Method, Uri};

use super::CaptureSink;
use crate::evict::EvictionFigures;

/// Limit per body, in bytes.
const LONGEST: usize = 64 << 20;

pub(crate) struct RequestRecord {
    pub(crate) format: Format,
    /// Request path; not written to disk. Some formats name the model in the path.
    pub(crate) path: String,
    pub(crate) request: GatheredBody,
    pub(crate) status: Option<u16>,
    pub(crate) answer: GatheredBody,
    /// Reason for a missing answer, or for forwarding the request unchanged.
    pub(crate) note: Option<String>,
    pub(crate) evicted: Option<EvictionFigures>,
}

#[derive(Default)]
pub(crate) struct GatheredBody {
    pieces: Vec<Bytes>,
    n_bytes: usize,
    pub(crate) encoding: Option<String>,
}

impl GatheredBody {
    fn new(headers: &HeaderMap) -> Self {
        let encoding = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        Self { encoding: encoding.map(str::to_owned), ..Self::default() }
    }

    fn add(&mut self, piece: &Bytes) {
        self.n_bytes += piece.len();
        if self.n_bytes <= LONGEST {
            self.pieces.push(piece.clone());
        } else {
            self.pieces.clear();
        }
    }

    /// `None` above the limit of 64 MiB.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        (self.n_bytes <= LONGEST).then(|| self.pieces.concat())
    }
}

impl RequestRecord {
    pub(crate) fn begin(method: &Method, target: &Uri, headers: &HeaderMap) -> Option<Self> {
        let format = asked_format(target.path()).filter(|_| method == Method::POST)?;
        Some(Self {
            format,
            path: target.path().to_owned(),
            request: GatheredBody::new(headers),
            status: None,
            answer: GatheredBody::default(),
            note: None,
            evicted: None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TapSide {
    Request,
    Answer,
}

/// Handle to a record, shared by both sides of an exchange. Dropping the last handle passes the record to the sink.
#[derive(Clone)]
pub(crate) struct RecordTap {
    shared: Arc<SharedRecord>,
}

struct SharedRecord {
    record: Mutex<Option<RequestRecord>>,
    sink: CaptureSink,
}

impl RecordTap {
    pub(crate) fn new(record: RequestRecord, sink: CaptureSink) -> Self {
        Self { shared: Arc::new(SharedRecord { record: Mutex::new(Some(record)), sink }) }
    }

    pub(crate) fn add(&self, side: TapSide, piece: &Bytes) {
        self.change(|record| match side {
            TapSide::Request => record.request.add(piece),
            TapSide::Answer => record.answer.add(piece),
        });
    }

    pub(crate) fn begin_answer(&self, status: u16, headers: &HeaderMap) {
        self.change(|record| {
            record.status = Some(status);
            record.answer = GatheredBody::new(headers);
        });
    }

    pub(crate) fn note(&self, note: &str) {
        self.change(|record| record.note = Some(note.to_owned()));
    }

    /// Records an eviction. The edited body is sent without `Content-Encoding`.
    pub(crate) fn note_eviction(&self, figures: EvictionFigures) {
        self.change(|record| {
            record.evicted = Some(figures);
            record.request.encoding = None;
        });
    }

    fn change(&self, change: impl FnOnce(&mut RequestRecord)) {
        let mut record = self.shared.record.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(record) = record.as_mut() {
            change(record);
        }
    }
}

impl Drop for SharedRecord {
    fn drop(&mut self) {
        let record = self.record.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(record) = record {
            self.sink.keep(record);
        }
    }
}
