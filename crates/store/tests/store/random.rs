//! Random logs: every body, block kind, mark and problem, with awkward texts.

use std::sync::Arc;

use cwl_engine::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn text() -> BoxedStrategy<String> {
    prop_oneof![
        4 => ".{0,20}",
        2 => any::<String>(),
        1 => Just(String::new()),
        1 => Just("\0".to_owned()),
        1 => Just("a\0b\u{feff}\u{ffff}\u{10ffff}\r\n'\"\\,;--".to_owned()),
        1 => ("[a-z ]{1,40}", 1_usize..200).prop_map(|(word, n)| word.repeat(n)),
        1 => "[ -~\\x00]{1000,3000}",
    ]
    .boxed()
}

fn boxed() -> BoxedStrategy<Box<str>> {
    text().prop_map(String::into_boxed_str).boxed()
}

fn shared() -> BoxedStrategy<Arc<str>> {
    prop_oneof![Just("bash".to_owned()), text()].prop_map(Arc::from).boxed()
}

fn entry() -> BoxedStrategy<EntryId> {
    text().prop_map(EntryId::new).boxed()
}

fn name() -> BoxedStrategy<EpisodeName> {
    text().prop_map(EpisodeName::new).boxed()
}

fn call_id() -> BoxedStrategy<ToolCallId> {
    text().prop_map(ToolCallId::new).boxed()
}

fn number() -> BoxedStrategy<u64> {
    prop_oneof![0_u64..5, Just(u64::MAX), Just(i64::MAX as u64), Just(1 << 63), any::<u64>()].boxed()
}

fn field() -> BoxedStrategy<MarkField> {
    prop_oneof![
        Just(MarkField::Action),
        Just(MarkField::Name),
        Just(MarkField::Type),
        Just(MarkField::Dependencies),
        Just(MarkField::Description),
    ]
    .boxed()
}

fn mark() -> BoxedStrategy<DelimiterMark> {
    let kind = prop_oneof![Just(DeclaredKind::Exploratory), Just(DeclaredKind::Action)];
    prop_oneof![
        (name(), kind, option::of(vec(name(), 0..4)), vec(field(), 0..3)).prop_map(
            |(name, kind, dependencies, odd)| DelimiterMark::Open { name, kind, dependencies, odd }
        ),
        (option::of(name()), option::of(shared()), vec(field(), 0..3))
            .prop_map(|(name, description, odd)| DelimiterMark::Close { name, description, odd }),
        (field(), option::of(name()), any::<bool>(), option::of(vec(name(), 0..4))).prop_map(
            |(field, name, is_act, dependencies)| DelimiterMark::Malformed {
                field,
                name,
                is_act,
                dependencies
            }
        ),
    ]
    .boxed()
}

fn kind() -> BoxedStrategy<BlockKind> {
    prop_oneof![
        Just(BlockKind::Text),
        Just(BlockKind::Reasoning),
        (call_id(), shared(), option::of(shared()), option::of(mark()))
            .prop_map(|(id, name, program, mark)| BlockKind::Call(ToolCall { id, name, program, mark })),
        (call_id(), option::of(shared()), any::<bool>(), option::of(mark()))
            .prop_map(|(call, name, ok, mark)| BlockKind::Result(ToolResult { call, name, ok, mark })),
        Just(BlockKind::Image),
        Just(BlockKind::Opaque),
    ]
    .boxed()
}

fn usage() -> BoxedStrategy<Usage> {
    let tokens = (number(), number(), number(), number(), number());
    let beside = (number(), number(), number(), number(), option::of(number()));
    (tokens, beside)
        .prop_map(|((input, output, reasoning, cache_read, cache_write), beside)| Usage {
            input,
            output,
            reasoning,
            cache_read,
            cache_write,
            cache_write_hour: beside.0,
            beside_input: beside.1,
            beside_cache_read: beside.2,
            beside_cache_write: beside.3,
            stated_cost: beside.4,
            copied: beside.0 % 2 == 1,
        })
        .boxed()
}

fn message() -> BoxedStrategy<Message> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
    let author =
        prop_oneof![Just(Author::Human), Just(Author::Harness), Just(Author::Model), Just(Author::Tool)];
    let form = prop_oneof![
        4 => Just(MessageForm::Plain),
        1 => any::<bool>().prop_map(|excluded| MessageForm::HumanShell { excluded }),
        1 => boxed().prop_map(|name| MessageForm::Custom { name }),
        1 => Just(MessageForm::Summary),
    ];
    let outcome = prop_oneof![
        Just(ReplyOutcome::Complete),
        Just(ReplyOutcome::Error),
        Just(ReplyOutcome::Overflow),
        Just(ReplyOutcome::Aborted),
    ];
    let words = (vec((any::<u32>(), any::<u32>()), 0..3), any::<u32>()).prop_map(|(ranges, text_len)| {
        let ranges = ranges.into_iter().map(|(start, end)| start..end).collect();
        Holds::Words(HumanWords { ranges, text_len }.into())
    });
    let holds = prop_oneof![4 => Just(Holds::Nothing), 1 => Just(Holds::Signature), 1 => words];
    let block = (any::<u32>(), kind(), any::<u32>(), holds)
        .prop_map(|(index, kind, images, holds)| ContentBlock { index, kind, images, holds });
    let who = (role, author, form, outcome);
    (who, vec(block, 0..5), option::of(shared()), option::of(usage()), option::of(shared()))
        .prop_map(|((role, author, form, outcome), blocks, model, usage, reply)| Message {
            role,
            author,
            form,
            blocks,
            model,
            usage,
            outcome,
            reply,
        })
        .boxed()
}

fn body() -> BoxedStrategy<EventBody> {
    let header = (
        option::of(text()),
        any::<Option<u32>>(),
        option::of(boxed()),
        option::of(boxed()),
        option::of(boxed()),
        option::of(number()),
        option::of(boxed()),
    )
        .prop_map(|(session, version, cwd, parent_session, model, window, subagent)| Header {
            session: session.map(SessionId::new),
            version,
            cwd,
            parent_session,
            model,
            window,
            subagent,
        });
    let report =
        (option::of(usage()), option::of(number()), option::of(boxed()), option::of(number()), 0..3usize)
            .prop_map(|(usage, window, model, unlogged, of)| UsageReport {
                of: [UsageScope::Reply, UsageScope::Session, UsageScope::Run][of],
                usage,
                window,
                model: model.map(|model: Box<str>| model.into()),
                unlogged,
            });
    let target = prop_oneof![
        entry().prop_map(RewriteTarget::Entry),
        call_id().prop_map(RewriteTarget::Results),
        entry().prop_map(RewriteTarget::From),
        any::<u32>().prop_map(RewriteTarget::Turns),
        Just(RewriteTarget::All)
    ];
    let change =
        (target, vec(message(), 0..3)).prop_map(|(target, replaced_by)| Change { target, replaced_by });
    let cause = proptest::sample::select(vec![
        ReplacementCause::Clearing,
        ReplacementCause::Rewind,
        ReplacementCause::Revision,
    ]);
    let rewrite = (cause, vec(change, 0..3)).prop_map(|(cause, changes)| Rewrite { cause, changes });
    let keep = prop_oneof![
        entry().prop_map(Keep::From),
        vec(entry(), 0..3).prop_map(Keep::Entries),
        vec(message(), 0..3).prop_map(Keep::Retained),
        Just(Keep::Nothing)
    ];
    let compaction = (option::of(message()), keep, option::of(number()))
        .prop_map(|(summary, keep, tokens_before)| Compaction { summary, keep, tokens_before });
    prop_oneof![
        1 => header.prop_map(EventBody::Header),
        6 => message().prop_map(EventBody::Message),
        2 => compaction.prop_map(EventBody::Compaction),
        1 => rewrite.prop_map(EventBody::Rewrite),
        1 => report.prop_map(EventBody::Usage),
        1 => boxed().prop_map(|model| EventBody::ModelChange { model }),
        1 => option::of(boxed()).prop_map(EventBody::Title),
        1 => (entry(), option::of(boxed())).prop_map(|(target, label)| EventBody::Label { target, label }),
        1 => boxed().prop_map(|record| EventBody::Quiet { record }),
        1 => boxed().prop_map(|record| EventBody::Opaque { record }),
    ]
    .boxed()
}

fn payload() -> BoxedStrategy<RawPayload> {
    prop_oneof![
        text().prop_map(RawPayload::Whole),
        (text(), text()).prop_map(|(before, after)| RawPayload::Around { before, after }),
    ]
    .boxed()
}

pub(crate) fn parsed_event() -> BoxedStrategy<ParsedEvent> {
    let parent = prop_oneof![
        Just(Parent::Root),
        entry().prop_map(Parent::Entry),
        entry().prop_map(Parent::Woven),
        Just(Parent::Previous),
        Just(Parent::Outside)
    ];
    (number(), entry(), parent, any::<Option<i64>>(), any::<bool>(), body(), payload())
        .prop_flat_map(|(line, entry, parent, at_ms, side, body, envelope)| {
            let n_blocks = body.all_blocks().count();
            let event = SessionEvent { line, entry, parent, at_ms, side, body };
            let content = (text(), payload()).prop_map(|(text, raw)| Content { text, raw });
            (Just(event), vec(content, n_blocks), Just(envelope))
        })
        .prop_map(|(event, contents, envelope)| ParsedEvent { event, contents, envelope })
        .boxed()
}

fn place() -> BoxedStrategy<Place> {
    let block = (entry(), any::<u32>()).prop_map(|(entry, index)| BlockId { entry, index });
    (option::of(number()), option::of(entry()), option::of(block))
        .prop_map(|(line, entry, block)| Place { line, entry, block })
        .boxed()
}

pub(crate) fn problem() -> BoxedStrategy<Problem> {
    let kind = prop_oneof![
        name().prop_map(|open| ProblemKind::StartWhileOpen { open }),
        name().prop_map(|renamed| ProblemKind::NameReused { renamed }),
        name().prop_map(|name| ProblemKind::UnknownDependency { name }),
        name().prop_map(|name| ProblemKind::DependencyOnAct { name }),
        name().prop_map(|name| ProblemKind::DependencyNotClosed { name }),
        name().prop_map(|name| ProblemKind::EndNamesOther { name }),
        field().prop_map(|field| ProblemKind::MalformedMark { field }),
        call_id().prop_map(|call| ProblemKind::ResultWithoutCall { call }),
        call_id().prop_map(|call| ProblemKind::CallWithoutResult { call }),
        call_id().prop_map(|call| ProblemKind::ResultRepeated { call }),
        call_id().prop_map(|call| ProblemKind::CallRepeated { call }),
        boxed().prop_map(|reason| ProblemKind::NotJson { reason }),
        boxed().prop_map(|record| ProblemKind::UnknownRecord { record }),
        boxed().prop_map(|part| ProblemKind::UnknownPart { part }),
        boxed().prop_map(|field| ProblemKind::OddField { field }),
        entry().prop_map(|entry| ProblemKind::EntryRepeated { entry }),
        entry().prop_map(|parent| ProblemKind::UnknownParent { parent }),
        entry().prop_map(|entry| ProblemKind::UnknownKeep { entry }),
        any::<u32>().prop_map(|n_objects| ProblemKind::SeveralObjects { n_objects }),
        any::<u32>().prop_map(|version| ProblemKind::UnknownVersion { version }),
        number().prop_map(|n_bytes| ProblemKind::LongLine { n_bytes }),
        number().prop_map(|n_rows| ProblemKind::RowsRepeated { n_rows }),
        entry().prop_map(|parent| ProblemKind::MissingParent { parent }),
        boxed().prop_map(|target| ProblemKind::UnknownTarget { target }),
        boxed().prop_map(|before| ProblemKind::MissingHistory { before }),
        boxed().prop_map(|reason| ProblemKind::DamagedCompression { reason }),
        proptest::sample::select(bare()),
    ];
    (place(), kind).prop_map(|(place, kind)| Problem { place, kind }).boxed()
}

pub(crate) fn bare() -> Vec<ProblemKind> {
    vec![
        ProblemKind::EndWithoutOpen,
        ProblemKind::ActWithoutDependencies,
        ProblemKind::NoDescription,
        ProblemKind::DescriptionOnAct,
        ProblemKind::DependenciesOnExploration,
        ProblemKind::NeverClosed,
        ProblemKind::NotObject,
        ProblemKind::TornLine,
        ProblemKind::LossyText,
        ProblemKind::ParentCycle,
        ProblemKind::NoHeader,
        ProblemKind::UnsureAuthor,
        ProblemKind::UnreadableSummary,
    ]
}
