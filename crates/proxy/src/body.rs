//! Bodies: bytes on their way, handed on as they come.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use crate::capture::{RecordTap, TapSide};

/// The body of a request or of an answer.
pub(crate) struct RelayedBody {
    source: BodySource,
    /// The record that gets a copy of each piece.
    tap: Option<(RecordTap, TapSide)>,
}

enum BodySource {
    /// The pieces that come in, each handed on at once; their error or end is the body's.
    Stream(Incoming),
    /// Bytes that are all there.
    Whole(Option<Bytes>),
}

impl RelayedBody {
    pub(crate) fn stream(body: Incoming, tap: Option<(RecordTap, TapSide)>) -> Self {
        Self { source: BodySource::Stream(body), tap }
    }

    pub(crate) fn whole(bytes: Bytes) -> Self {
        Self { source: BodySource::Whole(Some(bytes)), tap: None }
    }
}

impl Body for RelayedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Self { source, tap } = self.get_mut();
        let next = match source {
            BodySource::Stream(body) => Pin::new(body).poll_frame(cx),
            BodySource::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
        };
        if let (Poll::Ready(Some(Ok(frame))), Some((tap, side))) = (&next, &tap)
            && let Some(piece) = frame.data_ref()
        {
            tap.add(*side, piece);
        }
        if matches!(next, Poll::Ready(None)) {
            // Nothing more is added: the record is written once both sides are done.
            *tap = None;
        }
        next
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            BodySource::Stream(body) => body.is_end_stream(),
            BodySource::Whole(bytes) => bytes.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            BodySource::Stream(body) => body.size_hint(),
            BodySource::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
        }
    }
}
