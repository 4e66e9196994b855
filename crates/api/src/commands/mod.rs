//! The commands, declared once: the router, the list of names and the TypeScript interface come from it.

pub(crate) mod body;
mod compare;
pub(crate) mod context;
mod diff;
pub(crate) mod episode;
mod evicted;
mod find;
mod findings;
mod graph;
mod image;
mod notes;
mod regrets;
pub(crate) mod replay;
mod saved;
pub(crate) mod search;
pub(crate) mod session;
mod store;
pub(crate) mod sweep;
mod undeclared;

pub(crate) use body::find_named;
pub use body::{block, body, compact_body};
pub use compare::{compare, compare_blocks};
pub use context::{context, context_in_full, context_text};
pub use diff::diff;
pub use episode::episode;
pub use evicted::{evicted, evicted_in_full};
pub use find::{find, marks, place};
pub use findings::findings;
pub use graph::graph;
pub use image::image;
pub use regrets::regrets;
pub use replay::{kept, left, levels, replay, steps};
pub use session::session;
pub use sweep::sweep;
pub use undeclared::undeclared;

use crate::measure::opened::Opened;
use crate::{Answer, ApiError, ErrorCode};

/// Reads the arguments of a command.
pub(crate) fn read_args<T: serde::de::DeserializeOwned>(
    name: &str,
    args: serde_json::Value,
) -> Result<T, ApiError> {
    // No arguments at all are the empty ones.
    let args = if args.is_null() { serde_json::json!({}) } else { args };
    serde_json::from_value(args).map_err(|error| {
        ApiError::new(ErrorCode::BadRequest, format!("the arguments of `{name}` do not fit ({error})"))
    })
}

/// Writes an answer as JSON.
pub(crate) fn write_json(value: &impl serde::Serialize) -> Result<Answer, ApiError> {
    serde_json::to_string(value).map(Answer::Json).map_err(ApiError::internal)
}

macro_rules! commands {
    (
        host { $($host:ident: $HostRequest:ident => $HostAnswer:ident;)* }
        host_bytes { $($host_raw:ident: $HostRawRequest:ident;)* }
        session { $($command:ident: $Request:ident => $Reply:ident, $run:path;)* }
        bytes { $($raw:ident: $RawRequest:ident, $raw_run:path;)* }
        spaced { $($spaced:ident: $SpacedRequest:ident => $SpacedReply:ident, $spaced_run:path;)* }
    ) => {
        /// The names of all commands.
        pub const NAMES: &[&str] = &[
            $(stringify!($host),)* $(stringify!($host_raw),)* $(stringify!($command),)* $(stringify!($raw),)* $(stringify!($spaced),)*
        ];


        /// Answers a command of the host itself; `None` where it is none.
        pub(crate) async fn dispatch_host(
            host: &std::sync::Arc<crate::Inspector>,
            name: &str,
            args: &serde_json::Value,
        ) -> Option<Result<Answer, ApiError>> {
            match name {
                $(stringify!($host) => Some(async {
                    let request: crate::dto::$HostRequest = read_args(name, args.clone())?;
                    let answer: crate::dto::$HostAnswer = host.$host(request).await?;
                    write_json(&answer)
                }.await),)*
                $(stringify!($host_raw) => Some(async {
                    let request: crate::dto::$HostRawRequest = read_args(name, args.clone())?;
                    host.$host_raw(request).await.map(Answer::Bytes)
                }.await),)*
                _ => None,
            }
        }

        /// Answers a command about an opened session; `find` gives the session of a number.
        ///
        /// # Errors
        /// Those of the command, and where there is no command of that name or its arguments do not fit.
        pub fn dispatch_session<O: AsRef<Opened>>(
            name: &str,
            args: serde_json::Value,
            find: impl FnOnce(u32) -> Result<O, ApiError>,
        ) -> Result<Answer, ApiError> {
            match name {
                $(stringify!($command) => {
                    let request: crate::dto::$Request = read_args(name, args)?;
                    let answer: crate::dto::$Reply = $run(find(request.session)?.as_ref(), &request)?;
                    write_json(&answer)
                })*
                $(stringify!($raw) => {
                    let request: crate::dto::$RawRequest = read_args(name, args)?;
                    $raw_run(find(request.session)?.as_ref(), &request).map(Answer::Bytes)
                })*
                $(stringify!($spaced) => {
                    let request: crate::dto::$SpacedRequest = read_args(name, args)?;
                    let answer: crate::dto::$SpacedReply = $spaced_run(find(request.session)?.as_ref(), &request)?;
                    let mut bytes = Vec::new();
                    crate::present::trace::write_spaced(&answer, &mut bytes).map_err(ApiError::internal)?;
                    String::from_utf8(bytes).map(Answer::Json).map_err(ApiError::internal)
                })*
                _ => Err(ApiError::new(ErrorCode::BadRequest, format!("no command `{name}`"))
                    .hint(format!("commands are {}", NAMES.join(", ")))),
            }
        }

        /// Returns the TypeScript interface of all commands.
        pub fn typescript() -> String {
            let rows: &[(&str, &str, &str)] = &[
                $((stringify!($host), stringify!($HostRequest), stringify!($HostAnswer)),)*
                $((stringify!($command), stringify!($Request), stringify!($Reply)),)*
                $((stringify!($host_raw), stringify!($HostRawRequest), "Uint8Array"),)*
                $((stringify!($raw), stringify!($RawRequest), "Uint8Array"),)*
                $((stringify!($spaced), stringify!($SpacedRequest), stringify!($SpacedReply)),)*
            ];
            typescript_of(rows)
        }
    };
}

commands! {
    host {
        defaults: DefaultsRequest => DefaultsDto;
        sessions: SessionsRequest => SessionsDto;
        open: OpenRequest => SessionDto;
        cancel: CancelRequest => CancelDto;
        search: SearchRequest => SearchDto;
        sweep: SweepRequest => SweepDto;
        notes: NotesRequest => NotesDto;
        save_note: SaveNoteRequest => SavedDto;
        remove_note: RemoveNoteRequest => RemovedDto;
        pin: PinRequest => PinDto;
        saved_views: SavedViewsRequest => SavedViewsDto;
        save_view: SaveViewRequest => SavedDto;
        remove_view: RemoveViewRequest => RemovedDto;
        store: StoreRequest => StoreDto;
    }
    host_bytes {
        export: ExportRequest;
    }
    session {
        session: SessionRequest => SessionDto, session::session;
        graph: ViewRequest => GraphDto, graph::graph;
        replay: ViewRequest => ReplayDto, replay::replay;
        steps: StepsRequest => StepsDto, replay::steps;
        findings: ViewRequest => FindingsDto, findings::findings;
        regrets: ViewRequest => RegretsDto, regrets::regrets;
        undeclared: ViewRequest => UndeclaredDto, undeclared::undeclared;
        context: ContextRequest => ContextDto, context::context;
        context_text: ContextTextRequest => ContextTextDto, context::context_text;
        block: BlockRequest => BlockDto, body::block;
        image: ImageRequest => ImageDto, image::image;
        evicted: EvictedRequest => EvictedDto, evicted::evicted;
        diff: DiffRequest => DiffDto, diff::diff;
        find: FindRequest => FindDto, find::find;
        marks: MarksRequest => MarksDto, find::marks;
        place: PlaceRequest => PlaceDto, find::place;
        episode: EpisodeRequest => EpisodeDetailDto, episode::episode;
        body: BodyRequest => BodyDto, body::body;
        compare: CompareRequest => CompareDto, compare::compare;
        compare_blocks: CompareBlocksRequest => CompareBlocksDto, compare::compare_blocks;
    }
    bytes {
        levels: CutRequest, replay::levels;
        left: CutRequest, replay::left;
    }
    spaced {
        trace: ViewRequest => TraceDto, crate::present::trace::trace;
    }
}

fn typescript_of(rows: &[(&str, &str, &str)]) -> String {
    let mut types: Vec<&str> = rows.iter().flat_map(|(_, request, answer)| [*request, *answer]).collect();
    types.sort_unstable();
    types.dedup();
    let mut text = String::from(
        "// This file is generated from the list of commands. Do not edit it: run `make gen`.\n",
    );
    for name in types.iter().filter(|name| **name != "Uint8Array") {
        text.push_str(&format!("import type {{ {name} }} from \"./{name}\";\n"));
    }
    text.push_str("\n/**\n * Every command of the host: what it is asked with and what it answers.\n */\n");
    text.push_str("export interface Commands {\n");
    for (name, request, answer) in rows {
        text.push_str(&format!("  {name}: {{ request: {request}; response: {answer} }};\n"));
    }
    text.push_str("}\n");
    text
}
