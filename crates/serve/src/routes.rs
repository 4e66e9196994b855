//! Answers to requests that the guard admitted.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use cwl_host::{ApiError, CommandAnswer, ErrorCode, Inspector};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::answer;
use crate::connections::{ActiveConnection, Connections};
use crate::guard::{AccessGuard, AdmittedRequest};
use crate::page::Page;
use crate::push;

const BODY_LIMIT: usize = 1 << 20;

pub(crate) struct ServerState {
    pub(crate) door: AccessGuard,
    pub(crate) page: Page,
    pub(crate) inspector: Arc<Inspector>,
    pub(crate) ending: watch::Receiver<bool>,
    pub(crate) silence: Duration,
    pub(crate) work: CallsInFlight,
    pub(crate) connections: Connections,
}

/// Calls processed at once; the others wait.
const N_WORKED_ON: usize = 32;
/// Maximum number of calls, including waiting ones.
const N_CALLS: usize = 1024;

pub(crate) struct CallsInFlight {
    worked_on: Semaphore,
    calls: Semaphore,
}

impl Default for CallsInFlight {
    fn default() -> Self {
        Self { worked_on: Semaphore::new(N_WORKED_ON), calls: Semaphore::new(N_CALLS) }
    }
}

pub(crate) async fn answer_request(
    shared: &ServerState,
    caller: &ActiveConnection<'_>,
    request: Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let mut answer = match shared.door.admit_request(&head.method, &head.uri, &head.headers) {
        Err(refusal) => {
            let (status, error) = refusal.into_response();
            answer::error_response(status, &error)
        }
        Ok(AdmittedRequest::Page) => page_response(&shared.page, &head.method, head.uri.path()),
        Ok(_) if !caller.mark_known() => busy_response("there are too many connections"),
        Ok(AdmittedRequest::Pushes) => push::stream_of(shared.inspector.subscribe(), shared.ending.clone()),
        Ok(AdmittedRequest::Call(name)) => match read_json(body, shared.silence).await {
            Ok(args) => call_command(shared, name, args).await,
            Err(error) => error,
        },
        Ok(AdmittedRequest::Report) => match read_json(body, shared.silence).await {
            Ok(report) => {
                let message = report.get("message").and_then(Value::as_str).unwrap_or_default();
                cwl_host::report_of_page(message);
                answer::of_kind(StatusCode::OK, "application/json", "null")
            }
            Err(error) => error,
        },
    };
    answer::add_fence_headers(answer.headers_mut());
    answer
}

fn busy_response(why: &str) -> Response<Body> {
    let error = ApiError::new(ErrorCode::Busy, why).with_hint("ask again in a moment");
    let mut answer = answer::error_response(StatusCode::SERVICE_UNAVAILABLE, &error);
    answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    answer
}

fn page_response(page: &Page, method: &Method, path: &str) -> Response<Body> {
    let Some(file) = page.find_file(path) else {
        let error =
            ApiError::new(ErrorCode::Missing, "the page has no such file").with_hint("open / instead");
        return answer::error_response(StatusCode::NOT_FOUND, &error);
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

/// The answer's bytes for an incomplete head, which never reaches a route.
pub(crate) fn head_took_too_long() -> Vec<u8> {
    let mut headers = HeaderMap::new();
    answer::add_fence_headers(&mut headers);
    // A string table can always be serialised.
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

async fn read_json(body: Body, silence: Duration) -> Result<Value, Response<Body>> {
    let too_large = || {
        let error = ApiError::new(ErrorCode::BadRequest, "the request is too large or broken off");
        answer::error_response(StatusCode::PAYLOAD_TOO_LARGE, &error)
    };
    // A body that announces too many bytes is not read.
    if body.size_hint().lower() > BODY_LIMIT as u64 {
        return Err(too_large());
    }
    let Ok(read) = timeout(silence, to_bytes(body, BODY_LIMIT)).await else {
        return Err(answer::error_response(StatusCode::REQUEST_TIMEOUT, &took_too_long()));
    };
    let bytes = read.map_err(|_too_large_or_broken_off| too_large())?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let error = ApiError::new(ErrorCode::BadRequest, format!("the request is no JSON ({error})"));
        answer::error_response(StatusCode::BAD_REQUEST, &error)
    })
}

async fn call_command(shared: &ServerState, name: &str, args: Value) -> Response<Body> {
    let Ok(_place) = shared.work.calls.try_acquire() else {
        return busy_response("there are too many calls at once");
    };
    // A call that cancels another must not wait for it. The semaphore is never closed.
    let _turn = if name == "cancel" { None } else { shared.work.worked_on.acquire().await.ok() };
    match shared.inspector.dispatch(name, args).await {
        Ok(CommandAnswer::Json(json)) => answer::of_kind(StatusCode::OK, "application/json", json),
        Ok(CommandAnswer::Bytes(bytes)) => answer::of_kind(StatusCode::OK, "application/octet-stream", bytes),
        Err(error) => answer::error_response(StatusCode::UNPROCESSABLE_ENTITY, &error),
    }
}
