//! Writes messages one by one, so a long request is never held in memory.

use std::io::{self, Write};

use super::{MessageLayout, MessageSlot};
use crate::json::{Object, list};
use crate::render::part::SentPart;

/// `key` holds the parts; `model` names the provider's assistant role.
pub(in crate::render) fn by_role(
    laid: &MessageLayout,
    model: &str,
    key: &str,
    part: fn(&SentPart) -> String,
) -> Vec<String> {
    let role = match laid.slot {
        MessageSlot::Assistant => model,
        MessageSlot::User => "user",
        MessageSlot::System => "system",
    };
    let parts: Vec<String> = laid.parts.iter().map(part).collect();
    vec![Object::new().text("role", role).json(key, &list(&parts)).done()]
}

pub(in crate::render) struct Items<'w> {
    out: &'w mut dyn Write,
    is_first: bool,
}

impl<'w> Items<'w> {
    pub(in crate::render) fn begin_array(out: &'w mut dyn Write) -> io::Result<Self> {
        out.write_all(b"[")?;
        Ok(Self { out, is_first: true })
    }

    pub(in crate::render) fn push_item(&mut self, item: &str) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.write_all(b",")?;
        }
        self.out.write_all(item.as_bytes())
    }

    pub(in crate::render) fn end_array(self) -> io::Result<()> {
        self.out.write_all(b"]")
    }
}
