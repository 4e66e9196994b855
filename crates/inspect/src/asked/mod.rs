//! Parsers for what people type and choose: budgets, views, pins and probes, patterns, links.

pub mod budget;
pub mod link;
pub mod effort;
pub mod needle;
pub mod options;
pub mod place;
pub mod unit;
pub mod view;
pub mod watch;
