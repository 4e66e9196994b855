//! Built-in tables with the user's overrides: tools, prices, context windows, reasoning retention.

pub mod breakpoints;
pub mod carried;
pub mod models;
pub mod patterns;
pub mod pictures;
pub mod prices;
pub mod rows;
pub mod tools;
