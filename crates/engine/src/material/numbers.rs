//! Rare numbers, such as ports, line numbers and error codes, told by one result and named by a
//! later reply.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::tool::words::each_numeral;
use crate::{BlockIdx, BlockKind, MessageClass, Session};

const DIGITS: core::ops::RangeInclusive<usize> = 4..=12;
/// Maximum part of a text to search, bytes.
const MAX_BYTES: usize = 24_000;
const MAX_NEW: usize = 400;
const MAX_KNOWN: usize = 100_000;
const MAX_USES: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberUse {
    pub text: Arc<str>,
    pub by: BlockIdx,
    pub held: BlockIdx,
}

#[derive(Debug)]
pub struct NumbersBuilder<'a> {
    session: &'a Session,
    /// The result with each number; `None` if another text named it first or a second result has
    /// it.
    known: BTreeMap<u64, Option<BlockIdx>>,
    uses: Vec<NumberUse>,
}

impl<'a> NumbersBuilder<'a> {
    pub fn new(session: &'a Session) -> Self {
        Self { session, known: BTreeMap::new(), uses: Vec::new() }
    }

    pub fn add_block(&mut self, block: BlockIdx, text: &str) {
        let Some(row) = self.session.blocks.get(block.at()) else { return };
        let message = self.session.message_of(block);
        match row.kind {
            BlockKind::Result(_) if row.stands_for.is_none() => self.note_source(block, text),
            BlockKind::Call(_) => self.note_use(block, text),
            BlockKind::Text if message.class == MessageClass::Assistant && !message.added => {
                self.note_use(block, text);
            }
            BlockKind::Text => each_number(text, |_, number| {
                if self.known.len() < MAX_KNOWN {
                    self.known.entry(number).or_insert(None);
                }
            }),
            _ => {}
        }
    }

    pub fn finish(self) -> Vec<NumberUse> {
        self.uses
    }

    fn note_source(&mut self, block: BlockIdx, text: &str) {
        let mut n_new = 0;
        each_number(text, |_, number| {
            if let Some(known) = self.known.get_mut(&number) {
                *known = known.filter(|holder| *holder == block);
            } else if n_new < MAX_NEW && self.known.len() < MAX_KNOWN {
                n_new += 1;
                self.known.insert(number, Some(block));
            }
        });
    }

    fn note_use(&mut self, block: BlockIdx, text: &str) {
        let first = self.uses.len();
        each_number(text, |digits, number| {
            let is_new = !self.uses[first..].iter().any(|one| &*one.text == digits);
            match self.known.get(&number) {
                Some(Some(held)) if is_new && self.uses.len() < first + MAX_USES => {
                    self.uses.push(NumberUse { text: Arc::from(digits), by: block, held: *held });
                }
                Some(_) => {}
                None if self.known.len() < MAX_KNOWN => drop(self.known.insert(number, None)),
                None => {}
            }
        });
    }
}

/// Calls `each` with every possibly rare number: only digits, no year, no multiple of 100.
pub(crate) fn each_number(text: &str, mut each: impl FnMut(&str, u64)) {
    let bytes = &text.as_bytes()[..text.len().min(MAX_BYTES)];
    each_numeral(bytes, |at, word| {
        let is_number =
            DIGITS.contains(&word.len()) && word[0] != b'0' && word.iter().all(u8::is_ascii_digit);
        if is_number
            && let Some(digits) = text.get(at..at + word.len())
            && let Ok(number) = digits.parse::<u64>()
            && !(1900..2100).contains(&number)
            && !number.is_multiple_of(100)
        {
            each(digits, number);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    fn check(text: &str, expected: &str) {
        let mut found: Vec<String> = Vec::new();
        each_number(text, |digits, _| found.push(digits.to_string()));
        assert_eq!(found.join(" "), expected, "text {text:?}");
    }

    #[test]
    fn numbers_that_may_be_rare() {
        check("listening on :8081", "8081");
        check("error 4312 at line 77", "4312");
        check("in 2026, of 12000 and 0x1234 and v1234", "");
        check("a1234 1234b 01234 1234567890123", "");
        check("größe1234 1234,5678", "1234 5678");
        check("", "");
    }
}
