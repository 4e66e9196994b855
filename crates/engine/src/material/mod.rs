//! Material: what policies and measures need from the texts, computed once per branch.

pub(crate) mod stand_in;
pub(crate) mod digest;
pub(crate) mod names;
pub(crate) mod numbers;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{Display, IntoStaticStr};

use crate::{BlockIdx, DigestRule, NumberUse, SummarySlot, TurnIdx};

/// A verbatim line from a block, for a [`Summary`](crate::Summary).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestLine {
    pub block: BlockIdx,
    pub slot: SummarySlot,
    /// The rule that chose the line; `None` if no digest did.
    pub rule: Option<DigestRule>,
    pub text: Arc<str>,
    /// The turn printed with the line, so readers find its source.
    pub turn: Option<TurnIdx>,
    /// The block after which the line is obsolete, such as the answer to a question.
    pub until: Option<BlockIdx>,
    /// Size in units, line end included.
    pub units: u32,
    /// Hash of the text; policies compare lines without reading them.
    pub(crate) print: u64,
}

impl DigestLine {
    pub fn new(block: BlockIdx, slot: SummarySlot, text: impl Into<Arc<str>>, units: u32) -> Self {
        let text = text.into();
        let print = text.as_bytes().chunks(8).fold(text.len() as u64, |print, chunk| {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            (print ^ u64::from_le_bytes(eight)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        Self { block, slot, rule: None, text, turn: None, until: None, units, print }
    }

    pub fn with_units(self, units: u32) -> Self {
        Self { units, ..self }
    }

    /// Writes the line as in a summary, without the line end.
    pub fn as_text(&self) -> String {
        match self.turn {
            Some(turn) => alloc::format!("{} (turn {turn})", self.text),
            None => self.text.as_ref().into(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
pub enum NameKind {
    #[strum(serialize = "file")]
    #[cfg_attr(feature = "serde", serde(rename = "file"))]
    Path,
    Command,
    /// Identifier that first appeared in a result.
    Symbol,
}

/// A later use of a name an earlier block held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// Position in [`Material::names`].
    pub name: u32,
    pub by: BlockIdx,
    /// Last earlier block that held the name.
    pub held: BlockIdx,
    /// The result with which the agent reacquired the path or command, if any.
    pub again: Option<BlockIdx>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileChange {
    pub name: u32,
    pub by: BlockIdx,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub kind: NameKind,
    pub text: Arc<str>,
}

impl Name {
    /// Returns `true` for a path, a command, or an identifier spelled like code.
    pub fn is_telling(&self) -> bool {
        self.kind != NameKind::Symbol || is_code(&self.text)
    }
}

/// Returns `true` if an identifier is spelled like code: with `_`, a digit, or a capital after a
/// small letter (`parse_header`, `utf8len`, `FeedTree`). Other identifiers may be plain words.
pub(crate) fn is_code(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_camel = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    word.bytes().any(|b| b == b'_' || b.is_ascii_digit()) || bytes.windows(2).any(is_camel)
}

/// Names whose last holder a compaction removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostNames {
    /// Position in [`crate::Session::replacements`].
    pub replacement: u32,
    /// Files whose content was in a result, latest first; the list is cut.
    pub paths: Vec<Arc<str>>,
    /// Number of lost files, including those cut from `paths`.
    pub n_paths: u32,
    pub n_commands: u32,
    /// Number of code-like identifiers no result holds any more ([`Name::is_telling`]).
    pub n_symbols: u32,
}

/// Material depends on the branch and the tokenizer, never on a policy or a budget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Material {
    pub digest: Vec<DigestLine>,
    pub title_units: u32,
    /// Heading sizes in the order of [`SummarySlot::ALL`], units.
    pub heading_units: [u32; 5],
    /// Only lines of the newest plan are valid.
    pub plans: Vec<BlockIdx>,
    /// Per block: 1 + the index of the first block of its kind with an equal text. 0 for empty blocks and for all but
    /// calls, with their arguments, and results.
    pub alike: Vec<u64>,
    pub names: Vec<Name>,
    pub uses: Vec<Use>,
    pub changes: Vec<FileChange>,
    /// Later uses of rare numbers, ordered by the using blocks.
    pub numbers: Vec<NumberUse>,
    pub lost: Vec<LostNames>,
    /// Model windows in tokens, each valid from a turn on; `None` if unknown.
    pub windows: Vec<(TurnIdx, Option<u64>)>,
}

impl Material {
    pub fn window_at(&self, turn: TurnIdx) -> Option<u64> {
        let at = self.windows.partition_point(|(from, _)| *from <= turn);
        at.checked_sub(1).and_then(|at| self.windows[at].1)
    }
}
