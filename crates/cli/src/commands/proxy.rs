//! `cwl proxy`: stands between a harness and its provider.

use std::path::PathBuf;
use std::sync::Arc;

use cwl_host::api::{Document, ProxyStatus};
use cwl_host::{default_capture_dir, default_data_dir, tools_of_user};
use cwl_proxy::{Capture, Certificates, Eviction, Proxy, ProxyLimits, Upstream};

use super::build_runtime;
use super::end::hear_end;
use crate::args::ProxyArgs;
use crate::out::{Failure, Stdout, warn_user};

pub(crate) fn run(args: &ProxyArgs, out: &mut Stdout) -> Result<(), Failure> {
    let said = |error: &dyn std::error::Error| Failure::Said(error.to_string());
    let upstream = Upstream::parse(&args.upstream, args.insecure_upstream).map_err(|error| said(&error))?;
    let certificates = match upstream.is_encrypted() {
        true => Some(Certificates::of_system().map_err(|error| said(&error))?),
        false => None,
    };
    let folder: Option<PathBuf> =
        args.capture.clone().map(|named| named.map_or_else(default_capture_dir, Ok)).transpose()?;
    let capture = folder.as_deref().map(|folder| {
        Capture::open(folder, Arc::new(warn_user)).map_err(|error| {
            Failure::Said(format!("no requests can be kept there ({error}): {}", folder.display()))
        })
    });
    let capture = capture.transpose()?;
    let eviction = match &args.policy {
        None => None,
        Some(policy) => {
            let ProxyArgs { budget, set, tokenizer, .. } = args;
            let eviction = Eviction::parse(policy, budget, set, tokenizer, tools_of_user());
            Some(eviction.map_err(Failure::Said)?.with_control(&default_data_dir()?))
        }
    };
    let about = upstream.to_string();
    let runtime = build_runtime()?;
    let done = runtime.block_on(async {
        let listened = Proxy::listen(args.port, upstream, certificates.as_ref(), ProxyLimits::USUAL).await;
        let mut proxy = listened.map_err(|error| said(&error))?;
        if let Some(capture) = capture {
            proxy = proxy.with_capture(capture);
        }
        let (policy, budget) = match &eviction {
            Some(eviction) if eviction.policy() != "none" => (eviction.policy(), Some(eviction.budget())),
            _ => ("none", None),
        };
        if let Some(eviction) = eviction {
            proxy = proxy.with_eviction(eviction, Arc::new(warn_user));
        }
        let end = hear_end()?;
        let (address, port) = (proxy.address(), proxy.port());
        warn_user(&format!(
            "requests to {address} go to {about}; only this machine reaches it, and Ctrl+C ends it"
        ));
        let capture = folder.map(|folder| folder.display().to_string());
        if let Some(folder) = &capture {
            warn_user(&format!("the bodies of requests that ask a model are kept for you alone in {folder}"));
        }
        if args.json {
            out.write_json(&Document::new(ProxyStatus {
                address,
                port,
                upstream: about,
                capture,
                policy: policy.to_owned(),
                budget,
            }))?;
        } else {
            out.write_line(address)?;
        }
        out.flush()?;
        proxy.run(end).await;
        Ok(())
    });
    runtime.shutdown_background();
    done
}
