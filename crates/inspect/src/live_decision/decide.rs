//! Runs the engine's replay over the session so far and turns the rendered request into edits.

use std::collections::BTreeSet;

use cwl_engine::{
    Annotation, BlockIdx, Cut, EvictionLevel, Fate, GoneReason, GraphTimeline, KeptReason, Material,
    MessageIdx, MessageOrigin, Pairing, Provider, RenderedContext, RenderedMessage, Replay, ReplayInput,
    Role, Session, StateAt, TokenTable, Violation, render,
};

use crate::live_decision::lower::{HarnessList, lower_context};
use crate::live_decision::{
    DecisionFigures, DecisionSettings, EvictionDecision, MessagePlaces, PassThroughReason, SessionHistory,
    Verdict,
};

/// Decides which parts to evict from the request at the session's last turn.
///
/// `annotate` returns the episode marks: declared by the agent ([`Annotation::Declared`]) or inferred. `count_text`
/// must count units as `history` did.
pub fn decide(
    history: &mut SessionHistory,
    settings: &DecisionSettings,
    annotate: impl FnOnce(&Session) -> Annotation,
    places: &MessagePlaces<'_>,
    count_text: impl FnMut(&str) -> u32,
) -> EvictionDecision {
    history.extend_branch();
    let history = &*history;
    let (session, declared) = (history.branch().session(), history.branch().timeline());
    let annotation = annotate(session);
    let annotated = match annotation {
        Annotation::Declared => None,
        _ => Some(GraphTimeline::build_annotated(session, &annotation).0),
    };
    let growth = annotated.as_ref().unwrap_or(declared);
    let table = history.build_table(session, growth, count_text);
    let DecisionSettings { policy, options, budget, overhead, provider } = settings;
    let material = Material::default();
    let input = ReplayInput {
        session,
        growth,
        table: &table,
        material: &material,
        pins: &[],
        overhead,
        budget: *budget,
        policy,
        options,
    };
    let replay = Replay::run(&input);
    let turn = session.last_turn();
    let state = StateAt::fold_to(&input, &replay, Cut::end_of(turn));
    let mut context = render(&input, &replay, &state);
    let outcome = replay.outcome_at(turn);
    let whole = whole_tokens(&table, &context);
    let figures = DecisionFigures {
        whole,
        before: outcome.before,
        sent: context.total,
        overhead: context.overhead,
        budget: replay.budget_at(turn),
        over_budget: outcome.over_budget,
    };
    let unchanged = |verdict, sent| EvictionDecision {
        turn,
        verdict,
        edits: Vec::new(),
        evicted: Vec::new(),
        figures: DecisionFigures { sent, ..figures },
    };
    if policy.needs_episodes && growth.graph.episodes.is_empty() && outcome.over_budget {
        return unchanged(Verdict::PassThrough(PassThroughReason::NoMarks { policy: policy.name }), whole);
    }
    if is_whole(&context) {
        return unchanged(Verdict::Keep, figures.sent);
    }
    let (apart, joined) = match make_valid(session, &mut context, *provider) {
        Ok(made) => made,
        Err(reason) => return unchanged(Verdict::PassThrough(reason), whole),
    };
    let list = HarnessList { places, apart: &apart, joined: &joined };
    match lower_context(session, growth, &table, &context, &list) {
        Ok((edits, evicted)) => {
            let apart = table.tokens_from_units(apart.iter().map(|block| table.units(*block)).sum());
            let figures = DecisionFigures { sent: figures.sent.saturating_sub(apart), ..figures };
            EvictionDecision { turn, verdict: Verdict::Evict, edits, evicted, figures }
        }
        Err(reason) => unchanged(Verdict::PassThrough(reason), whole),
    }
}

/// True if the policy evicted or masked the block; false for parts the harness itself left out.
fn is_evicted(fate: &Fate) -> bool {
    match fate {
        Fate::Kept(_) => false,
        Fate::Masked(..) => true,
        Fate::Gone(reason) => match reason {
            GoneReason::Evicted { .. } | GoneReason::ArrivedStripped { .. } => true,
            GoneReason::Harness { .. } | GoneReason::Excluded => false,
        },
    }
}

fn is_whole(context: &RenderedContext) -> bool {
    let of_log = |message: &RenderedMessage| {
        matches!(message.origin, MessageOrigin::Log(_))
            && message.items.iter().all(|item| !is_evicted(&item.fate))
    };
    context.messages.iter().all(of_log)
}

fn whole_tokens(table: &TokenTable, context: &RenderedContext) -> u64 {
    let of_message = |message: &RenderedMessage| {
        let is_there = |fate: &Fate| is_evicted(fate) || fate.is_kept();
        let there = message.items.iter().filter(|item| is_there(&item.fate));
        let of_log = matches!(message.origin, MessageOrigin::Log(_));
        let units = there.map(|item| table.units(item.block)).sum();
        if of_log { table.tokens_from_units(units) } else { 0 }
    };
    context.messages.iter().map(of_message).fold(context.overhead, u64::saturating_add)
}

/// Reasoning blocks to evict in addition, and messages to join with the previous one.
type Repairs = (BTreeSet<BlockIdx>, BTreeSet<MessageIdx>);

/// Repairs violations the evictions caused: evicts reasoning no longer followed by its reply, and finds messages to
/// join with the previous one. Violations the whole list already has are ignored.
fn make_valid(
    session: &Session,
    context: &mut RenderedContext,
    provider: Provider,
) -> Result<Repairs, PassThroughReason> {
    let violations = |context: &RenderedContext| {
        Pairing::from_context(session, context).find_violations(session, provider)
    };
    let (mut apart, mut joined) = (BTreeSet::new(), BTreeSet::new());
    let mut found = violations(context);
    if found.is_empty() {
        return Ok((apart, joined));
    }
    let known = violations(&undo_evictions(context));
    found.retain(|violation| !known.contains(violation));
    loop {
        let reasoning: BTreeSet<BlockIdx> = found
            .iter()
            .filter_map(|violation| match violation {
                Violation::ReasoningApart { block } => Some(*block),
                _ => None,
            })
            .collect();
        if reasoning.is_empty() {
            break;
        }
        for item in context.messages.iter_mut().flat_map(|message| &mut message.items) {
            if reasoning.contains(&item.block) {
                item.fate = Fate::Gone(GoneReason::ArrivedStripped { level: EvictionLevel::Reasoning });
            }
        }
        apart.extend(reasoning);
        found = violations(context);
        found.retain(|violation| !known.contains(violation));
    }
    for violation in found {
        match violation {
            Violation::CallNotAfterUser { message } if follows_reply(session, context, message) => {
                joined.insert(message);
            }
            other => {
                let place = violation_place(session, &other);
                return Err(PassThroughReason::WouldBeRefused { violation: other.name(), place });
            }
        }
    }
    Ok((apart, joined))
}

fn violation_place(session: &Session, violation: &Violation) -> String {
    match violation {
        Violation::ResultWithoutCall { block }
        | Violation::CallWithoutResult { block }
        | Violation::ReasoningApart { block } => name_of(session, *block),
        Violation::EmptyReply { message }
        | Violation::CallNotAfterUser { message }
        | Violation::ReasoningMissing { message } => session.messages[message.at()].entry.to_string(),
    }
}

fn follows_reply(session: &Session, context: &RenderedContext, message: MessageIdx) -> bool {
    let is_sent = |rendered: &&RenderedMessage| match rendered.origin {
        MessageOrigin::Log(_) => rendered.items.iter().any(|item| !matches!(item.fate, Fate::Gone(_))),
        MessageOrigin::Residue { .. } | MessageOrigin::Summary { .. } => true,
    };
    let at = context.messages.iter().position(|it| it.origin == MessageOrigin::Log(message));
    let before = context.messages[..at.unwrap_or(0)].iter().rev().find(is_sent);
    before.is_some_and(|before| match before.origin {
        MessageOrigin::Log(idx) => session.messages[idx.at()].role == Role::Assistant,
        MessageOrigin::Residue { .. } | MessageOrigin::Summary { .. } => false,
    })
}

fn undo_evictions(context: &RenderedContext) -> RenderedContext {
    let mut whole = context.clone();
    whole.messages.retain(|message| matches!(message.origin, MessageOrigin::Log(_)));
    for item in whole.messages.iter_mut().flat_map(|message| &mut message.items) {
        if is_evicted(&item.fate) {
            item.fate = Fate::Kept(KeptReason::Eligible);
        }
    }
    whole
}

pub(crate) fn name_of(session: &Session, block: BlockIdx) -> String {
    let id = &session.blocks[block.at()].id;
    format!("{}:{}", id.entry, id.index)
}
