//! Bodies: bytes on their way, handed on as they come.

use std::collections::VecDeque;
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
    /// Pieces that were read, and then those that come in.
    Resumed(VecDeque<Bytes>, Incoming),
}

impl RelayedBody {
    pub(crate) fn stream(body: Incoming, tap: Option<(RecordTap, TapSide)>) -> Self {
        Self { source: BodySource::Stream(body), tap }
    }

    pub(crate) fn whole(bytes: Bytes, tap: Option<(RecordTap, TapSide)>) -> Self {
        Self { source: BodySource::Whole(Some(bytes)), tap }
    }

    /// Makes a body of the pieces that were read of one, and of its rest.
    pub(crate) fn resumed(read: VecDeque<Bytes>, rest: Incoming, tap: Option<(RecordTap, TapSide)>) -> Self {
        Self { source: BodySource::Resumed(read, rest), tap }
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
            BodySource::Resumed(read, rest) => match read.pop_front() {
                Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
                None => Pin::new(rest).poll_frame(cx),
            },
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
            BodySource::Resumed(read, rest) => read.is_empty() && rest.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            BodySource::Stream(body) => body.size_hint(),
            BodySource::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            // The header tells the length where it is known.
            BodySource::Resumed(..) => SizeHint::new(),
        }
    }
}

/// A body that was read in front of its way.
pub(crate) enum ReadBody {
    /// All of it.
    Whole(Bytes),
    /// The pieces of a body that is too long to be read whole, and its rest.
    TooLong(VecDeque<Bytes>, Incoming),
}

/// Reads a body of at most `most` bytes.
///
/// # Errors
/// If its sender breaks it off.
pub(crate) async fn read_body(mut body: Incoming, most: usize) -> hyper::Result<ReadBody> {
    let (mut pieces, mut n_bytes) = (VecDeque::new(), 0);
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        // Trailers of a request say nothing to a provider.
        let Ok(piece) = frame?.into_data() else { continue };
        n_bytes += piece.len();
        pieces.push_back(piece);
        if n_bytes > most {
            return Ok(ReadBody::TooLong(pieces, body));
        }
    }
    Ok(ReadBody::Whole(match pieces.len() {
        1 => pieces.pop_front().unwrap_or_default(),
        _ => Bytes::from(pieces.into_iter().flatten().collect::<Vec<u8>>()),
    }))
}
