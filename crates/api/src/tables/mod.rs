//! Tables that come with the program and the user's own files over them: tools and prices. The editor that the user
//! names. And what is known of harnesses and providers as data.

pub(crate) mod carried;
pub(crate) mod editor;
pub(crate) mod prices;
pub(crate) mod tools;
