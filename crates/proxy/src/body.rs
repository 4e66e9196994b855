//! Bodies, forwarded piece by piece.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use crate::capture::{RecordTap, TapSide};

pub(crate) struct RelayedBody {
    source: BodySource,
    tap: Option<(RecordTap, TapSide)>,
}

enum BodySource {
    Stream(Incoming),
    Whole(Option<Bytes>),
    Resumed(VecDeque<Bytes>, Incoming),
}

impl RelayedBody {
    pub(crate) fn stream(body: Incoming, tap: Option<(RecordTap, TapSide)>) -> Self {
        Self { source: BodySource::Stream(body), tap }
    }

    pub(crate) fn whole(bytes: Bytes, tap: Option<(RecordTap, TapSide)>) -> Self {
        Self { source: BodySource::Whole(Some(bytes)), tap }
    }

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
            // Dropping the tap lets the record be written once both sides end.
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
            // If the length is known, `Content-Length` already states it.
            BodySource::Resumed(..) => SizeHint::new(),
        }
    }
}

pub(crate) enum ReadBody {
    Whole(Bytes),
    /// Pieces read before the limit was passed, and the unread rest.
    TooLong(VecDeque<Bytes>, Incoming),
}

pub(crate) async fn read_body(mut body: Incoming, most: usize) -> hyper::Result<ReadBody> {
    let (mut pieces, mut n_bytes) = (VecDeque::new(), 0);
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        // Providers ignore request trailers.
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
