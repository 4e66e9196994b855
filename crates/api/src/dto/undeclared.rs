//! Undeclared dependencies: explorations that acts use and do not name.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CodeDto, ProblemDto};

/// The explorations that acts use and do not name, as the texts tell; hints, and no breach of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct UndeclaredDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// By act and exploration, in start order.
    pub hints: Vec<UndeclaredHintDto>,
    /// The meaning of the hints' codes.
    pub codes: Vec<CodeDto>,
}

/// One exploration that an act uses and does not name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
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
