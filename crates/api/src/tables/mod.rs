//! Tables that come with the program and the user's own files over them: tools and prices. And what is known of harnesses and providers as data.

pub(crate) mod carried;
pub(crate) mod prices;
pub(crate) mod tools;
