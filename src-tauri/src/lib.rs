//! The window of CWL Inspector: it shows the page, hands commands to [`cwl_host`], and passes on pushes.
//!
//! Arguments become defaults for the page ([`LaunchArguments`]); `display` checks for a display before the
//! toolkit starts; `commands` has the page's six commands; `host` starts behind them while the page loads;
//! `window_state` saves the window's size and position; `settings` reads which programs the window
//! may start; `editor` starts one, and [`cwl_host`] the other.

mod arguments;
mod commands;
mod display;
mod drops;
mod editor;
mod host;
mod settings;
mod window_state;
mod saved;

use std::io::IsTerminal;
use tauri::webview::WebviewWindowBuilder;

use tauri::Manager;

pub use arguments::LaunchArguments;
pub use display::prefer_plain_buffers;

use host::Host;

/// Opens the window and returns when it is closed.
///
/// # Errors
/// A line of text if there is no display, or the window cannot be made.
pub fn run(arguments: LaunchArguments) -> Result<(), String> {
    display::check_display()?;
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("CWL_LOG")
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn")),
        )
        .init();
    let config = arguments.into_config()?;
    tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(window_state::window_plugin())
        .manage(Host::new(config))
        .manage(window_state::ChangeNumber::default())
        .invoke_handler(tauri::generate_handler![
            commands::call,
            commands::subscribe,
            commands::pick_file,
            commands::save_file,
            commands::edit_line,
            commands::report
        ])
        .on_window_event(|window, event| {
            window_state::on_window_event(window.app_handle(), event);
            if let tauri::WindowEvent::DragDrop(event) = event {
                if let Some(drop) = drops::DropPush::from_event(event) {
                    window.state::<Host>().notify_page(drop);
                }
            }
        })
        .setup(|app| {
            // The store opens while the page loads.
            let handle = app.handle().clone();
            tauri::async_runtime::spawn(async move {
                if let Err(error) = handle.state::<Host>().get_inspector().await {
                    tracing::error!("{error}");
                }
            });
            for window in &app.config().app.windows {
                WebviewWindowBuilder::from_config(app.handle(), window)?.on_navigation(stays_home).build()?;
            }
            Ok(())
        })
        .build(tauri::generate_context!())
        .map_err(|error| format!("the window cannot be opened ({error}); `cwl` does the same in a terminal"))?
        .run(|app, event| {
            if let tauri::RunEvent::Exit = event {
                app.state::<Host>().end();
            }
        });
    Ok(())
}

/// The page never leaves its own origin, whatever link in a log the user clicks.
fn stays_home(url: &tauri::Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    #[test]
    fn the_page_stays_home() {
        let check = |url: &str, expected: bool| {
            assert_eq!(super::stays_home(&url.parse().unwrap()), expected, "{url}");
        };
        check("tauri://localhost/", true);
        check("tauri://localhost/index.html?x#y", true);
        check("http://tauri.localhost/", true);
        check("tauri://elsewhere/", false);
        check("https://example.org/", false);
        check("http://tauri.localhost.example.org/", false);
        check("file:///etc/passwd", false);
        check("data:text/html,<script>", false);
        check("javascript:alert(1)", false);
        check("about:blank", false);
    }
}
