//! Block contents beside its text: human words in a result, signed reasoning, the definition of a tool.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Holds {
    #[default]
    Nothing,
    /// Anthropic's signature on reasoning, or encrypted reasoning.
    Signature,
    /// Reasoning that the harness never sends back.
    UnsentReasoning,
    Words(Box<HumanWords>),
    /// The definition of the named tool; empty if it has no name.
    ToolDefinition(Arc<str>),
}

/// The human's part in a result's text; the rest is the harness's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HumanWords {
    /// In order, without overlaps, bytes.
    pub ranges: Vec<Range<u32>>,
    pub text_len: u32,
}

impl HumanWords {
    pub fn whole_text() -> Self {
        Self { ranges: alloc::vec![0..1], text_len: 1 }
    }

    pub fn share_of(&self, units: u64) -> u64 {
        let length: u64 =
            self.ranges.iter().map(|range| u64::from(range.end.saturating_sub(range.start))).sum();
        let text_len = u64::from(self.text_len).max(1);
        let share = u128::from(units) * u128::from(length.min(text_len)) / u128::from(text_len);
        u64::try_from(share).unwrap_or(units)
    }
}

impl Holds {
    pub fn defined_tool(&self) -> Option<&str> {
        match self {
            Self::ToolDefinition(name) => Some(name),
            Self::Nothing | Self::Signature | Self::UnsentReasoning | Self::Words(_) => None,
        }
    }

    pub fn human_words(&self) -> Option<&HumanWords> {
        match self {
            Self::Words(words) => Some(words),
            Self::Nothing | Self::Signature | Self::UnsentReasoning | Self::ToolDefinition(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_a_share_by_their_length() {
        let check = |ranges: &[Range<u32>], text_len: u32, units: u64, expected: u64| {
            let words = HumanWords { ranges: ranges.to_vec(), text_len };
            assert_eq!(words.share_of(units), expected, "{ranges:?} of {text_len}");
        };
        let one = |range: Range<u32>, text_len, units, expected| {
            check(core::slice::from_ref(&range), text_len, units, expected)
        };
        one(0..5, 10, 100, 50);
        check(&[0..2, 4..6], 10, 9, 3);
        one(0..20, 10, 9, 9);
        check(&[], 0, 9, 0);
        one(0..u32::MAX, u32::MAX, u64::MAX, u64::MAX);
        assert_eq!(HumanWords::whole_text().share_of(7), 7);
    }
}
