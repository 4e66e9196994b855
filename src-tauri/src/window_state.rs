//! How the window was left: its size, place and state are kept soon after they change, so a program ended from outside
//! opens again as it was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tauri::{plugin::TauriPlugin, AppHandle, Manager, Runtime, WindowEvent};
use tauri_plugin_window_state::{AppHandleExt, StateFlags};

/// The parts of a window that are kept.
const KEPT: StateFlags = StateFlags::SIZE.union(StateFlags::POSITION).union(StateFlags::MAXIMIZED);

/// A drag of an edge tells sizes all the while; it is over when none came for as long.
const QUIET: Duration = Duration::from_millis(300);

/// The number of the newest change.
#[derive(Default)]
pub(crate) struct ChangeNumber(AtomicU64);

/// Returns the plugin that opens windows as they were left. Where its file is odd, windows open as if there were none.
pub(crate) fn window_plugin<R: Runtime>() -> TauriPlugin<R> {
    tauri_plugin_window_state::Builder::new().with_state_flags(KEPT).build()
}

/// Keeps how the window stands once it is at rest.
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
