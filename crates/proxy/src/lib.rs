//! A proxy between a harness and its provider, for any harness with a configurable base URL.
//!
//! Only this crate opens connections. A request arriving on loopback goes to the one upstream the user named. Request
//! and answer pass unchanged: same bytes, same pieces, same errors and ends. If the harness goes away, the upstream
//! request ends too.
//!
//! Request headers contain the user's keys. Code copies headers from one connection to the other and reads only
//! `Content-Encoding`, `Content-Length`, `Host`, `Origin` and the connection headers. Error messages leave out the
//! query, which carries the key for some providers. [`Capture`] keeps bodies and [`Eviction`] changes bodies, both
//! only if the user asks.

mod answer;
mod body;
mod capture;
mod certificates;
mod connect;
mod evict;
mod forward;
mod headers;
mod server;
mod upstream;

use std::sync::Arc;

pub use capture::Capture;
pub use certificates::{Certificates, NoCertificates};
pub use evict::Eviction;
pub use server::{ListenError, Proxy, ProxyLimits};
pub use upstream::{Upstream, UpstreamRefusal};

/// Callback for one-line notices to the user; a notice never quotes a request.
pub type Notices = Arc<dyn Fn(&str) + Send + Sync>;
