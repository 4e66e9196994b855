//! The commands, declared once. The declaration generates the router, the name list and the TypeScript
//! interface.

use std::collections::BTreeSet;
use std::sync::Arc;

use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::present::trace::write_spaced;

use crate::commands::columns::{InColumns, pack_columns};
use crate::host::inspector::Inspector;
use crate::{ApiError, ErrorCode, commands, dto};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandAnswer {
    Json(String),
    Bytes(Vec<u8>),
}

fn read_args<T: serde::de::DeserializeOwned>(name: &str, args: serde_json::Value) -> Result<T, ApiError> {
    // Missing arguments count as empty ones.
    let args = if args.is_null() { serde_json::json!({}) } else { args };
    serde_json::from_value(args).map_err(|error| {
        ApiError::new(ErrorCode::BadRequest, format!("the arguments of `{name}` do not fit ({error})"))
    })
}

fn json<T: serde::Serialize>(answer: T) -> Result<CommandAnswer, ApiError> {
    serde_json::to_string(&answer).map(CommandAnswer::Json).map_err(ApiError::from_internal)
}

/// Serialises `answer` as spaced JSON, like traces.
fn spaced<T: serde::Serialize>(answer: T) -> Result<CommandAnswer, ApiError> {
    let mut bytes = Vec::new();
    write_spaced(&answer, &mut bytes).map_err(ApiError::from_internal)?;
    String::from_utf8(bytes).map(CommandAnswer::Json).map_err(ApiError::from_internal)
}

fn columns<T: InColumns>(answer: T) -> Result<CommandAnswer, ApiError> {
    pack_columns(answer).map(CommandAnswer::Bytes)
}

/// Passes on the bytes that a command encoded from its `T`.
#[expect(clippy::extra_unused_type_parameters, reason = "the list of commands says what the bytes hold")]
fn bytes<T>(bytes: Vec<u8>) -> Result<CommandAnswer, ApiError> {
    Ok(CommandAnswer::Bytes(bytes))
}

/// Each row has a command's request, its answer, and the function above that encodes the answer.
macro_rules! commands {
    (
        host { $($host:ident: $HostRequest:ident => $HostReply:ident as $host_form:ident;)* }
        session { $($command:ident: $Request:ident => $Reply:ident as $form:ident, $run:path;)* }
    ) => {
        pub const NAMES: &[&str] = &[$(stringify!($host),)* $(stringify!($command),)*];

        /// Answers a host command; `None` if `name` is another command.
        fn dispatch_host(
            host: &Arc<Inspector>,
            name: &str,
            args: &serde_json::Value,
        ) -> Option<Result<CommandAnswer, ApiError>> {
            Some(match name {
                $(stringify!($host) => read_args(name, args.clone())
                    .and_then(|request: dto::$HostRequest| host.$host(request))
                    .and_then($host_form::<dto::$HostReply>),)*
                _ => return None,
            })
        }

        /// Answers a command about an opened session; `find` looks up a session by number.
        ///
        /// # Errors
        /// If the command fails, is unknown, or does not accept the arguments.
        pub fn dispatch_session<O: AsRef<SessionSnapshot>>(
            name: &str,
            args: serde_json::Value,
            find: impl FnOnce(u32) -> Result<O, ApiError>,
        ) -> Result<CommandAnswer, ApiError> {
            match name {
                $(stringify!($command) => {
                    let request: dto::$Request = read_args(name, args)?;
                    $form::<dto::$Reply>($run(find(request.session)?.as_ref(), &request)?)
                })*
                _ => Err(ApiError::new(ErrorCode::BadRequest, format!("no command `{name}`"))
                    .with_hint(format!("commands are {}", NAMES.join(", ")))),
            }
        }

        /// Each command's name, request, answer and encoding.
        const COMMANDS: &[[&str; 4]] = &[
            $([stringify!($host), stringify!($HostRequest), stringify!($HostReply), stringify!($host_form)],)*
            $([stringify!($command), stringify!($Request), stringify!($Reply), stringify!($form)],)*
        ];

        /// Visits every wire type that no other wire type contains, to write their TypeScript. Generic, so
        /// that the visitor is compiled only in the generator.
        pub fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $(visitor.visit::<dto::$HostRequest>(); visitor.visit::<dto::$HostReply>();)*
            $(visitor.visit::<dto::$Request>(); visitor.visit::<dto::$Reply>();)*
            visitor.visit::<dto::PushDto>();
            visitor.visit::<ApiError>();
        }
    };
}

commands! {
    host {
        defaults: EmptyRequest => DefaultsDto as json;
        sessions: EmptyRequest => SessionsDto as json;
        glance: GlanceRequest => GlanceDto as json;
        sample: EmptyRequest => SampleDto as json;
        admit: AdmitRequest => AdmittedDto as json;
        open: OpenRequest => SessionDto as json;
        cancel: SessionRequest => CancelDto as json;
        search: SearchRequest => SearchDto as json;
        sweep: SweepRequest => SweepDto as json;
        frontier: FrontierRequest => FrontierDto as json;
        side_by_side: SideBySideRequest => SideBySideDto as json;
        notes: NotesRequest => NotesDto as json;
        save_note: SaveNoteRequest => SavedDto as json;
        remove_note: RemoveRequest => RemovedDto as json;
        pin: PinRequest => PinDto as json;
        saved_views: SessionRequest => SavedViewsDto as json;
        save_view: SaveViewRequest => SavedDto as json;
        remove_view: RemoveRequest => RemovedDto as json;
        overlays: SessionRequest => OverlaysDto as json;
        save_marks: SaveMarksRequest => SavedMarksDto as json;
        marks_json: KeptMarksRequest => MarksJsonDto as json;
        remove_marks: KeptMarksRequest => RemovedDto as json;
        reader: SessionRequest => ReaderDto as json;
        mark_with_reader: MarkWithReaderRequest => ReaderOutcomeDto as json;
        store: StoreRequest => StoreDto as json;
        tables: EmptyRequest => TablesDto as json;
        corpus: CorpusRequest => CorpusViewDto as json;
        corpus_rows: CorpusRowsRequest => CorpusRowsDto as json;
        live_status: SessionRequest => LiveStatusDto as json;
        preview_live: SetLiveRequest => LivePreviewDto as json;
        set_live: SetLiveRequest => LiveStatusDto as json;
        export: ExportRequest => ExportDto as bytes;
    }
    session {
        session: SessionRequest => SessionDto as json, commands::session;
        overview: ViewRequest => OverviewDto as json, commands::overview;
        findings: ViewRequest => FindingsDto as json, commands::findings;
        lint: ViewRequest => LintDto as json, commands::lint;
        regrets: ViewRequest => RegretsDto as json, commands::regrets;
        regret_stories: ViewRequest => RegretStoriesDto as json, commands::regret_stories;
        undeclared: ViewRequest => UndeclaredDto as json, commands::undeclared;
        worth: ViewRequest => WorthDto as json, commands::worth;
        compactions: ViewRequest => CompactionsDto as json, commands::compactions;
        recovery: RecoveryRequest => RecoveryDto as json, commands::recovery;
        page: PageRequest => PageDto as json, commands::page;
        context_text: ContextTextRequest => ContextTextDto as json, commands::context_text;
        block: BlockRequest => BlockDto as json, commands::block;
        image: ImageRequest => ImageDto as json, commands::image;
        find: FindRequest => FindDto as json, commands::find;
        marks: MarksRequest => MarksDto as json, commands::marks;
        place: PlaceRequest => PlaceDto as json, commands::place;
        episode: EpisodeRequest => EpisodeDetailDto as json, commands::episode;
        edit_marks: EditMarksRequest => EditMarksDto as json, commands::edit_marks;
        marks_effect: MarksEffectRequest => MarksEffectDto as json, commands::marks_effect;
        marks_report: MarksReportRequest => EmptyRequest as bytes, crate::export::marks_report;
        body: BodyRequest => BodyDto as json, commands::body;
        captured: CapturedRequest => CapturedDto as json, commands::captured;
        captured_body: CapturedBodyRequest => CapturedBodyDto as json, commands::captured_body;
        compare: CompareRequest => CompareDto as json, commands::compare;
        verdict: VerdictRequest => PolicyVerdictDto as json, commands::verdict;
        duel: DuelRequest => DuelDto as json, commands::duel;
        compare_blocks: CompareBlocksRequest => CompareBlocksDto as json, commands::compare_blocks;
        frame: FrameRequest => FrameDto as columns, commands::frame;
        trace: ViewRequest => TraceDto as spaced, cwl_inspect::present::trace::trace;
    }
}

impl Inspector {
    /// Answers a command by name with JSON arguments, on the blocking pool.
    ///
    /// # Errors
    /// An [`ApiError`] whose code gives the reason.
    pub async fn dispatch(
        self: &Arc<Self>,
        name: &str,
        args: serde_json::Value,
    ) -> Result<CommandAnswer, ApiError> {
        let name = name.to_owned();
        self.run_blocking(move |host| {
            if let Some(answer) = dispatch_host(host, &name, &args) {
                return answer;
            }
            let answer = |args: serde_json::Value| {
                dispatch_session(&name, args, |session| host.snapshot_or_open(session))
            };
            // A log that was started again has another revision now or soon.
            match answer(args.clone()) {
                Err(error) if error.code == ErrorCode::Restarted => answer(args),
                answered => answered,
            }
        })
        .await
    }
}

/// TypeScript interface for all commands.
pub fn typescript() -> String {
    let reply = |reply, form| if form == "bytes" { "Uint8Array" } else { reply };
    let mut types: BTreeSet<&str> =
        COMMANDS.iter().flat_map(|[_, request, answer, form]| [*request, reply(*answer, *form)]).collect();
    types.remove("Uint8Array");
    let mut text = String::from(
        "// This file is generated from the list of commands. Do not edit it: run `make gen`.\n",
    );
    for name in types {
        text.push_str(&format!("import type {{ {name} }} from \"./{name}\";\n"));
    }
    text.push_str("\n/**\n * Every command of the host: what it is asked with and what it answers.\n */\n");
    text.push_str("export interface Commands {\n");
    for [name, request, answer, form] in COMMANDS {
        text.push_str(&format!("  {name}: {{ request: {request}; response: {} }};\n", reply(answer, form)));
    }
    text.push_str("}\n");
    for (name, about, form) in [
        ("IN_BYTES", "The commands that answer bytes and no JSON.", "bytes"),
        (
            "IN_COLUMNS",
            "The commands whose answers hold columns of numbers behind a header of JSON.",
            "columns",
        ),
    ] {
        let commands: Vec<&str> = COMMANDS.iter().filter(|one| one[3] == form).map(|one| one[0]).collect();
        text.push_str(&format!(
            "\n/** {about} */\nexport const {name}: readonly (keyof Commands)[] = {commands:?};\n"
        ));
    }
    text
}
