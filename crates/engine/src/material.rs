//! Material: everything that policies and measures need of the texts, worked out once per branch outside the policies.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{BlockIdx, Slot};

/// One line that a summary may hold, taken word for word from a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestLine {
    /// The block that it is taken from.
    pub block: BlockIdx,
    /// The part of a summary that it belongs to.
    pub slot: Slot,
    /// The line as it stands in a summary, without its line end.
    pub text: Arc<str>,
    /// Its size with its line end, units.
    pub units: u32,
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

/// A later use of something that an earlier block held.
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

/// A name that blocks hold and use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Its kind.
    pub kind: NameKind,
    /// The name itself, normalised.
    pub text: Arc<str>,
}

/// Everything that policies and measures need of the texts.
///
/// It depends on the branch and on the tokenizer, never on a policy or a budget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Material {
    /// Lines for summaries, in the order of their blocks.
    pub digest: Vec<DigestLine>,
    /// The size of the first line of a summary, units.
    pub title_units: u32,
    /// The sizes of the headings, in the order of [`Slot::ALL`], units.
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
}

impl Material {
    /// Returns the lines taken from blocks of a range, as places in `digest`.
    pub fn lines_of(&self, blocks: core::ops::Range<usize>) -> core::ops::Range<usize> {
        let place = |at: usize| self.digest.partition_point(|line| line.block.at() < at);
        place(blocks.start)..place(blocks.end)
    }
}
