//! What the page can ask of the window: four commands, none with logic of its own.
#![allow(
    clippy::let_underscore_must_use,
    reason = "in what the command macro writes for futures that borrow"
)]

use cwl_api::dto::PushDto;
use cwl_api::{Answer, ApiError};
use tauri::ipc::{Channel, Response};
use tauri::{AppHandle, State, WebviewWindow};
use tauri_plugin_dialog::DialogExt;

use crate::host::Host;

/// What a page's error may take in a terminal, characters.
const REPORT_LIMIT: usize = 4_000;

/// Answers a command of [`cwl_api`] by name: JSON, or raw bytes where the command says so.
#[tauri::command]
pub(crate) async fn call(
    host: State<'_, Host>,
    name: String,
    args: serde_json::Value,
) -> Result<Response, ApiError> {
    match host.inspector().await?.dispatch(&name, args).await? {
        Answer::Json(json) => Ok(Response::new(json)),
        Answer::Bytes(bytes) => Ok(Response::new(bytes)),
    }
}

/// Passes on everything that is pushed from now on.
#[tauri::command]
pub(crate) async fn subscribe(host: State<'_, Host>, channel: Channel<PushDto>) -> Result<(), ApiError> {
    let inspector = host.inspector().await?;
    host.stream_to(&inspector, channel);
    Ok(())
}

/// Asks for a log with the platform's dialog; `None` when it was closed.
#[tauri::command]
pub(crate) async fn pick_file(app: AppHandle, window: WebviewWindow) -> Result<Option<String>, ApiError> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    app.dialog()
        .file()
        .set_parent(&window)
        .set_title("Open a session log")
        .add_filter("Session logs", &["jsonl", "json"])
        .add_filter("All files", &["*"])
        .pick_file(move |picked| {
            // Nobody waits any more when the page was loaded again.
            drop(sender.send(picked));
        });
    let picked = receiver.await.ok().flatten();
    Ok(picked.and_then(|picked| picked.into_path().ok()).map(|path| path.to_string_lossy().into_owned()))
}

/// Writes an error of the page to standard error, where a person or a test sees it.
#[tauri::command]
pub(crate) fn report(message: &str) {
    tracing::error!(target: "page", "{}", on_one_line(message));
}

/// A page's error may quote a log, and a log may hold what steers a terminal.
fn on_one_line(message: &str) -> String {
    message.chars().take(REPORT_LIMIT).map(|char| if char.is_control() { ' ' } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_harmless_line() {
        let check = |message: &str, expected: &str| assert_eq!(on_one_line(message), expected);
        check("TypeError: x is undefined", "TypeError: x is undefined");
        check("a\nb\r\n\x1b[2Jc\u{9b}d", "a b   [2Jc d");
        assert_eq!(on_one_line(&"é".repeat(9_000)).chars().count(), REPORT_LIMIT);
    }
}
