//! The commands, declared once: here those that need the host, in `cwl_inspect::router` those that a snapshot answers alone. Both
//! lists generate the router, the names and the TypeScript interface.

use std::collections::BTreeSet;
use std::sync::Arc;

pub use cwl_inspect::router::CommandAnswer;

use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::router::{self as pure, CommandRow, SnapshotAnswer, dispatch_snapshot, json, read_args};

use crate::host::inspector::Inspector;
use crate::{ApiError, ErrorCode, api, commands};

/// Passes on the bytes that a command encoded from its `T`.
#[expect(clippy::extra_unused_type_parameters, reason = "the list of commands says what the bytes hold")]
fn bytes<T>(bytes: Vec<u8>) -> Result<CommandAnswer, ApiError> {
    Ok(CommandAnswer::Bytes(bytes))
}

/// Each row has a command's request, its answer, and the function above that encodes the answer.
macro_rules! commands {
    (
        host { $($host:ident: $HostRequest:ident => $HostReply:ident as $host_form:ident;)* }
        host_session { $($long:ident: $LongRequest:ident => $LongReply:ident as $long_form:ident;)* }
        session { $($command:ident: $Request:ident => $Reply:ident as $form:ident, $run:path;)* }
    ) => {
        /// Answers a host command; `None` if `name` is another command.
        fn dispatch_host(
            host: &Arc<Inspector>,
            name: &str,
            args: &serde_json::Value,
        ) -> Option<Result<CommandAnswer, ApiError>> {
            Some(match name {
                $(stringify!($host) => read_args(name, args.clone())
                    .and_then(|request: api::$HostRequest| host.$host(request))
                    .and_then($host_form::<api::$HostReply>),)*
                $(stringify!($long) => read_args(name, args.clone())
                    .and_then(|api::InSession::<api::$LongRequest> { session, request }| {
                        host.$long(session, &request)
                    })
                    .and_then($long_form::<api::$LongReply>),)*
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
        ) -> Result<SnapshotAnswer, ApiError> {
            match name {
                $(stringify!($command) => {
                    let api::InSession::<api::$Request> { session, request } = read_args(name, args)?;
                    $form::<api::$Reply>($run(find(session)?.as_ref(), &request)?).map(Into::into)
                })*
                _ => dispatch_snapshot(name, args, find).unwrap_or_else(|| {
                    let names: Vec<&str> = names().collect();
                    Err(ApiError::new(ErrorCode::BadRequest, format!("no command `{name}`"))
                        .with_hint(format!("commands are {}", names.join(", "))))
                }),
            }
        }

        const HOST_COMMANDS: &[CommandRow] = &[
            $(CommandRow::of_host([
                stringify!($host), stringify!($HostRequest), stringify!($HostReply), stringify!($host_form),
            ]),)*
            $(CommandRow::in_session([
                stringify!($long), stringify!($LongRequest), stringify!($LongReply), stringify!($long_form),
            ]),)*
            $(CommandRow::in_session([
                stringify!($command), stringify!($Request), stringify!($Reply), stringify!($form),
            ]),)*
        ];

        /// Visits every wire type that no other wire type contains, to write their TypeScript. Generic, so
        /// that the visitor is compiled only in the generator.
        pub fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $(visitor.visit::<api::$HostRequest>(); visitor.visit::<api::$HostReply>();)*
            $(visitor.visit::<api::$LongRequest>(); visitor.visit::<api::$LongReply>();)*
            $(visitor.visit::<api::$Request>(); visitor.visit::<api::$Reply>();)*
            pure::visit_types(visitor);
            visitor.visit::<api::Push>();
            visitor.visit::<ApiError>();
        }
    };
}

commands! {
    host {
        defaults: EmptyRequest => DefaultsAnswer as json;
        sessions: EmptyRequest => SessionsAnswer as json;
        glance: GlanceRequest => GlanceAnswer as json;
        sample: EmptyRequest => SampleSuggestion as json;
        admit: AdmitRequest => AdmitAnswer as json;
        open: OpenRequest => SessionAnswer as json;
        cancel: SessionRequest => CancelAnswer as json;
        search: SearchRequest => SearchAnswer as json;
        frontier: FrontierRequest => ParetoFrontier as json;
        side_by_side: SideBySideRequest => SideBySideAnswer as json;
        notes: NotesRequest => NotesAnswer as json;
        save_note: SaveNoteRequest => SaveAnswer as json;
        remove_note: RemoveRequest => RemoveAnswer as json;
        pin: PinRequest => PinAnswer as json;
        saved_views: SessionRequest => SavedViewsAnswer as json;
        save_view: SaveViewRequest => SaveAnswer as json;
        remove_view: RemoveRequest => RemoveAnswer as json;
        overlays: SessionRequest => OverlaysAnswer as json;
        save_marks: SaveMarksRequest => SaveMarksAnswer as json;
        marks_json: KeptMarksRequest => MarksJsonAnswer as json;
        remove_marks: KeptMarksRequest => RemoveAnswer as json;
        reader: SessionRequest => ReaderPlanAnswer as json;
        mark_with_reader: MarkWithReaderRequest => ReaderOutcome as json;
        store: StoreRequest => StoreAnswer as json;
        tables: EmptyRequest => TablesAnswer as json;
        corpus: CorpusRequest => CorpusOverview as json;
        corpus_rows: CorpusRowsRequest => CorpusRowsAnswer as json;
        live_status: SessionRequest => LiveStatusAnswer as json;
        preview_live: SetLiveRequest => LivePreview as json;
        set_live: SetLiveRequest => LiveStatusAnswer as json;
    }
    host_session {
        sweep: SweepRequest => SweepAnswer as json;
        export: ExportRequest => ExportedSession as bytes;
    }
    session {
        edit_marks: EditMarksRequest => EditMarksAnswer as json, commands::edit_marks;
        marks_effect: MarksEffectRequest => MarksEffectAnswer as json, commands::marks_effect;
        marks_report: MarksReportRequest => EmptyRequest as bytes, crate::export::marks_report;
        captured: CapturedRequest => CapturedAnswer as json, commands::captured;
        captured_body: CapturedBodyRequest => CapturedBodyAnswer as json, commands::captured_body;
    }
}

fn all_commands() -> impl Iterator<Item = &'static CommandRow> {
    HOST_COMMANDS.iter().chain(pure::COMMANDS)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    all_commands().map(|row| row.name)
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
            let base = args.get("base").and_then(serde_json::Value::as_u64);
            let answer = |args: serde_json::Value| {
                dispatch_session(&name, args, |session| host.snapshot_or_open(session))
            };
            // A log that was started again has another revision now or soon.
            let answer = match answer(args.clone()) {
                Err(error) if error.code == ErrorCode::Restarted => answer(args)?,
                answered => answered?,
            };
            Ok(match answer {
                SnapshotAnswer::Whole(answer) => answer,
                SnapshotAnswer::Columns(columns) => {
                    let base = base.and_then(|base| u32::try_from(base).ok());
                    CommandAnswer::Bytes(host.held_answers.encode(columns, base))
                }
            })
        })
        .await
    }
}

pub fn typescript() -> String {
    let response = |row: &'static CommandRow| if row.form == "bytes" { "Uint8Array" } else { row.answer };
    let mut types: BTreeSet<&str> = all_commands().flat_map(|row| [row.request, response(row)]).collect();
    types.remove("Uint8Array");
    let mut text = String::from(
        "// This file is generated from the list of commands. Do not edit it: run `make gen`.\n",
    );
    for name in types {
        text.push_str(&format!("import type {{ {name} }} from \"./{name}\";\n"));
    }
    text.push_str("\n/** A request about one session. */\n");
    text.push_str("export type InSession<Request> = { session: number } & Request;\n");
    text.push_str("\n/**\n * Every command of the host: what it is asked with and what it answers.\n */\n");
    text.push_str("export interface Commands {\n");
    for row in all_commands() {
        let CommandRow { name, request, .. } = row;
        let request = if row.is_in_session { format!("InSession<{request}>") } else { (*request).to_owned() };
        text.push_str(&format!("  {name}: {{ request: {request}; response: {} }};\n", response(row)));
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
        let commands: Vec<&str> = all_commands().filter(|row| row.form == form).map(|row| row.name).collect();
        push_list(&mut text, name, about, &commands);
    }
    let pure: Vec<&str> = pure::COMMANDS.iter().map(|row| row.name).collect();
    push_list(&mut text, "PURE", "The commands that need nothing but the log.", &pure);
    text
}

fn push_list(text: &mut String, name: &str, about: &str, commands: &[&str]) {
    text.push_str(&format!(
        "\n/** {about} */\nexport const {name}: readonly (keyof Commands)[] = {commands:?};\n"
    ));
}
