//! Text helpers: tables read at compile time, and figures as people read them.

pub(crate) mod cells;
pub(crate) mod figure;
