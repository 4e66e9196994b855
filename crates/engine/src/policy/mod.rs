//! The policy seam and the registry: a replay runs any policy that has a row here.

mod cwl;
mod none;
mod options;

pub use options::*;

use alloc::boxed::Box;

use crate::{GraphChange, Growth, Ledger, Session, StepLog, TurnIdx};

/// What a policy remembers from one turn to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Evicted stays evicted.
    Carried,
    /// Every turn starts from the whole history.
    PerTurn,
}

/// What a policy runs over; the same for all turns.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a> {
    /// The session.
    pub session: &'a Session,
    /// How messages and graph come into being.
    pub growth: &'a Growth,
    /// The token budget τ.
    pub budget: u64,
    /// The options.
    pub options: &'a PolicyOptions,
}

/// One run of a policy over the turns of a session.
pub trait PolicyRun {
    /// Takes note of a change before the next request; the ledger has it already.
    fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog);

    /// Evicts before the request of a turn, after all of its changes came in.
    fn pass(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog);
}

/// A row of the registry.
#[derive(Debug)]
pub struct Policy {
    /// The name that people type.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it remembers.
    pub memory: Memory,
    /// The options that it has beyond the common ones, with their defaults.
    pub options: &'static [OptionSpec],
    begin: for<'a> fn(Stage<'a>) -> Box<dyn PolicyRun + 'a>,
}

impl Policy {
    /// All policies; a new one is one file and one row.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "cwl",
            source: "Beyond Compaction (arXiv 2606.11213), section 4.4, Algorithm 1",
            memory: Memory::Carried,
            options: CWL_OPTIONS,
            begin: cwl::begin,
        },
        Self {
            name: "none",
            source: "the history as it is",
            memory: Memory::Carried,
            options: &[],
            begin: none::begin,
        },
    ];

    /// Finds a policy by its name.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|policy| policy.name == name)
    }

    /// Begins a run.
    pub fn begin<'a>(&self, stage: Stage<'a>) -> Box<dyn PolicyRun + 'a> {
        (self.begin)(stage)
    }
}
