//! Captured bodies: requests that the harness kept as it sent them, beside what this program reconstructs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ItemKindDto, RoleDto, ViewDto};

/// Asks how far captured bodies and the reconstruction agree.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedRequest {
    /// The session.
    pub session: u32,
    /// The branch and the tokenizer; policy and budget do not matter.
    pub view: ViewDto,
    /// The folder; `null` looks beside the log.
    pub folder: Option<String>,
    /// The turn whose differences are listed; `null` counts only.
    pub turn: Option<u32>,
}

/// The captured bodies of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedDto {
    /// The folder; `null` where there is none beside the log.
    pub folder: Option<String>,
    /// How many answered requests of this session its index names.
    pub n_requests: u32,
    /// How many of these are of no turn of this branch: titles, compactions, other branches.
    pub n_without_turn: u32,
    /// How many of the others have lost their file, or have one that is no request.
    pub n_unreadable: u32,
    /// The turns with a captured body, in order.
    pub turns: Vec<CapturedTurnDto>,
    /// The agreement over all these turns: equal tokens of each thousand in body and log; `null` without turns.
    pub per_mille: Option<u32>,
    /// The result, as a sentence without its end.
    pub says: String,
}

/// One turn whose request was captured. Sizes are tokens by the view's tokenizer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedTurnDto {
    /// The turn.
    pub turn: u32,
    /// The name of the file.
    pub file: String,
    /// The size of the system prompt.
    pub system: u64,
    /// The size of the definitions of tools.
    pub tools: u64,
    /// How many tools are defined.
    pub n_tools: u32,
    /// Blocks of messages that body and log both have, in one order.
    pub same: u64,
    /// Blocks that only the log has.
    pub only_log: u64,
    /// Blocks that only the body has.
    pub only_body: u64,
    /// The differences in model order; empty where they were not asked for.
    pub differences: Vec<CapturedBlockDto>,
}

/// A block that only one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedBlockDto {
    /// The block in the log; `null` where only the body has it.
    pub block: Option<String>,
    /// The role of its message.
    pub role: RoleDto,
    /// Its kind.
    pub kind: ItemKindDto,
    /// Its size, tokens.
    pub tokens: u64,
    /// The start of its text.
    pub text: String,
}

/// Asks for the captured body of one turn.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedBodyRequest {
    /// The session. Its bodies are looked for beside its log.
    pub session: u32,
    /// The branch and the tokenizer; policy and budget do not matter.
    pub view: ViewDto,
    /// The turn.
    pub turn: u32,
}

/// The captured body of one turn, block by block beside the reconstruction. Sizes are tokens by the view's tokenizer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedBodyDto {
    /// The turn.
    pub turn: u32,
    /// The name of the file; `null` where no request of this turn was captured.
    pub file: Option<String>,
    /// How far reconstruction and body agree at this turn, as a sentence without its end.
    pub says: String,
    /// The texts of the system prompt.
    pub system: Vec<CapturedPartDto>,
    /// The definitions of tools.
    pub tools: Vec<CapturedPartDto>,
    /// The blocks of both sides in model order; equal ones that follow each other are one row.
    pub rows: Vec<CapturedRowDto>,
    /// How many rows more there are than the first 2,000, which are listed.
    pub n_more: u32,
}

/// A part of a captured body that is no message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedPartDto {
    /// The name of a tool, where the definition says it.
    pub name: Option<String>,
    /// Its size, tokens.
    pub tokens: u64,
    /// Its text, at most the first 200,000 characters.
    pub text: String,
    /// How many characters the whole of it has.
    pub n_chars: u64,
}

/// Equal blocks, or one block that only one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CapturedRowDto {
    /// The side that has it.
    pub side: CapturedSideDto,
    /// How many blocks it stands for.
    pub n: u32,
    /// Their size, tokens.
    pub tokens: u64,
    /// The first block in the log; `null` where only the body has it.
    pub block: Option<String>,
    /// The line of its record, from 1; `null` where only the body has it.
    pub line: Option<u64>,
    /// The role of its message; that of the first where there are several.
    pub role: RoleDto,
    /// Its kind; that of the first.
    pub kind: ItemKindDto,
    /// The start of its text; empty where both sides have it.
    pub text: String,
}

/// The side of a comparison with a captured body that has a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapturedSideDto {
    /// Both, in the same order.
    Both,
    /// Only the context that this program reconstructs from the log.
    Log,
    /// Only the body that the harness captured.
    Body,
}
