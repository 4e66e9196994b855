//! The proxy: stands between a harness and its provider, for every harness that can be given a base URL.
//!
//! Nothing else in this program opens a connection. A request that comes in on loopback goes to the one upstream that the user
//! named, and its answer goes back, as both came: same bytes, in the same pieces, with their errors and their ends. When the
//! harness goes away, the request to the upstream ends, too.
//!
//! The headers of a request have the user's keys in them. They are handed from one connection to the other, and no other code
//! reads them; the address is told without its query, in which some providers want the key. A [`Capture`] keeps bodies, and
//! only if the user says so; so does an [`Eviction`] change them.
#![deny(missing_docs)]

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

/// Tells the user something in one line, in which no text of a request is.
pub type Notices = Arc<dyn Fn(&str) + Send + Sync>;
