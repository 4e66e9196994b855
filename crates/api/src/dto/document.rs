//! JSON documents: answers as scripts read them, each with its schema and what it is about.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    AnnotationDto, AnnotationSourceDto, BranchesDto, BudgetSourceDto, CapturedDto, ChoiceDto, CompactionsDto,
    CompareDto, ContextDto, CorpusDto, EvictedDto, FindingsDto, FormatsDto, GraphDto, HistoryDto,
    LintCountsDto, LintReportDto, ModelsDto, PoliciesDto, QualityFigureDto, RecoveryDto, RegretStoriesDto,
    ReplayDto, SessionCostDto, SessionDto, SessionsDto, SideBySideDto, SweepDto, TablesDto, TraceDto,
    TurnDto,
};

/// An answer as a JSON document: its own members, and these.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DocumentDto<T> {
    /// The form of the document.
    pub schema: SchemaDto,
    /// The session and the view that the answer is about; missing where it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<AboutDto>,
    /// The sessions and views of an answer about several, in their order; missing where it is about one or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about_each: Option<Vec<AboutDto>>,
    /// Where the budget comes from; missing where the answer is about no session or about several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_source: Option<BudgetSourceDto>,
    /// The answer.
    #[serde(flatten)]
    pub answer: T,
}

impl<T: DocumentAnswer> DocumentDto<T> {
    /// Makes a document that is about no session.
    pub fn new(answer: T) -> Self {
        Self::from_stream::<T>(answer)
    }
}

impl<T> DocumentDto<T> {
    /// Makes a document of an answer that is worked out while it is written, in the form of `A`.
    pub fn from_stream<A: DocumentAnswer>(answer: T) -> Self {
        let schema = SchemaDto::new(A::NAME, A::VERSION);
        Self { schema, about: None, about_each: None, budget_source: None, answer }
    }

    /// Says which session and view it is about.
    pub fn with_about(self, about: AboutDto) -> Self {
        Self { budget_source: Some(about.budget_source), about: Some(about), ..self }
    }

    /// Says which sessions and views it is about, where there may be several.
    pub fn about_each(self, about_each: Vec<AboutDto>) -> Self {
        Self { about_each: Some(about_each), ..self }
    }
}

/// The form of a document. A member that is added keeps the version; one that goes or means something else raises it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SchemaDto {
    /// The name by which `cwl schema` prints it.
    pub name: String,
    /// The version, from 1.
    pub version: u32,
}

impl SchemaDto {
    fn new(name: &str, version: u32) -> Self {
        Self { name: name.to_owned(), version }
    }
}

/// The session and the view that an answer is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AboutDto {
    /// The log's path.
    pub log: String,
    /// The log's format.
    pub format: String,
    /// The session's id as its log has it.
    pub session: Option<String>,
    /// The policy.
    pub policy: String,
    /// The policy's options that are not at their defaults, as they were set.
    pub options: BTreeMap<String, String>,
    /// The token budget τ, tokens.
    pub budget: u64,
    /// Where the budget comes from.
    pub budget_source: BudgetSourceDto,
    /// The unit of all counts: `provider`, or a tokenizer's name.
    pub tokenizer: String,
    /// Whether the agent marked episodes.
    pub annotation: AnnotationDto,
    /// Where the episodes of this answer come from.
    pub source: AnnotationSourceDto,
}

/// An answer that is a document of its own.
pub trait DocumentAnswer: Serialize + JsonSchema {
    /// The name of its schema.
    const NAME: &'static str;
    /// The version of its schema.
    const VERSION: u32 = 1;
}

/// Gives a schema its name and version as a title.
fn titled_schema(schema: schemars::Schema, name: &str, version: u32) -> serde_json::Value {
    let mut value = schema.to_value();
    value["title"] = format!("{name}, version {version}").into();
    value
}

macro_rules! answers {
    ($($answer:ty => $name:literal,)*) => {
        $(impl DocumentAnswer for $answer {
            const NAME: &'static str = $name;
        })*

        /// Returns the names of all documents, in the order of their declaration.
        pub fn schema_names() -> Vec<&'static str> {
            vec![$($name),*]
        }

        /// Returns the JSON schema of a document; `None` for an unknown name.
        pub fn schema_of(name: &str) -> Option<serde_json::Value> {
            match name {
                $($name => {
                    Some(titled_schema(schemars::schema_for!(DocumentDto<$answer>), $name, <$answer as DocumentAnswer>::VERSION))
                })*
                _ => None,
            }
        }
    };
}

answers! {
    TraceDto => "replay",
    SessionsDto => "sessions",
    GraphDto => "graph",
    ContextDto => "context",
    EvictedDto => "evicted",
    ReportDto => "report",
    LintReportDto => "lint",
    SweepDto => "sweep",
    CompareDto => "compare",
    SideBySideDto => "diff",
    SessionCostDto => "cost",
    CompactionsDto => "compactions",
    RecoveryDto => "recovery",
    RegretStoriesDto => "regrets",
    CapturedDto => "captured",
    TurnDto => "turn",
    ImportedDto => "imported",
    PoliciesDto => "policies",
    FormatsDto => "formats",
    ModelsDto => "models",
    TablesDto => "tables",
    BranchesDto => "branches",
    CorpusDto => "corpus",
    ChoiceDto => "choose",
}

/// A session on one page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportDto {
    /// The session, with its problems.
    pub session: SessionDto,
    /// Its episodes.
    pub graph: GraphDto,
    /// The sizes of its requests as the harness sent them.
    pub history: HistoryDto,
    /// The replay of the policy.
    pub replay: ReplayDto,
    /// The findings of the verification.
    pub findings: FindingsDto,
    /// Its cost as the provider reported it.
    pub cost: SessionCostDto,
    /// How many findings `cwl lint` lists.
    pub lint: LintCountsDto,
    /// The annotation in figures, each with its parts; none without an episode.
    pub quality: Vec<QualityFigureDto>,
}

/// A log that was read into the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedDto {
    /// The log's path.
    pub path: String,
    /// The number of the session in the store.
    pub session: u32,
    /// The number of requests that have a reply.
    pub n_turns: u32,
    /// The number of blocks.
    pub n_blocks: u32,
    /// The number of problems of the log and its annotation.
    pub n_problems: u32,
}

impl ImportedDto {
    /// Tells of a session that was read into the store.
    pub fn from_session(session: &SessionDto) -> Self {
        Self {
            path: session.path.clone(),
            session: session.session,
            n_turns: session.n_turns.saturating_sub(1),
            n_blocks: session.n_blocks,
            n_problems: u32::try_from(session.problems.len()).unwrap_or(u32::MAX),
        }
    }
}
