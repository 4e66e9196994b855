//! The table of a corpus in the window: which columns there are, and its rows, some at a time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRequest {
    /// The folder of its tables.
    pub folder: String,
}

/// A corpus as the window shows it: its columns, and what its rows can be chosen by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusViewDto {
    /// The folder of its tables, in full.
    pub folder: String,
    /// Its logs, those that could not be read among them.
    pub n_logs: u32,
    /// Those of them that could not be read.
    pub n_unread: u32,
    /// The parts that are not finished, whose logs are left out.
    pub n_unfinished: u32,
    /// The logs whose place is known, so that they can be opened.
    pub n_placed: u32,
    /// True where the tables hold texts; else names are hashes.
    pub has_texts: bool,
    /// All columns that can be shown, in the order of the table `sessions`; those of the runs are last.
    pub columns: Vec<CorpusColumnDto>,
    /// The harnesses, by name.
    pub harnesses: Vec<String>,
    /// The formats, by name.
    pub formats: Vec<String>,
    /// The models, by name: as the logs name them where the tables hold texts, else the rows of the table of prices.
    pub models: Vec<String>,
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusColumnDto {
    /// Its name, which is that in the tables.
    pub name: String,
    /// The kind of its values.
    pub kind: CorpusKindDto,
    /// Its unit; empty where it has none.
    pub unit: String,
    /// Its meaning, a sentence.
    pub about: String,
    /// True where it is shown unless the user chooses otherwise.
    pub usual: bool,
}

/// The kinds of values that are written in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CorpusKindDto {
    /// A text, a hash or a word.
    Text,
    /// A whole number.
    Number,
    /// A size, bytes.
    Bytes,
    /// Money, millionths of a US dollar.
    Money,
    /// A share, per mille.
    PerMille,
    /// A number with a fraction.
    Ratio,
    /// A moment, milliseconds since 1970.
    Time,
    /// True or false.
    Flag,
}

/// Asks for some rows of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowsRequest {
    /// The folder of the corpus.
    pub folder: String,
    /// The columns that are wanted, by name.
    pub columns: Vec<String>,
    /// Words, each of which a row has in its name, path, folder, harness, format, model or problem; empty for all rows.
    #[serde(default)]
    pub find: String,
    /// The harness that wrote the log.
    #[serde(default)]
    pub harness: Option<String>,
    /// The format of the log.
    #[serde(default)]
    pub format: Option<String>,
    /// The model, as in the list of models.
    #[serde(default)]
    pub model: Option<String>,
    /// The column by which the rows are sorted; without one they stand as in the tables.
    #[serde(default)]
    pub sort: Option<String>,
    /// True begins with the largest. What has no value stands last either way.
    #[serde(default)]
    pub down: bool,
    /// The place of the first row that is wanted, from 0.
    pub offset: u32,
    /// How many rows are wanted at most.
    pub limit: u32,
}

/// Some rows of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowsDto {
    /// How many rows there are in all that were asked for.
    pub n_rows: u32,
    /// The rows.
    pub rows: Vec<CorpusRowDto>,
}

/// A row of the table: one log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
pub struct CorpusRowDto {
    /// The hash that names the log in all tables.
    pub log: String,
    /// Its title; where that is a hash, the name of its file; where that is not known, the hash that names it.
    pub name: String,
    /// True where the name is a hash.
    pub is_hashed: bool,
    /// The name that opens it; `null` where its place is not known, and where it could not be read.
    pub target: Option<String>,
    /// The reason why it could not be read, as a word.
    pub problem: Option<String>,
    /// The policy of the tables, under which it opens.
    pub policy: Option<String>,
    /// Its budget, tokens.
    pub budget: Option<u64>,
    /// The values of the columns that were asked for.
    pub cells: Vec<CorpusCellDto>,
}

/// One value of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(untagged)]
pub enum CorpusCellDto {
    /// No value.
    Null,
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text, a hash or a word.
    Text(String),
}
