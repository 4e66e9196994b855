//! Material: everything that policies and measures need of the texts, worked out once per branch outside the policies.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{BlockIdx, NumberUse, SummarySlot, TurnIdx};

/// One line that a summary may hold, taken word for word from a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestLine {
    /// The block that it is taken from.
    pub block: BlockIdx,
    /// The part of a summary it belongs to.
    pub slot: SummarySlot,
    /// The line's words, without its line end.
    pub text: Arc<str>,
    /// The turn it names, so a reader finds a fact's source.
    pub turn: Option<TurnIdx>,
    /// The block with which it stops to hold: the answer to a question.
    pub until: Option<BlockIdx>,
    /// The size with its line end, units.
    pub units: u32,
    /// A figure of the text, so a policy tells texts apart without reading them: equal texts have equal prints.
    pub(crate) print: u64,
}

impl DigestLine {
    /// Makes a line.
    pub fn new(block: BlockIdx, slot: SummarySlot, text: impl Into<Arc<str>>, units: u32) -> Self {
        let text = text.into();
        let print = text.as_bytes().chunks(8).fold(text.len() as u64, |print, chunk| {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            (print ^ u64::from_le_bytes(eight)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        Self { block, slot, text, turn: None, until: None, units, print }
    }

    /// Gives the line its size, with its line end, units.
    pub fn with_units(self, units: u32) -> Self {
        Self { units, ..self }
    }

    /// Writes the line as it stands in a summary, without its line end.
    pub fn as_text(&self) -> String {
        match self.turn {
            Some(turn) => alloc::format!("{} (turn {turn})", self.text),
            None => self.text.as_ref().into(),
        }
    }
}

/// The kinds of things that blocks name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameKind {
    /// A file's path, normalised.
    Path,
    /// A shell command, normalised.
    Command,
    /// An identifier that first appeared in a result.
    Symbol,
}

/// A later use of something an earlier block held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// The name that is used, as a place in [`Material::names`].
    pub name: u32,
    /// The block that uses it.
    pub by: BlockIdx,
    /// The latest block before it that held what is used.
    pub held: BlockIdx,
    /// The result by which the agent got the same again (of the same path or command), if it did.
    pub again: Option<BlockIdx>,
}

/// A change to a file an earlier block held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileChange {
    /// The file's path, as a place in [`Material::names`].
    pub name: u32,
    /// The call that changes it.
    pub by: BlockIdx,
}

/// A name that blocks hold and use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The kind.
    pub kind: NameKind,
    /// The name itself, normalised.
    pub text: Arc<str>,
}

impl Name {
    /// Tells whether it is no mere word: a path, a command, or an identifier written as code writes them.
    pub fn is_telling(&self) -> bool {
        self.kind != NameKind::Symbol || is_code(&self.text)
    }
}

/// Tells whether an identifier is written as code writes them: with `_` or a digit, or with a capital after a small
/// letter (`parse_header`, `utf8len`, `FeedTree`). Other identifiers may be words of a language.
pub(crate) fn is_code(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_camel = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    word.bytes().any(|b| b == b'_' || b.is_ascii_digit()) || bytes.windows(2).any(is_camel)
}

/// The names a compaction took: those whose last holder is among the blocks that went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostNames {
    /// The compaction, as a place in [`crate::Session::replacements`].
    pub replacement: u32,
    /// Files whose content a result held, those that came in last first; the first ones only.
    pub paths: Vec<Arc<str>>,
    /// How many files there are in all.
    pub n_paths: u32,
    /// Commands whose output went.
    pub n_commands: u32,
    /// Identifiers that no result holds any more, written as code writes them ([`Name::is_telling`]).
    pub n_symbols: u32,
}

/// The digest, names and uses found in the texts, for policies and measures.
///
/// Depends on the branch and the tokenizer, never on a policy or a budget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Material {
    /// Lines for summaries, in the order of their blocks.
    pub digest: Vec<DigestLine>,
    /// The size of a summary's first line, units.
    pub title_units: u32,
    /// The headings' sizes, in the order of [`SummarySlot::ALL`], units.
    pub heading_units: [u32; 5],
    /// The calls that write down a whole plan; of their lines only those of the newest plan hold.
    pub plans: Vec<BlockIdx>,
    /// For each block a number that equal texts share, 1 + the place of the first such block; 0 for blocks that are
    /// no results, and for empty ones.
    pub alike: Vec<u64>,
    /// All names.
    pub names: Vec<Name>,
    /// All later uses, in the order of the blocks that use.
    pub uses: Vec<Use>,
    /// All changes to files that earlier blocks held, in the order of the calls.
    pub changes: Vec<FileChange>,
    /// All later uses of rare numbers, in the order of the blocks that use.
    pub numbers: Vec<NumberUse>,
    /// The names each compaction took, in the order of the compactions.
    pub lost: Vec<LostNames>,
    /// The windows of the models that were asked, tokens, each from a turn on; `None` if the window is not known.
    pub windows: Vec<(TurnIdx, Option<u64>)>,
}

impl Material {
    /// Returns the window of the model a turn asks, tokens, where it is known.
    pub fn window_at(&self, turn: TurnIdx) -> Option<u64> {
        let at = self.windows.partition_point(|(from, _)| *from <= turn);
        at.checked_sub(1).and_then(|at| self.windows[at].1)
    }
}
