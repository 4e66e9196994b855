//! One file per subcommand.

#[cfg(feature = "serve")]
pub(crate) mod annotate;
#[cfg(feature = "serve")]
mod annotate_reader;
pub(crate) mod compactions;
pub(crate) mod captured;
pub(crate) mod compare;
mod compare_table;
pub(crate) mod context;
#[cfg(feature = "corpus")]
pub(crate) mod choose;
#[cfg(feature = "serve")]
pub(crate) mod corpus;
pub(crate) mod cost;
pub(crate) mod diff;
pub(crate) mod evicted;
#[cfg(feature = "serve")]
pub(crate) mod export;
#[cfg(any(feature = "proxy", feature = "serve"))]
pub(crate) mod end;
pub(crate) mod first;
pub(crate) mod graph;
pub(crate) mod lint;
#[cfg(feature = "live")]
pub(crate) mod live;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
#[cfg(feature = "proxy")]
pub(crate) mod proxy;
pub(crate) mod reference;
pub(crate) mod reacquisitions;
pub(crate) mod replay;
pub(crate) mod report;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod shell;
pub(crate) mod store;
pub(crate) mod tail;
#[cfg(feature = "corpus")]
mod public_sets;
#[cfg(feature = "corpus")]
pub(crate) mod trial;
mod unmarked;

use std::path::PathBuf;
use std::sync::Arc;

use cwl_host::api::{DefaultsAnswer, StoreRequest};
use cwl_host::{Inspector, InspectorConfig, default_data_dir};

use crate::out::{Failure, warn_user};

fn build_runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Said(format!("cannot start ({error})")))
}

async fn start_host(folders: Option<Vec<PathBuf>>) -> Result<Arc<Inspector>, Failure> {
    let config = InspectorConfig {
        data_dir: default_data_dir()?,
        defaults: DefaultsAnswer::default(),
        folders,
        corpora: None,
    };
    Ok(Inspector::start(config).await?)
}

/// Starts a host for a list: an unusable store is reported, and logs are listed without it.
async fn host_anyway() -> Result<Arc<Inspector>, Failure> {
    let config = InspectorConfig {
        data_dir: default_data_dir()?,
        defaults: DefaultsAnswer::default(),
        folders: None,
        corpora: None,
    };
    let host = Inspector::start_anyway(config).await?;
    if let Some(trouble) = host.store(StoreRequest { retry: false })?.trouble {
        warn_user(&format!("{}; {}: {}", trouble.what, trouble.hint, trouble.path));
    }
    Ok(host)
}
