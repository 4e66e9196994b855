//! The commands, declared once: the router, the list of names and the TypeScript interface come from it.

use std::sync::Arc;

use crate::commands;
use crate::host::inspector::{Inspector, blocking};
use crate::measure::opened::Opened;
use crate::{ApiError, ErrorCode};

/// An answer as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// JSON.
    Json(String),
    /// Raw bytes.
    Bytes(Vec<u8>),
}

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
        columns { $($wide:ident: $WideRequest:ident => $WideReply:ident, $wide_run:path;)* }
        spaced { $($spaced:ident: $SpacedRequest:ident => $SpacedReply:ident, $spaced_run:path;)* }
    ) => {
        /// The names of all commands.
        pub const NAMES: &[&str] = &[
            $(stringify!($host),)* $(stringify!($host_raw),)* $(stringify!($command),)* $(stringify!($wide),)* $(stringify!($spaced),)*
        ];


        /// Answers a command of the host itself; `None` where it is none.
        pub(crate) async fn dispatch_host(
            host: &Arc<Inspector>,
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
                $(stringify!($wide) => {
                    let request: crate::dto::$WideRequest = read_args(name, args)?;
                    let answer: crate::dto::$WideReply = $wide_run(find(request.session)?.as_ref(), &request)?;
                    commands::columns::pack(answer).map(Answer::Bytes)
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
                $((stringify!($wide), stringify!($WideRequest), stringify!($WideReply)),)*
                $((stringify!($spaced), stringify!($SpacedRequest), stringify!($SpacedReply)),)*
            ];
            typescript_of(rows, &[$(stringify!($host_raw),)*], &[$(stringify!($wide),)*])
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
        session: SessionRequest => SessionDto, commands::session;
        findings: ViewRequest => FindingsDto, commands::findings;
        regrets: ViewRequest => RegretsDto, commands::regrets;
        undeclared: ViewRequest => UndeclaredDto, commands::undeclared;
        context: ContextRequest => ContextDto, commands::context;
        context_text: ContextTextRequest => ContextTextDto, commands::context_text;
        block: BlockRequest => BlockDto, commands::block;
        image: ImageRequest => ImageDto, commands::image;
        evicted: EvictedRequest => EvictedDto, commands::evicted;
        diff: DiffRequest => DiffDto, commands::diff;
        find: FindRequest => FindDto, commands::find;
        marks: MarksRequest => MarksDto, commands::marks;
        place: PlaceRequest => PlaceDto, commands::place;
        episode: EpisodeRequest => EpisodeDetailDto, commands::episode;
        body: BodyRequest => BodyDto, commands::body;
        compare: CompareRequest => CompareDto, commands::compare;
        compare_blocks: CompareBlocksRequest => CompareBlocksDto, commands::compare_blocks;
    }
    columns {
        frame: FrameRequest => FrameDto, commands::frame;
    }
    spaced {
        trace: ViewRequest => TraceDto, crate::present::trace::trace;
    }
}

impl Inspector {
    /// Answers a command by its name and JSON arguments.
    ///
    /// # Errors
    /// With the code that tells why.
    pub async fn dispatch(self: &Arc<Self>, name: &str, args: serde_json::Value) -> Result<Answer, ApiError> {
        if let Some(answer) = dispatch_host(self, name, &args).await {
            return answer;
        }
        if let Some(session) = args.get("session").and_then(serde_json::Value::as_u64)
            && let Ok(session) = u32::try_from(session)
            && !crate::recent::locked(&self.opened).contains_key(&session)
        {
            // A link into a session that this process has not opened yet.
            self.open_target(session.to_string(), None).await?;
        }
        let (host, name) = (Arc::clone(self), name.to_owned());
        blocking(move || {
            let answer =
                |args: serde_json::Value| dispatch_session(&name, args, |session| host.find(session));
            // A log that was started again meanwhile has another revision by now or very soon.
            match answer(args.clone()) {
                Err(error) if error.code == ErrorCode::Restarted => answer(args),
                answered => answered,
            }
        })
        .await
    }
}

fn typescript_of(rows: &[(&str, &str, &str)], in_bytes: &[&str], in_columns: &[&str]) -> String {
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
    for (name, about, commands) in [
        ("IN_BYTES", "The commands that answer bytes and no JSON.", in_bytes),
        (
            "IN_COLUMNS",
            "The commands whose answers hold columns of numbers behind a header of JSON.",
            in_columns,
        ),
    ] {
        text.push_str(&format!(
            "\n/** {about} */\nexport const {name}: readonly (keyof Commands)[] = {commands:?};\n"
        ));
    }
    text
}
