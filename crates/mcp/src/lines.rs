//! Messages of one client as lines over standard input and output. Each line gets an answer, and the number
//! of unanswered lines is limited.
//!
//! The library's own transport drops unparsable lines, so that clients run into timeouts, and it
//! reads on without limit if a client takes no answers.

use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcError, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;

/// Longest line, in bytes.
const MAX_LINE: usize = 4 << 20;
/// Maximum number of requests with untaken answers; at the limit, reading pauses.
const MAX_OWED: usize = 64;

pub(crate) struct ClientLines<R, W> {
    input: R,
    line: Vec<u8>,
    is_too_long: bool,
    n_refused: u64,
    refusal: Option<JsonRpcError>,
    output: Arc<tokio::sync::Mutex<W>>,
    owed: Arc<PendingAnswers>,
}

#[derive(Default)]
struct PendingAnswers {
    open: Mutex<HashSet<AnswerBacklog>>,
    taken: Notify,
}

#[derive(PartialEq, Eq, Hash)]
enum AnswerBacklog {
    Answer(RequestId),
    Refusal(u64),
}

impl PendingAnswers {
    fn add_debt(&self, debt: AnswerBacklog) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(debt);
    }

    fn settle_debt(&self, debt: &AnswerBacklog) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(debt);
        self.taken.notify_one();
    }

    async fn wait_for_room(&self) {
        loop {
            let taken = self.taken.notified();
            if self.open.lock().unwrap_or_else(PoisonError::into_inner).len() < MAX_OWED {
                return;
            }
            taken.await;
        }
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

impl<R: tokio::io::AsyncRead + Unpin, W> ClientLines<BufReader<R>, W> {
    pub(crate) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_too_long: false,
            n_refused: 0,
            refusal: None,
            output: Arc::new(tokio::sync::Mutex::new(output)),
            owed: Arc::default(),
        }
    }
}

impl<R: AsyncBufRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> ClientLines<R, W> {
    /// Reads to the end of the line. Cancellation-safe: bytes read so far stay in `line`.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(Line::End);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.is_too_long || self.line.len() + part.len() > MAX_LINE {
                self.is_too_long = true;
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let n_taken = end.map_or(bytes.len(), |end| end + 1);
            self.input.consume(n_taken);
            if end.is_some() {
                let is_too_long = std::mem::take(&mut self.is_too_long);
                return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
            }
        }
    }

    /// Answers an invalid line; writing continues while further lines are read.
    fn refuse_line(&mut self, refusal: JsonRpcError) {
        self.n_refused += 1;
        let debt = AnswerBacklog::Refusal(self.n_refused);
        let bytes = line_of(&with_null_id(&refusal));
        let (output, owed) = (Arc::clone(&self.output), Arc::clone(&self.owed));
        self.owed.add_debt(AnswerBacklog::Refusal(self.n_refused));
        drop(tokio::spawn(async move {
            // Reading notices a missing client.
            let _gone = write_bytes(&output, bytes).await;
            owed.settle_debt(&debt);
        }));
    }
}

impl<R, W> Transport<RoleServer> for ClientLines<R, W>
where
    R: AsyncBufRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, owed) = (Arc::clone(&self.output), Arc::clone(&self.owed));
        async move {
            let id = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let bytes = serde_json::to_value(&item).map(|item| line_of(&item));
            let written = match bytes {
                Ok(bytes) => write_bytes(&output, bytes).await,
                Err(error) => Err(error.into()),
            };
            id.into_iter().for_each(|id| owed.settle_debt(&AnswerBacklog::Answer(id)));
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.owed.wait_for_room().await;
            if let Some(refusal) = self.refusal.take() {
                self.refuse_line(refusal);
                continue;
            }
            match self.read_line().await {
                Ok(Line::Whole) => {}
                Ok(Line::TooLong) => {
                    let message = format!("a message is at most {} MiB long", MAX_LINE >> 20);
                    self.refusal = Some(refusal_error(ErrorCode::INVALID_REQUEST, message, None));
                    continue;
                }
                Ok(Line::End) | Err(_) => return None,
            }
            let line = std::mem::take(&mut self.line);
            match read_message(line.trim_ascii()) {
                Ok(Some(message)) => {
                    match &message {
                        JsonRpcMessage::Request(request) => {
                            self.owed.add_debt(AnswerBacklog::Answer(request.id.clone()));
                        }
                        JsonRpcMessage::Notification(_) => {
                            // A cancelled request gets no answer.
                            cancelled_request(&line)
                                .into_iter()
                                .for_each(|id| self.owed.settle_debt(&AnswerBacklog::Answer(id)));
                        }
                        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
                    }
                    return Some(message);
                }
                Ok(None) => {}
                Err(refusal) => self.refusal = Some(*refusal),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.shutdown().await
    }
}

/// Parses `line`. `Ok(None)` if the message needs no answer.
fn read_message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Box<JsonRpcError>> {
    if line.is_empty() {
        return Ok(None);
    }
    let no_json = |error: serde_json::Error| {
        Box::new(refusal_error(ErrorCode::PARSE_ERROR, format!("the message is no JSON ({error})"), None))
    };
    let value: Value = serde_json::from_slice(line).map_err(no_json)?;
    let id = value.get("id").cloned().and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    let is_call = value.get("method").and_then(Value::as_str) == Some("tools/call");
    let arguments = value.get("params").and_then(|params| params.get("arguments"));
    if is_call && arguments.is_some_and(|arguments| !arguments.is_object() && !arguments.is_null()) {
        let message = "`arguments` is an object".to_owned();
        return Err(Box::new(refusal_error(ErrorCode::INVALID_PARAMS, message, id)));
    }
    let is_notification = value.get("method").is_some() && value.get("id").is_none();
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(_) => {
            let message = "no request, notification or answer of the protocol".to_owned();
            Err(Box::new(refusal_error(ErrorCode::INVALID_REQUEST, message, id)))
        }
    }
}

fn cancelled_request(line: &[u8]) -> Option<RequestId> {
    let value: Value = serde_json::from_slice(line).ok()?;
    if value.get("method")?.as_str()? != "notifications/cancelled" {
        return None;
    }
    serde_json::from_value(value.get("params")?.get("requestId")?.clone()).ok()
}

fn refusal_error(code: ErrorCode, message: String, id: Option<RequestId>) -> JsonRpcError {
    JsonRpcError::new(id, ErrorData::new(code, message, None))
}

/// JSON-RPC requires `null` for an unreadable id, and clients look for it.
fn with_null_id(refusal: &JsonRpcError) -> Value {
    let mut value = serde_json::to_value(refusal).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.entry("id").or_insert(Value::Null);
    }
    value
}

fn line_of(value: &Value) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

async fn write_bytes<W: AsyncWrite + Unpin>(
    output: &tokio::sync::Mutex<W>,
    bytes: Vec<u8>,
) -> io::Result<()> {
    let mut output = output.lock().await;
    output.write_all(&bytes).await?;
    output.flush().await
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    fn ping(id: usize) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")
    }

    async fn refused(line: &[u8]) -> (i64, Value) {
        let (output, mut client) = tokio::io::duplex(1 << 16);
        let mut lines = ClientLines::new(line, output);
        assert!(lines.receive().await.is_none(), "the end comes behind it");
        drop(lines);
        let mut told = String::new();
        client.read_to_string(&mut told).await.unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        (told["error"]["code"].as_i64().unwrap(), told["id"].clone())
    }

    #[tokio::test]
    async fn what_is_no_message_is_answered() {
        let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"x\":\"{}\"}}\n", "a".repeat(MAX_LINE));
        let surrogate = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\ud800"}}"#;
        let list = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":[1]}}"#;
        for (line, code, id) in [
            ("hello\n".as_bytes(), -32700, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n", -32700, Value::Null),
            (format!("{surrogate}\n").as_bytes(), -32700, Value::Null),
            (long.as_bytes(), -32600, Value::Null),
            (b"[]\n", -32600, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\"}\n", -32600, "a".into()),
            (format!("{list}\n").as_bytes(), -32602, 7.into()),
        ] {
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            assert_eq!(refused(line).await, (code, id), "{shown}");
        }
    }

    #[tokio::test]
    async fn a_client_that_takes_no_answers_is_held_back() {
        let many: String = (0..1000).map(ping).collect();
        let (output, _client) = tokio::io::duplex(64);
        let mut lines = ClientLines::new(many.as_bytes(), output);
        for _ in 0..MAX_OWED {
            assert!(lines.receive().await.is_some());
        }
        let next = async { lines.receive().await.is_some() };
        tokio::select! {
            biased;
            _ = next => panic!("a request beyond the most that may wait"),
            () = tokio::task::yield_now() => {}
        }
        // A taken answer makes room.
        lines.owed.settle_debt(&AnswerBacklog::Answer(RequestId::Number(3)));
        assert!(lines.receive().await.is_some());
    }

    #[tokio::test]
    async fn what_is_no_message_is_held_back_as_well() {
        let many = "no json\n".repeat(10_000);
        let (output, _client) = tokio::io::duplex(64);
        let mut lines = ClientLines::new(many.as_bytes(), output);
        tokio::select! {
            biased;
            _ = lines.receive() => panic!("the end was reached"),
            () = async { for _ in 0..1000 { tokio::task::yield_now().await } } => {}
        }
        assert!(lines.n_refused <= MAX_OWED as u64 + 1, "{}", lines.n_refused);
    }
}
