//! Parsers for what people type and choose: budgets, views, pins and probes, patterns, links.

pub(crate) mod budget;
pub(crate) mod link;
pub(crate) mod effort;
pub(crate) mod needle;
pub(crate) mod options;
pub(crate) mod place;
pub(crate) mod unit;
pub(crate) mod view;
pub(crate) mod watch;
