//! `cwl serve`: serves the page to browsers.

use std::path::Path;
use std::sync::Arc;

use cwl_corpus::CorpusCache;
use cwl_host::api::{DefaultsAnswer, ViewCut, ViewSettings};
use cwl_host::{
    Corpora, Inspector, InspectorConfig, budget_of, commands, default_data_dir, file_of_target, read_target,
};
use cwl_serve::{Page, ServeError, Server};

use super::build_runtime;
use super::end::hear_end;
use crate::args::ServeArgs;
use crate::out::{Failure, Stdout, warn_user};

/// Default port. A fixed address can be forwarded.
const USUAL_PORT: u16 = 4357;

pub(crate) fn run(args: ServeArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let page = Page::open_folder(args.ui).map_err(|error| Failure::Said(error.to_string()))?;
    let data_dir = args.data_dir.map_or_else(default_data_dir, Ok)?;
    let (target, link) = read_target(args.target);
    let missing = target.clone().filter(|target| is_missing_path(target));
    let defaults = DefaultsAnswer {
        target,
        link,
        budget_given: args.view.budget.is_some(),
        policy_given: args.view.policy.is_some() || !args.view.set.is_empty(),
        view,
        cut: ViewCut { turn: args.turn, step: None },
        demo: args.demo,
    };
    let runtime = build_runtime()?;
    let served = runtime.block_on(async {
        let server = listen_on(args.port, page).await.map_err(|error| Failure::Said(error.to_string()))?;
        let corpora: Option<Arc<dyn Corpora>> = Some(Arc::new(CorpusCache::default()));
        let config = InspectorConfig { data_dir, defaults: defaults.clone(), folders: None, corpora };
        let inspector = Inspector::start_anyway(config).await?;
        if let Some(engine) = args.engine {
            inspector.use_page_engine(engine);
        }
        check_turn(&inspector, defaults, args.view.budget.as_deref()).await?;
        let end = hear_end()?;
        out.write_line(server.page_address())?;
        out.flush()?;
        let port = server.port();
        warn_user(&format!(
            "only this machine reaches it; from another: ssh -L {port}:127.0.0.1:{port} HOST"
        ));
        warn_user("Ctrl+C ends it");
        if let Some(path) = missing.as_deref() {
            warn_user(&format!("{path}: there is no such file"));
        }
        server.run(inspector, end).await;
        Ok(())
    });
    // A log's first read need not finish: every stored batch is complete.
    runtime.shutdown_background();
    served
}

fn is_missing_path(target: &str) -> bool {
    let path = file_of_target(Path::new(target));
    (path.extension().is_some() || path.components().count() > 1) && !path.exists()
}

/// Checks that the session has the requested turn. The page itself reports a session that cannot be opened.
async fn check_turn(
    inspector: &Arc<Inspector>,
    defaults: DefaultsAnswer,
    budget: Option<&str>,
) -> Result<(), Failure> {
    let DefaultsAnswer { target: Some(target), cut: cut @ ViewCut { turn: Some(_), .. }, view, .. } =
        defaults
    else {
        return Ok(());
    };
    let Ok(opened) = inspector.open_target(target, None).await else { return Ok(()) };
    let (budget, _) = budget_of(&opened, budget);
    Ok(commands::check_cut(&opened, &ViewSettings { budget, ..view }, cut)?)
}

async fn listen_on(port: Option<u16>, page: Page) -> Result<Server, ServeError> {
    match port {
        Some(port) => Server::listen(port, page).await,
        None => match Server::listen(USUAL_PORT, page.clone()).await {
            Err(ServeError::PortTaken(_)) => Server::listen(0, page).await,
            listened => listened,
        },
    }
}
