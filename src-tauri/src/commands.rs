//! The six commands that the page can ask. None has logic; each calls [`cwl_host`] or the platform.
#![allow(
    clippy::let_underscore_must_use,
    reason = "in what the command macro writes for futures that borrow"
)]

use std::path::PathBuf;

use cwl_host::api::{Push, SessionAnswer};
use cwl_host::{ApiError, CommandAnswer, ErrorCode};
use tauri::ipc::{Channel, InvokeBody, Request, Response};
use tauri::{AppHandle, State, WebviewWindow};
use tauri_plugin_dialog::DialogExt;

use crate::drops::DropPush;
use crate::editor::Editor;
use crate::host::Host;
use crate::saved;

#[tauri::command]
pub(crate) async fn call(
    host: State<'_, Host>,
    name: String,
    args: serde_json::Value,
) -> Result<Response, ApiError> {
    match host.get_inspector().await?.dispatch(&name, args).await? {
        CommandAnswer::Json(json) => Ok(Response::new(json)),
        CommandAnswer::Bytes(bytes) => Ok(Response::new(bytes)),
    }
}

/// Streams all pushes from now on, and files dragged over the window.
#[tauri::command]
pub(crate) async fn subscribe(
    host: State<'_, Host>,
    channel: Channel<Push>,
    drops: Channel<DropPush>,
) -> Result<(), ApiError> {
    host.drops_to(drops);
    let inspector = host.get_inspector().await?;
    host.stream_to(&inspector, channel);
    Ok(())
}

/// Asks for a log, or for a corpus folder, with the platform's dialog. `None` if the user closes it.
#[tauri::command]
pub(crate) async fn pick_file(
    app: AppHandle,
    window: WebviewWindow,
    folder: bool,
) -> Result<Option<String>, ApiError> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let dialog = app.dialog().file().set_parent(&window);
    // After a reload, the old page no longer waits.
    let tell = move |picked| drop(sender.send(picked));
    if folder {
        dialog.set_title("Open a corpus").pick_folder(tell);
    } else {
        dialog
            .set_title("Open a session log")
            .add_filter("Session logs", &["jsonl", "json"])
            .add_filter("All files", &["*"])
            .pick_file(tell);
    }
    let picked = receiver.await.ok().flatten();
    Ok(picked.and_then(|picked| picked.into_path().ok()).map(|path| path.to_string_lossy().into_owned()))
}

/// Saves a file of the page where the user chooses in the platform's dialog. Returns the path, or `None` if
/// the user closes the dialog. The body is the content; the header `name` is the percent-encoded file name.
#[tauri::command]
pub(crate) async fn save_file(
    app: AppHandle,
    window: WebviewWindow,
    request: Request<'_>,
) -> Result<Option<String>, ApiError> {
    let bytes = bytes_of(request.body())?;
    let named = request.headers().get("name").and_then(|name| name.to_str().ok()).unwrap_or_default();
    let name = saved::plain_name(named);
    let extension = saved::extension_of(&name).to_owned();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    app.dialog()
        .file()
        .set_parent(&window)
        .set_title("Save")
        .add_filter(extension.to_uppercase(), &[&extension])
        .set_file_name(&name)
        .save_file(move |picked| drop(sender.send(picked)));
    let Some(picked) = receiver.await.ok().flatten().and_then(|picked| picked.into_path().ok()) else {
        return Ok(None);
    };
    tauri::async_runtime::spawn_blocking(move || saved::write_file(&picked, &extension, &bytes))
        .await
        .map_err(|error| ApiError::new(ErrorCode::Internal, format!("the program failed: {error}")))?
        .map(|path| Some(path.to_string_lossy().into_owned()))
}

fn bytes_of(body: &InvokeBody) -> Result<Vec<u8>, ApiError> {
    match body {
        InvokeBody::Raw(bytes) => Ok(bytes.clone()),
        InvokeBody::Json(json) => serde_json::from_value(json.clone()).map_err(|error| {
            ApiError::new(ErrorCode::BadRequest, format!("what is to be saved is not bytes ({error})"))
        }),
    }
}

/// Opens the log of `session` at `line` in the editor from the user's settings; `false` if they name none.
/// The page sends a number and a line, never a path or a program.
#[tauri::command]
pub(crate) async fn edit_line(host: State<'_, Host>, session: u32, line: u64) -> Result<bool, ApiError> {
    let Some(editor) = Editor::of_user()? else { return Ok(false) };
    let inspector = host.get_inspector().await?;
    let CommandAnswer::Json(json) =
        inspector.dispatch("session", serde_json::json!({ "session": session })).await?
    else {
        return Ok(false);
    };
    let session: SessionAnswer = serde_json::from_str(&json)
        .map_err(|error| ApiError::new(ErrorCode::Internal, format!("the program failed: {error}")))?;
    editor.open_at_line(&PathBuf::from(session.path), line).map(|()| true)
}

#[tauri::command]
pub(crate) fn report(message: &str) {
    cwl_host::report_of_page(message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_raw_or_as_numbers() {
        let check = |body: InvokeBody, expected: Option<&[u8]>| {
            assert_eq!(bytes_of(&body).ok().as_deref(), expected);
        };
        check(InvokeBody::Raw(vec![0, 255]), Some(&[0, 255]));
        check(InvokeBody::Json(serde_json::json!([0, 255])), Some(&[0, 255]));
        check(InvokeBody::Json(serde_json::json!([256])), None);
        check(InvokeBody::Json(serde_json::json!({"0": 1})), None);
    }
}
