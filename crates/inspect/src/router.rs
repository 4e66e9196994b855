//! The commands that a snapshot answers alone, declared once: the host and the page without a host dispatch to them, and the
//! page's TypeScript follows from the same list.

use ts_rs::TypeVisitor;

use crate::commands::columns::{ColumnAnswer, InColumns};
use crate::measure::opened::SessionSnapshot;
use crate::present::trace::write_spaced;
use crate::{ApiError, ErrorCode, api, commands};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandAnswer {
    Json(String),
    Bytes(Vec<u8>),
}

/// The answer of a snapshot. A host that knows what its reader holds encodes columns itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotAnswer {
    Whole(CommandAnswer),
    Columns(ColumnAnswer),
}

impl SnapshotAnswer {
    pub fn encode_whole(self) -> CommandAnswer {
        match self {
            Self::Whole(answer) => answer,
            Self::Columns(columns) => CommandAnswer::Bytes(columns.encode(None, None)),
        }
    }
}

impl From<CommandAnswer> for SnapshotAnswer {
    fn from(answer: CommandAnswer) -> Self {
        Self::Whole(answer)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct CommandRow {
    pub name: &'static str,
    pub request: &'static str,
    /// True if the request has the number of a session beside its own fields ([`InSession`](api::InSession)).
    pub is_in_session: bool,
    pub answer: &'static str,
    pub form: &'static str,
}

impl CommandRow {
    pub const fn of_host([name, request, answer, form]: [&'static str; 4]) -> Self {
        Self { name, request, is_in_session: false, answer, form }
    }

    pub const fn in_session(names: [&'static str; 4]) -> Self {
        Self { is_in_session: true, ..Self::of_host(names) }
    }
}

/// Reads a command's arguments. Missing ones count as empty.
///
/// # Errors
/// If they do not fit.
pub fn read_args<T: serde::de::DeserializeOwned>(name: &str, args: serde_json::Value) -> Result<T, ApiError> {
    let args = if args.is_null() { serde_json::json!({}) } else { args };
    serde_json::from_value(args).map_err(|error| {
        ApiError::new(ErrorCode::BadRequest, format!("the arguments of `{name}` do not fit ({error})"))
    })
}

/// Serialises `answer` as JSON.
///
/// # Errors
/// If that fails.
pub fn json<T: serde::Serialize>(answer: T) -> Result<CommandAnswer, ApiError> {
    serde_json::to_string(&answer).map(CommandAnswer::Json).map_err(ApiError::from_internal)
}

fn spaced<T: serde::Serialize>(answer: T) -> Result<CommandAnswer, ApiError> {
    let mut bytes = Vec::new();
    write_spaced(&answer, &mut bytes).map_err(ApiError::from_internal)?;
    String::from_utf8(bytes).map(CommandAnswer::Json).map_err(ApiError::from_internal)
}

fn columns<T: InColumns>(answer: T) -> Result<SnapshotAnswer, ApiError> {
    ColumnAnswer::split(answer).map(SnapshotAnswer::Columns)
}

fn describe_session(opened: &SessionSnapshot, _: &api::EmptyRequest) -> Result<api::SessionAnswer, ApiError> {
    commands::session(opened)
}

/// Each row has a command's request, its answer, the function above that encodes the answer, and the function that gives it.
macro_rules! snapshot_commands {
    ($($command:ident: $Request:ident => $Reply:ident as $form:ident, $run:path;)*) => {
        pub const COMMANDS: &[CommandRow] =
            &[$(CommandRow::in_session([
                stringify!($command), stringify!($Request), stringify!($Reply), stringify!($form),
            ]),)*];

        /// Answers a command about an opened session; `find` looks up a session by number. `None` if `name` is another command.
        pub fn dispatch_snapshot<O: AsRef<SessionSnapshot>>(
            name: &str,
            args: serde_json::Value,
            find: impl FnOnce(u32) -> Result<O, ApiError>,
        ) -> Option<Result<SnapshotAnswer, ApiError>> {
            Some(match name {
                $(stringify!($command) => {
                    read_args(name, args).and_then(|api::InSession::<api::$Request> { session, request }| {
                        $form::<api::$Reply>($run(find(session)?.as_ref(), &request)?).map(Into::into)
                    })
                })*
                _ => return None,
            })
        }

        /// Visits the request and the answer of each command, to write their TypeScript. Generic, so that the visitor is
        /// compiled only in the generator.
        pub fn visit_types(visitor: &mut impl TypeVisitor) {
            $(visitor.visit::<api::$Request>(); visitor.visit::<api::$Reply>();)*
        }
    };
}

snapshot_commands! {
    session: EmptyRequest => SessionAnswer as json, describe_session;
    overview: ViewRequest => OverviewAnswer as json, commands::overview;
    findings: ViewRequest => FindingsAnswer as json, commands::findings;
    lint: ViewRequest => LintAnswer as json, commands::lint;
    reacquisitions: ViewRequest => ReacquisitionsAnswer as json, commands::reacquisitions;
    reacquisition_stories: ViewRequest => ReacquisitionStoriesAnswer as json, commands::reacquisition_stories;
    undeclared: ViewRequest => UndeclaredAnswer as json, commands::undeclared;
    worth: ViewRequest => WorthAnswer as json, commands::worth;
    compactions: ViewRequest => CompactionsAnswer as json, commands::compactions;
    recovery: RecoveryRequest => RecoveryAnswer as json, commands::recovery;
    page: PageRequest => PageAnswer as json, commands::page;
    context_text: ContextTextRequest => ContextTextAnswer as json, commands::context_text;
    block: BlockRequest => BlockAnswer as json, commands::block;
    image: ImageRequest => ImageAnswer as json, commands::image;
    find: FindRequest => FindAnswer as json, commands::find;
    matches: MatchesRequest => MatchesAnswer as json, commands::matches;
    place: PlaceRequest => PlaceAnswer as json, commands::place;
    episode: EpisodeRequest => EpisodeAnswer as json, commands::episode;
    body: BodyRequest => BodyAnswer as json, commands::body;
    compare: CompareRequest => CompareAnswer as json, commands::compare;
    verdict: VerdictRequest => VerdictAnswer as json, commands::verdict;
    duel: DuelRequest => DuelAnswer as json, commands::duel;
    compare_blocks: CompareBlocksRequest => CompareBlocksAnswer as json, commands::compare_blocks;
    frame: FrameRequest => FrameAnswer as columns, commands::frame;
    trace: ViewRequest => TraceAnswer as spaced, crate::present::trace::trace;
}
