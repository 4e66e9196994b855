//! Tables that come with the program and the user's own files over them: tools, prices and windows. And what is known of harnesses and providers as data.

pub(crate) mod carried;
pub(crate) mod force;
pub(crate) mod models;
pub(crate) mod patterns;
pub(crate) mod prices;
pub(crate) mod tools;
