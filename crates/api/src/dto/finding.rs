//! Findings: what a verification of a policy's passes says, what was read again too late, and what acts forgot to name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CodeDto, ProblemDto, SeverityDto};

/// Something that a pass did and should not have done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindingDto {
    /// The stable code, `V…`.
    pub code: String,
    /// How grave it is.
    pub severity: SeverityDto,
    /// The first turn that has it.
    pub turn: u32,
    /// The last turn that has it; `null` where it lasts to the end.
    pub last_turn: Option<u32>,
    /// The step of the first turn that brought it about, from 1; `null` where no single step did.
    pub step: Option<u32>,
    /// The block that it is about, `ENTRY:INDEX`.
    pub block: Option<String>,
    /// The block's line in the log, from 1.
    pub line: Option<u64>,
    /// True when it is about a pin or a probe of the human's.
    pub watched: bool,
    /// The finding, as a sentence without its end.
    pub message: String,
}

/// The result of verifying all passes. Columns have one value per turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FindingsDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// How many findings each turn has.
    pub by_turn: Vec<u32>,
    /// Open loops (active episodes, calls not yet answered, unfinished items) in the context before each pass.
    pub loops_before: Vec<u32>,
    /// The same after each pass.
    pub loops_after: Vec<u32>,
    /// How many findings there are in all.
    pub n_findings: u32,
    /// The findings in the order of their first turns, those of pins and probes always, of the others the first
    /// `FINDINGS_LISTED`.
    pub findings: Vec<FindingDto>,
}

/// How many findings are listed beside those of pins and probes.
pub const FINDINGS_LISTED: usize = 200;

/// The episodes of which something was read again after the policy had evicted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretsDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// In start order.
    pub regrets: Vec<RegretDto>,
    /// How many things the agent got again.
    pub n_stories: u32,
    /// The turns whose replies got something again, in order; also where what they missed belongs to no episode.
    pub turns: Vec<u32>,
}

/// The blocks of one episode that were read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct RegretDto {
    /// The episode, by its place in the graph.
    pub episode: u32,
    /// How many of its blocks.
    pub n_blocks: u32,
    /// The first turn at which one of them was gone.
    pub gone_turn: u32,
    /// The first turn whose reply got one of them again.
    pub again_turn: u32,
}

/// The explorations that acts use and do not name, as the texts tell; hints, and no breach of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct UndeclaredDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// By act and exploration, in start order.
    pub hints: Vec<UndeclaredHintDto>,
    /// The meaning of the hints' codes.
    pub codes: Vec<CodeDto>,
}

/// One exploration that an act uses and does not name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct UndeclaredHintDto {
    /// The hint as a list of problems shows it; its episode is the act, its place the first use.
    pub problem: ProblemDto,
    /// The exploration, by its place in the graph.
    pub on: u32,
    /// How many names of it the act uses.
    pub n_names: u32,
    /// The first of them: paths, then commands, then symbols.
    pub names: Vec<String>,
}
