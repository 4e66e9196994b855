//! The page over HTTP, for browsers and for machines without a screen: the built page, `POST /call/NAME`, and pushes
//! as a stream of events. Nothing here decides anything; a call goes to [`cwl_api`] as it does in the window.
//!
//! A session log is private, and every web page the user's browser shows can send requests to this machine. So a [`Server`]
//! listens on loopback only, every request passes one guard before anything looks at it, and every answer about a session
//! needs the token of the printed address. The token is in the fragment of that address, which no browser sends anywhere;
//! the page keeps it for its tab and sends it in a header. There is no cookie, because a browser sends cookies to every
//! port of this machine.
#![deny(missing_docs)]

mod answer;
mod connections;
mod guard;
mod page;
mod push;
mod routes;
mod server;
mod token;

pub use page::{NoPage, Page};
pub use server::{ServeError, Server};
