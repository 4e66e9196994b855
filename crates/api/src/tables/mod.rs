//! Built-in tables with the user's overrides: tools, prices, context windows, reasoning retention.

pub(crate) mod breakpoints;
pub(crate) mod carried;
pub(crate) mod force;
pub(crate) mod models;
pub(crate) mod patterns;
pub(crate) mod pictures;
pub(crate) mod prices;
pub(crate) mod rows;
pub(crate) mod tools;
