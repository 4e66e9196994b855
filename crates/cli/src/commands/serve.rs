//! `cwl serve`: the page for a browser.

use std::process::ExitCode;

use cwl_api::dto::{CutDto, DefaultsDto};
use cwl_api::{Inspector, InspectorConfig, default_data_dir, read_target};
use cwl_serve::{Page, ServeError, Server};

use super::runtime;
use crate::args::ServeArgs;
use crate::out::{Failure, Out, say};

/// Where the page is unless another program is there already: an address that stays is one that can be forwarded.
const USUAL_PORT: u16 = 4357;

pub(crate) fn run(args: ServeArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let view = args.view.view()?;
    let page = match args.ui {
        Some(folder) => Page::folder(folder),
        None => Page::built_in(),
    };
    let page = page.map_err(|error| Failure::Said(error.to_string()))?;
    let data_dir = args.data_dir.map_or_else(default_data_dir, Ok)?;
    let (target, link) = read_target(args.target);
    let defaults = DefaultsDto {
        target,
        link,
        budget_given: args.view.budget.is_some(),
        view,
        cut: CutDto { turn: args.turn, step: None },
        demo: args.demo,
    };
    runtime()?.block_on(async {
        let server = listen(args.port, page).await.map_err(|error| Failure::Said(error.to_string()))?;
        let inspector =
            Inspector::start_anyway(InspectorConfig { data_dir, defaults, folders: None }).await?;
        out.line(server.address())?;
        out.flush()?;
        let port = server.port();
        say(&format!("only this machine reaches it; from another: ssh -L {port}:127.0.0.1:{port} HOST"));
        say("Ctrl+C ends it");
        server.run(inspector, ended()).await.map_err(|error| Failure::Said(error.to_string()))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Listens on the port that was asked for, or else on the usual one or any free one.
async fn listen(port: Option<u16>, page: Page) -> Result<Server, ServeError> {
    match port {
        Some(port) => Server::listen(port, page).await,
        None => match Server::listen(USUAL_PORT, page.clone()).await {
            Err(ServeError::PortTaken(_)) => Server::listen(0, page).await,
            listened => listened,
        },
    }
}

/// Waits for somebody to end the program.
async fn ended() {
    let interrupted = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            say(&format!("Ctrl+C is not heard ({error})"));
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminated) => tokio::select! {
                () = interrupted => {}
                _ = terminated.recv() => {}
            },
            Err(_not_heard) => interrupted.await,
        }
    }
    #[cfg(not(unix))]
    interrupted.await;
}
