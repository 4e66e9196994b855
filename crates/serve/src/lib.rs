//! The page over HTTP, for browsers and for machines without a screen: the built page, `POST /call/NAME`, and
//! pushes as server-sent events. Nothing is decided here; calls go to [`cwl_host`] as in the window.
//!
//! Session logs are private, and every web page in the user's browser can send requests to this machine. A
//! [`Server`] therefore listens on loopback only, one guard checks every request first, and every answer
//! about a session needs the token of the printed address. The token is in that address's fragment, which
//! browsers never send; the page keeps it for its tab and sends it in a header. There is no cookie, since
//! browsers send cookies to every port of this machine.

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
