//! Routes: answer the requests that the guard let in.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use cwl_api::{Answer, ApiError, ErrorCode, Inspector};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::answer;
use crate::connections::{Caller, Connections};
use crate::guard::{Door, Wish};
use crate::page::Page;
use crate::push;

/// The most bytes of a request.
const BODY_LIMIT: usize = 1 << 20;

/// The state that all requests share.
pub(crate) struct Shared {
    pub(crate) door: Door,
    pub(crate) page: Page,
    pub(crate) inspector: Arc<Inspector>,
    pub(crate) ending: watch::Receiver<bool>,
    /// How long a request may take to come in.
    pub(crate) silence: Duration,
    pub(crate) work: Work,
    pub(crate) connections: Connections,
}

/// How many calls are worked on at once; the others wait for their turn.
const N_WORKED_ON: usize = 32;
/// How many calls there may be, those that wait too.
const N_CALLS: usize = 1024;

/// The calls that are being answered.
pub(crate) struct Work {
    worked_on: Semaphore,
    calls: Semaphore,
}

impl Default for Work {
    fn default() -> Self {
        Self { worked_on: Semaphore::new(N_WORKED_ON), calls: Semaphore::new(N_CALLS) }
    }
}

/// Answers any request.
pub(crate) async fn answer(shared: &Shared, caller: &Caller<'_>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let mut answer = match shared.door.admit(&head.method, &head.uri, &head.headers) {
        Err(refusal) => {
            let (status, error) = refusal.answer();
            answer::error(status, &error)
        }
        Ok(Wish::Page) => page(&shared.page, &head.method, head.uri.path()),
        Ok(_) if !caller.know() => busy("there are too many connections"),
        Ok(Wish::Pushes) => push::stream_of(shared.inspector.subscribe(), shared.ending.clone()),
        Ok(Wish::Call(name)) => match read(body, shared.silence).await {
            Ok(args) => call(shared, name, args).await,
            Err(error) => error,
        },
        Ok(Wish::Report) => match read(body, shared.silence).await {
            Ok(report) => {
                let message = report.get("message").and_then(Value::as_str).unwrap_or_default();
                cwl_api::report_of_page(message);
                answer::of_kind(StatusCode::OK, "application/json", "null")
            }
            Err(error) => error,
        },
    };
    answer::fence(answer.headers_mut());
    answer
}

/// Makes the answer to who is to come again.
fn busy(why: &str) -> Response<Body> {
    let error = ApiError::new(ErrorCode::Busy, why).hint("ask again in a moment");
    let mut answer = answer::error(StatusCode::SERVICE_UNAVAILABLE, &error);
    answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    answer
}

fn page(page: &Page, method: &Method, path: &str) -> Response<Body> {
    let Some(file) = page.file(path) else {
        let error = ApiError::new(ErrorCode::Missing, "the page has no such file").hint("open / instead");
        return answer::error(StatusCode::NOT_FOUND, &error);
    };
    let length = file.bytes.len();
    let body = if method == Method::HEAD { Body::empty() } else { Body::from(file.bytes.into_owned()) };
    let mut answer = answer::of_kind(StatusCode::OK, file.kind, body);
    answer.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    if file.is_lasting {
        let lasting = HeaderValue::from_static("private, max-age=31536000, immutable");
        answer.headers_mut().insert(header::CACHE_CONTROL, lasting);
    }
    answer
}

fn took_too_long() -> ApiError {
    ApiError::new(ErrorCode::BadRequest, "the request takes too long to come in")
}

/// Returns the bytes of the answer to a request whose head did not come in: no request of it ever reached a route.
pub(crate) fn head_took_too_long() -> Vec<u8> {
    let mut headers = HeaderMap::new();
    answer::fence(&mut headers);
    // A table of texts is always JSON.
    let body = serde_json::to_vec(&took_too_long()).unwrap_or_default();
    let mut bytes = format!(
        "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    )
    .into_bytes();
    for (name, value) in &headers {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(b"\r\n");
    bytes.extend(body);
    bytes
}

/// Reads a body as JSON.
async fn read(body: Body, silence: Duration) -> Result<Value, Response<Body>> {
    let too_large = || {
        let error = ApiError::new(ErrorCode::BadRequest, "the request is too large or broken off");
        answer::error(StatusCode::PAYLOAD_TOO_LARGE, &error)
    };
    // A body that announces too many bytes is not read.
    if body.size_hint().lower() > BODY_LIMIT as u64 {
        return Err(too_large());
    }
    let Ok(read) = timeout(silence, to_bytes(body, BODY_LIMIT)).await else {
        return Err(answer::error(StatusCode::REQUEST_TIMEOUT, &took_too_long()));
    };
    let bytes = read.map_err(|_too_large_or_broken_off| too_large())?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let error = ApiError::new(ErrorCode::BadRequest, format!("the request is no JSON ({error})"));
        answer::error(StatusCode::BAD_REQUEST, &error)
    })
}

async fn call(shared: &Shared, name: &str, args: Value) -> Response<Body> {
    let Ok(_place) = shared.work.calls.try_acquire() else { return busy("there are too many calls at once") };
    // A call that stops another must not wait for it. The semaphore is never closed.
    let _turn = if name == "cancel" { None } else { shared.work.worked_on.acquire().await.ok() };
    match shared.inspector.dispatch(name, args).await {
        Ok(Answer::Json(json)) => answer::of_kind(StatusCode::OK, "application/json", json),
        Ok(Answer::Bytes(bytes)) => answer::of_kind(StatusCode::OK, "application/octet-stream", bytes),
        Err(error) => answer::error(StatusCode::UNPROCESSABLE_ENTITY, &error),
    }
}
