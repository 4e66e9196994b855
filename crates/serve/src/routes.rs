//! Routes: answer the requests that the guard let in.

use std::sync::Arc;

use axum::body::{Body, HttpBody, to_bytes};
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use cwl_api::{Answer, ApiError, ErrorCode, Inspector};
use serde_json::Value;
use tokio::sync::watch;

use crate::answer;
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
}

/// Answers any request.
pub(crate) async fn answer(shared: Arc<Shared>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let mut answer = match shared.door.admit(&head.method, &head.uri, &head.headers) {
        Err(refusal) => {
            let (status, error) = refusal.answer();
            answer::error(status, &error)
        }
        Ok(Wish::Page) => page(&shared.page, &head.method, head.uri.path()),
        Ok(Wish::Pushes) => push::stream_of(shared.inspector.subscribe(), shared.ending.clone()),
        Ok(Wish::Call(name)) => match read(body).await {
            Ok(args) => call(&shared.inspector, name, args).await,
            Err(error) => error,
        },
        Ok(Wish::Report) => match read(body).await {
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

/// Reads a body as JSON.
async fn read(body: Body) -> Result<Value, Response<Body>> {
    let too_large = || {
        let error = ApiError::new(ErrorCode::BadRequest, "the request is too large or broken off");
        answer::error(StatusCode::PAYLOAD_TOO_LARGE, &error)
    };
    // A body that announces too many bytes is not read.
    if body.size_hint().lower() > BODY_LIMIT as u64 {
        return Err(too_large());
    }
    let bytes = to_bytes(body, BODY_LIMIT).await.map_err(|_too_large_or_broken_off| too_large())?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let error = ApiError::new(ErrorCode::BadRequest, format!("the request is no JSON ({error})"));
        answer::error(StatusCode::BAD_REQUEST, &error)
    })
}

async fn call(inspector: &Arc<Inspector>, name: &str, args: Value) -> Response<Body> {
    match inspector.dispatch(name, args).await {
        Ok(Answer::Json(json)) => answer::of_kind(StatusCode::OK, "application/json", json),
        Ok(Answer::Bytes(bytes)) => answer::of_kind(StatusCode::OK, "application/octet-stream", bytes),
        Err(error) => answer::error(StatusCode::UNPROCESSABLE_ENTITY, &error),
    }
}
