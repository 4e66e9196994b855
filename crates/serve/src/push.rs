//! Pushes as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Response, StatusCode};
use cwl_host::api::Push;
use futures_util::stream::{self, Stream};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::answer;

const SILENCE: Duration = Duration::from_secs(20);

pub(crate) fn stream_of(pushes: Receiver<Push>, ending: watch::Receiver<bool>) -> Response<Body> {
    answer::of_kind(StatusCode::OK, "text/event-stream", Body::from_stream(event_stream(pushes, ending)))
}

fn event_stream(
    pushes: Receiver<Push>,
    ending: watch::Receiver<bool>,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    // The first line tells the page that it misses nothing from now on.
    stream::unfold((pushes, ending, true), |(mut pushes, mut ending, is_first)| async move {
        let event = if is_first {
            Some(encode_comment())
        } else {
            tokio::select! {
                biased;
                // An error means that the server is gone, which is an end as well.
                _ended = ending.wait_for(|ended| *ended) => None,
                event = next(&mut pushes) => event,
            }
        };
        event.map(|event| (Ok(event), (pushes, ending, false)))
    })
}

async fn next(pushes: &mut Receiver<Push>) -> Option<Bytes> {
    match timeout(SILENCE, pushes.recv()).await {
        Err(_silence) => Some(encode_comment()),
        Ok(Ok(push)) => Some(encode_event(&push)),
        // A slow reader learns that it missed pushes, and asks again.
        Ok(Err(RecvError::Lagged(_))) => Some(encode_event(&Push::Missed)),
        Ok(Err(RecvError::Closed)) => None,
    }
}

fn encode_event(push: &Push) -> Bytes {
    // A push has only numbers and texts, so it always fits on one JSON line.
    serde_json::to_string(push)
        .map_or_else(|_no_json| encode_comment(), |json| format!("data: {json}\n\n").into())
}

fn encode_comment() -> Bytes {
    Bytes::from_static(b":\n\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::pin::pin;

    use futures_util::StreamExt;
    use tokio::sync::broadcast;

    use super::*;

    fn progress(done: u64) -> Push {
        Push::Progress { session: 1, done, total: 9 }
    }

    fn text(item: Option<Result<Bytes, Infallible>>) -> Option<String> {
        item.map(|Ok(bytes)| String::from_utf8(bytes.into()).unwrap())
    }

    #[tokio::test]
    async fn a_slow_reader_hears_that_it_missed_something_and_then_the_newest() {
        let (sender, receiver) = broadcast::channel(2);
        let (_end, ending) = watch::channel(false);
        let mut events = pin!(event_stream(receiver, ending));
        assert_eq!(
            text(events.next().await).unwrap(),
            ":\n\n",
            "the stream begins before anything is pushed"
        );
        for done in 0..5 {
            sender.send(progress(done)).unwrap();
        }
        let expected = [
            "data: {\"type\":\"missed\"}\n\n",
            "data: {\"type\":\"progress\",\"session\":1,\"done\":3,\"total\":9}\n\n",
            "data: {\"type\":\"progress\",\"session\":1,\"done\":4,\"total\":9}\n\n",
        ];
        for expected in expected {
            assert_eq!(text(events.next().await).unwrap(), expected);
        }
        drop(sender);
        assert_eq!(text(events.next().await), None, "the sender of pushes is gone");
    }

    #[tokio::test]
    async fn a_stream_ends_with_the_server() {
        let (sender, receiver) = broadcast::channel(2);
        let (end, ending) = watch::channel(false);
        let mut events = pin!(event_stream(receiver, ending));
        events.next().await;
        sender.send(Push::Sessions).unwrap();
        end.send_replace(true);
        assert_eq!(text(events.next().await), None);
    }

    #[test]
    fn an_event_is_one_line_whatever_a_push_says() {
        let bytes = encode_event(&Push::Trouble { message: "a\n\ndata: b\r\u{2028}".into() });
        let text = std::str::from_utf8(&bytes).unwrap();
        assert_eq!(text, "data: {\"type\":\"trouble\",\"message\":\"a\\n\\ndata: b\\r\u{2028}\"}\n\n");
    }
}
