//! Tables that come with the program and the user's own files over them: tools and prices.

pub(crate) mod prices;
pub(crate) mod tools;
