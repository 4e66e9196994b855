//! JSON documents: answers for scripts, each with a schema version and its subject.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    AnnotationDto, AnnotationSourceDto, BranchesDto, BudgetSourceDto, CapturedDto, ChoiceDto, CompactionsDto,
    CompareDto, ContextDto, CorpusDto, EvictedDto, FindingsDto, FormatsDto, GraphDto, HistoryDto,
    LintCountsDto, LintReportDto, LiveProcessesDto, MarksFileDto, ModelsDto, OverviewLineDto, PoliciesDto,
    PolicyVerdictDto, ProxyDto, QualityFigureDto, ReacquisitionStoriesDto, RecoveryDto, ReplayDto,
    SessionCostDto, SessionDto, SessionsDto, SideBySideDto, SweepDto, TablesDto, TraceDto, TrialDto, TurnDto,
    WithVerdictDto,
};

/// An answer as a JSON document. The members of `answer` stand beside `schema`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DocumentDto<T> {
    pub schema: SchemaDto,
    /// Missing unless `answer` concerns exactly one session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<AboutDto>,
    /// The sessions and views compared by `answer`, in order. Missing if there are fewer than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about_each: Option<Vec<AboutDto>>,
    /// Missing unless `answer` concerns exactly one session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_source: Option<BudgetSourceDto>,
    #[serde(flatten)]
    pub answer: T,
}

impl<T: DocumentAnswer> DocumentDto<T> {
    pub fn new(answer: T) -> Self {
        Self::from_stream::<T>(answer)
    }
}

impl<T> DocumentDto<T> {
    /// Wraps a value that serialises lazily in the form of `A`.
    pub fn from_stream<A: DocumentAnswer>(answer: T) -> Self {
        let schema = SchemaDto::new(A::NAME, A::VERSION);
        Self { schema, about: None, about_each: None, budget_source: None, answer }
    }

    pub fn with_about(self, about: AboutDto) -> Self {
        Self { budget_source: Some(about.budget_source), about: Some(about), ..self }
    }

    pub fn about_each(self, about_each: Vec<AboutDto>) -> Self {
        Self { about_each: Some(about_each), ..self }
    }
}

/// A document's schema. Adding a member keeps `version`; removing one or changing its meaning raises it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SchemaDto {
    pub name: String,
    pub version: u32,
}

impl SchemaDto {
    fn new(name: &str, version: u32) -> Self {
        Self { name: name.to_owned(), version }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AboutDto {
    pub log: String,
    pub format: String,
    pub session: Option<String>,
    pub policy: String,
    pub options: BTreeMap<String, String>,
    pub budget: u64,
    pub budget_source: BudgetSourceDto,
    pub tokenizer: String,
    pub annotation: AnnotationDto,
    pub source: AnnotationSourceDto,
}

pub trait DocumentAnswer: Serialize + JsonSchema {
    const NAME: &'static str;
    const VERSION: u32 = 1;
}

fn titled_schema(schema: schemars::Schema, name: &str, version: u32) -> serde_json::Value {
    let mut value = schema.to_value();
    value["title"] = format!("{name}, version {version}").into();
    value
}

macro_rules! answers {
    ($($answer:ty => $name:literal $(version $version:literal)?,)*) => {
        $(impl DocumentAnswer for $answer {
            const NAME: &'static str = $name;
            $(const VERSION: u32 = $version;)?
        })*

        pub fn schema_names() -> Vec<&'static str> {
            vec![$($name),*]
        }

        /// Returns the JSON schema `name`, or `None` if there is none.
        pub fn schema_of(name: &str) -> Option<serde_json::Value> {
            match name {
                $($name => {
                    Some(titled_schema(schemars::schema_for!(DocumentDto<$answer>), $name, <$answer as DocumentAnswer>::VERSION))
                })*
                "marks" => Some(marks_schema()),
                _ => None,
            }
        }
    };
}

/// The schema of marks as `cwl annotate` takes them. They are no document: people and models write them.
fn marks_schema() -> serde_json::Value {
    let mut value = titled_schema(schemars::schema_for!(MarksFileDto), "marks", 1);
    value["additionalProperties"] = false.into();
    let mark = &mut value["$defs"]["MarkDto"];
    mark["additionalProperties"] = false.into();
    mark["properties"]["type"]["enum"] = serde_json::json!(["expl", "act"]);
    value
}

answers! {
    TraceDto => "replay",
    SessionsDto => "sessions",
    GraphDto => "graph",
    ContextDto => "context",
    EvictedDto => "evicted",
    ReportDto => "report",
    LintReportDto => "lint",
    WithVerdictDto<SweepDto> => "sweep" version 2,
    WithVerdictDto<CompareDto> => "compare" version 2,
    SideBySideDto => "diff",
    SessionCostDto => "cost",
    CompactionsDto => "compactions",
    RecoveryDto => "recovery",
    ReacquisitionStoriesDto => "reacquisitions",
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
    TrialDto => "trial",
    ProxyDto => "proxy",
    LiveProcessesDto => "live",
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportDto {
    pub session: SessionDto,
    /// Independent of the simulated policy.
    pub happened: Vec<OverviewLineDto>,
    pub graph: GraphDto,
    pub history: HistoryDto,
    pub replay: ReplayDto,
    pub verdict: PolicyVerdictDto,
    pub findings: FindingsDto,
    pub cost: SessionCostDto,
    pub lint: LintCountsDto,
    pub quality: Vec<QualityFigureDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedDto {
    pub path: String,
    pub session: u32,
    pub n_turns: u32,
    pub n_blocks: u32,
    pub n_problems: u32,
}

impl ImportedDto {
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
