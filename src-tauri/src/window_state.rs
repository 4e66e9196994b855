//! The window's size, position and state, saved soon after each change, so that even a killed program opens
//! again as it was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tauri::{plugin::TauriPlugin, AppHandle, Manager, Runtime, WindowEvent};
use tauri_plugin_window_state::{AppHandleExt, StateFlags};

const KEPT: StateFlags = StateFlags::SIZE.union(StateFlags::POSITION).union(StateFlags::MAXIMIZED);

/// Dragging an edge changes the size continually; a drag is over once no change came for this long.
const QUIET: Duration = Duration::from_millis(300);

#[derive(Default)]
pub(crate) struct ChangeNumber(AtomicU64);

pub(crate) fn window_plugin<R: Runtime>() -> TauriPlugin<R> {
    tauri_plugin_window_state::Builder::new().with_state_flags(KEPT).build()
}

pub(crate) fn on_window_event(app: &AppHandle, event: &WindowEvent) {
    if !matches!(event, WindowEvent::Resized(_) | WindowEvent::Moved(_)) {
        return;
    }
    let number = app.state::<ChangeNumber>().0.fetch_add(1, Ordering::Relaxed) + 1;
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(QUIET).await;
        if app.state::<ChangeNumber>().0.load(Ordering::Relaxed) == number {
            if let Err(error) = app.save_window_state(KEPT) {
                tracing::debug!("the size of the window is not kept: {error}");
            }
        }
    });
}
