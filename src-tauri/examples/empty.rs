//! An empty window with the same toolkit, whose memory `make bench` compares: no script, no commands, no
//! host.

use tauri::http::Response;
use tauri::{WebviewUrl, WebviewWindowBuilder};

fn main() -> tauri::Result<()> {
    // As in the real window: the other renderer takes some 60 MB more without a GPU.
    cwl_inspector::prefer_plain_buffers();
    tauri::Builder::default()
        .register_uri_scheme_protocol("empty", |_, _| {
            let page = b"<!doctype html><title>empty</title><p>nothing".to_vec();
            Response::builder().header("content-type", "text/html").body(page).unwrap_or_default()
        })
        .setup(|app| {
            let nothing = WebviewUrl::CustomProtocol("empty://localhost/".parse()?);
            WebviewWindowBuilder::new(app, "empty", nothing).inner_size(1440.0, 900.0).build()?;
            Ok(())
        })
        .run(tauri::generate_context!())
}
