//! Pushes as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Response, StatusCode};
use cwl_api::dto::PushDto;
use futures_util::stream;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::watch;

use crate::answer;

/// How long nothing is said before a line says that the server is still there.
const SILENCE: Duration = Duration::from_secs(20);

/// Streams pushes until the reader goes away or the server ends.
pub(crate) fn stream_of(pushes: Receiver<PushDto>, ending: watch::Receiver<bool>) -> Response<Body> {
    // The first line is sent at once, so that the page knows from when on it misses nothing.
    let state = (pushes, ending, true);
    let events = stream::unfold(state, |(mut pushes, mut ending, is_first)| async move {
        if is_first {
            return Some((Ok::<_, Infallible>(comment()), (pushes, ending, false)));
        }
        let event = tokio::select! {
            // An error is the end too: nobody is left who could end it.
            _ended = ending.wait_for(|ended| *ended) => None,
            event = next(&mut pushes) => event,
        };
        event.map(|event| (Ok(event), (pushes, ending, false)))
    });
    answer::of_kind(StatusCode::OK, "text/event-stream", Body::from_stream(events))
}

async fn next(pushes: &mut Receiver<PushDto>) -> Option<Bytes> {
    loop {
        match tokio::time::timeout(SILENCE, pushes.recv()).await {
            Err(_silence) => return Some(comment()),
            // A push is a table of numbers and texts, which is always JSON.
            Ok(Ok(push)) => match serde_json::to_string(&push) {
                Ok(json) => return Some(Bytes::from(format!("data: {json}\n\n"))),
                Err(error) => tracing::error!("a push is no JSON: {error}"),
            },
            // The page sees the gap in the revisions and asks again.
            Ok(Err(RecvError::Lagged(n_missed))) => tracing::warn!("{n_missed} pushes were missed"),
            Ok(Err(RecvError::Closed)) => return None,
        }
    }
}

fn comment() -> Bytes {
    Bytes::from_static(b":\n\n")
}
