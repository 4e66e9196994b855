//! Tables that come with the program and the user's own files over them: tools, prices, windows, and what is sent back.

pub(crate) mod breakpoints;
pub(crate) mod carried;
pub(crate) mod force;
pub(crate) mod models;
pub(crate) mod patterns;
pub(crate) mod pictures;
pub(crate) mod prices;
pub(crate) mod rows;
pub(crate) mod tools;
