//! Applies [`Eviction`] to passing requests. Any failure forwards the request unchanged.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cwl_formats::{Format, asked_format};
use hyper::Method;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;

use super::{BodyOutcome, Eviction};
use crate::Notices;
use crate::answer::ProxyAnswer;
use crate::body::{ReadBody, RelayedBody, read_body};
use crate::capture::{RecordTap, TapSide, unpack_body};

/// Limit on bodies to decide about, in bytes.
const LONGEST: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Evictor {
    eviction: Arc<Eviction>,
    notices: Notices,
    /// Last notice, so that a repeated one is reported once.
    said: Mutex<String>,
}

impl Evictor {
    pub(crate) fn new(eviction: Eviction, notices: Notices) -> Self {
        Self { eviction: Arc::new(eviction), notices, said: Mutex::default() }
    }

    /// Returns the body to send, and adapts `Content-Length` and `Content-Encoding` in `head`.
    ///
    /// # Errors
    /// Returns [`ProxyAnswer::RequestBroken`] if the harness breaks off the body.
    pub(crate) async fn send_body(
        &self,
        head: &mut Parts,
        body: Incoming,
        tap: Option<(RecordTap, TapSide)>,
    ) -> Result<RelayedBody, ProxyAnswer> {
        let Some(format) = asked_format(head.uri.path()).filter(|_| head.method == Method::POST) else {
            return Ok(RelayedBody::stream(body, tap));
        };
        let bytes = match read_body(body, LONGEST).await.map_err(|_broken_off| ProxyAnswer::RequestBroken)? {
            ReadBody::Whole(bytes) => bytes,
            ReadBody::TooLong(read, rest) => {
                self.pass_through(&tap, "the body is too long");
                return Ok(RelayedBody::resumed(read, rest, tap));
            }
        };
        let encoding = head.headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        let path = head.uri.path().to_owned();
        match self.decide(format, path, bytes.clone(), encoding.map(str::to_owned)).await {
            BodyOutcome::Keep => Ok(RelayedBody::whole(bytes, tap)),
            BodyOutcome::PassThrough(reason) => {
                self.pass_through(&tap, &reason);
                Ok(RelayedBody::whole(bytes, tap))
            }
            BodyOutcome::Evict { body, figures, notice } => {
                if let Some((tap, _)) = &tap {
                    tap.note_eviction(figures);
                }
                self.say(notice);
                head.headers.remove(header::CONTENT_ENCODING);
                if head.headers.contains_key(header::CONTENT_LENGTH) {
                    head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
                }
                Ok(RelayedBody::whole(Bytes::from(body), tap))
            }
        }
    }

    /// Decides on a blocking thread, so that other bytes keep moving. A panic or a timeout becomes
    /// [`BodyOutcome::PassThrough`].
    async fn decide(
        &self,
        format: Format,
        path: String,
        bytes: Bytes,
        encoding: Option<String>,
    ) -> BodyOutcome {
        let eviction = Arc::clone(&self.eviction);
        let deciding =
            tokio::task::spawn_blocking(move || match unpack_body(bytes.to_vec(), encoding.as_deref()) {
                Ok(plain) => eviction.decide_body(format, &path, &plain),
                Err(error) => BodyOutcome::PassThrough(format!("the body cannot be unpacked ({error})")),
            });
        match tokio::time::timeout(PATIENCE, deciding).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_panic)) => {
                BodyOutcome::PassThrough("the decision failed, which is a fault of cwl".to_owned())
            }
            Err(_elapsed) => BodyOutcome::PassThrough("the decision takes too long".to_owned()),
        }
    }

    fn pass_through(&self, tap: &Option<(RecordTap, TapSide)>, reason: &str) {
        if let Some((tap, _)) = tap {
            tap.note(&format!("the request went on as it came: {reason}"));
        }
        self.say(format!("a request goes on as it came: {reason}"));
    }

    fn say(&self, sentence: String) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if *said != sentence {
            (self.notices)(&sentence);
            *said = sentence;
        }
    }
}
