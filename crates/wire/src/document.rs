//! JSON documents: answers for scripts, each with a schema version and its subject.

use cwl_inspect::api::{
    BranchesAnswer, BudgetOrigin, CompactionsAnswer, CompareAnswer, ContextAnswer, CostAnswer,
    DocumentSubject, EvictedAnswer, FindingsAnswer, GraphAnswer, HistoryAnswer, LintCounts, LintReport,
    MarksFile, OverviewLine, QualityFigure, ReacquisitionStoriesAnswer, RecoveryAnswer, ReplayAnswer,
    SessionAnswer, SideBySideAnswer, SweepAnswer, TraceAnswer, TurnAnswer, VerdictAnswer, WithVerdict,
};
use cwl_inspect::present::pieces::InPieces;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    CapturedAnswer, ChooseAnswer, CorpusAnswer, FormatsAnswer, LiveProcessesAnswer, ModelsAnswer,
    PoliciesAnswer, ProxyStatus, SessionsAnswer, TablesAnswer, TrialAnswer,
};

/// An answer as a JSON document. The members of `answer` stand beside `schema`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<T> {
    pub schema: SchemaVersion,
    /// Missing unless `answer` concerns exactly one session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<DocumentSubject>,
    /// The sessions and views compared by `answer`, in order. Missing if there are fewer than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about_each: Option<Vec<DocumentSubject>>,
    /// Missing unless `answer` concerns exactly one session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_source: Option<BudgetOrigin>,
    #[serde(flatten)]
    pub answer: T,
}

impl<T: DocumentAnswer> Document<T> {
    pub fn new(answer: T) -> Self {
        Self::from_stream::<T>(answer)
    }
}

impl<T> Document<T> {
    /// Wraps a value that serialises lazily in the form of `A`.
    pub fn from_stream<A: DocumentAnswer>(answer: T) -> Self {
        let schema = SchemaVersion::new(A::NAME, A::VERSION);
        Self { schema, about: None, about_each: None, budget_source: None, answer }
    }

    pub fn with_about(self, about: DocumentSubject) -> Self {
        Self { budget_source: Some(about.budget_source), about: Some(about), ..self }
    }

    pub fn about_each(self, about_each: Vec<DocumentSubject>) -> Self {
        Self { about_each: Some(about_each), ..self }
    }
}

/// A document's schema. Adding a member keeps `version`; removing one or changing its meaning raises it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SchemaVersion {
    pub name: String,
    pub version: u32,
}

impl SchemaVersion {
    fn new(name: &str, version: u32) -> Self {
        Self { name: name.to_owned(), version }
    }
}

pub trait DocumentAnswer: Serialize + JsonSchema {
    const NAME: &'static str;
    const VERSION: u32 = 1;
}

impl<T: DocumentAnswer> DocumentAnswer for InPieces<'_, T> {
    const NAME: &'static str = T::NAME;
    const VERSION: u32 = T::VERSION;
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
                    Some(titled_schema(schemars::schema_for!(Document<$answer>), $name, <$answer as DocumentAnswer>::VERSION))
                })*
                "marks" => Some(marks_schema()),
                _ => None,
            }
        }
    };
}

/// The schema of marks as `cwl annotate` takes them. They are no document: people and models write them.
fn marks_schema() -> serde_json::Value {
    let mut value = titled_schema(schemars::schema_for!(MarksFile), "marks", 1);
    value["additionalProperties"] = false.into();
    let mark = &mut value["$defs"]["FileMark"];
    mark["additionalProperties"] = false.into();
    mark["properties"]["type"]["enum"] = serde_json::json!(["expl", "act"]);
    value
}

answers! {
    TraceAnswer => "replay",
    SessionsAnswer => "sessions",
    GraphAnswer => "graph",
    ContextAnswer => "context",
    EvictedAnswer => "evicted",
    ReportAnswer => "report",
    LintReport => "lint",
    WithVerdict<SweepAnswer> => "sweep" version 2,
    WithVerdict<CompareAnswer> => "compare" version 2,
    SideBySideAnswer => "diff",
    CostAnswer => "cost",
    CompactionsAnswer => "compactions",
    RecoveryAnswer => "recovery",
    ReacquisitionStoriesAnswer => "reacquisitions",
    CapturedAnswer => "captured",
    TurnAnswer => "turn",
    ImportAnswer => "imported",
    PoliciesAnswer => "policies",
    FormatsAnswer => "formats",
    ModelsAnswer => "models",
    TablesAnswer => "tables",
    BranchesAnswer => "branches",
    CorpusAnswer => "corpus",
    ChooseAnswer => "choose",
    TrialAnswer => "trial",
    ProxyStatus => "proxy",
    LiveProcessesAnswer => "live",
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportAnswer {
    pub session: SessionAnswer,
    /// Independent of the simulated policy.
    pub happened: Vec<OverviewLine>,
    pub graph: GraphAnswer,
    pub history: HistoryAnswer,
    pub replay: ReplayAnswer,
    pub verdict: VerdictAnswer,
    pub findings: FindingsAnswer,
    pub cost: CostAnswer,
    pub lint: LintCounts,
    pub quality: Vec<QualityFigure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportAnswer {
    pub path: String,
    pub session: u32,
    pub n_turns: u32,
    pub n_blocks: u32,
    pub n_problems: u32,
}

impl ImportAnswer {
    pub fn from_session(session: &SessionAnswer) -> Self {
        Self {
            path: session.path.clone(),
            session: session.session,
            n_turns: session.n_turns.saturating_sub(1),
            n_blocks: session.n_blocks,
            n_problems: u32::try_from(session.problems.len()).unwrap_or(u32::MAX),
        }
    }
}
