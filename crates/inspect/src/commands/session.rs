//! An opened session: its description, branches, problems and choices.

use std::path::Path;

use cwl_engine::{BranchTips, COMMON_OPTIONS, EventBody, EventLog, Header, OptionSpec, Policy, Turn};
use cwl_formats::layout::{SubagentParent, caller_of, copied_for};
use cwl_formats::{Cleanup, PiCwlTrace};

use crate::ApiError;
use crate::api::{
    AnnotationPresence, BranchSummary, OptionRow, PolicyRow, ProblemRow, Provider, RecordedPass,
    RecordedPasses, SessionAnswer, ViewChoices,
};
use crate::asked::unit::TokenUnit;
use crate::asked::view::BranchKey;
use crate::commands::compare::LIKELY;
use crate::figures::saturate_u32;
use crate::measure::branch::Branch;
use crate::measure::decided::compare_decisions;
use crate::measure::diagnostics::find_problems;
use crate::measure::opened::SessionSnapshot;
use crate::measure::proved::count_proved;
use crate::measure::record_order::previous_records;
use crate::present::diagnostic::{explain_codes, problem_row};

pub fn session(opened: &SessionSnapshot) -> Result<SessionAnswer, ApiError> {
    let branch = opened.current_branch();
    let header = opened.log.header();
    let about = &opened.about;
    let path = Path::new(&about.path);
    let subagent = header.subagent.as_deref().map(str::to_owned);
    let origin = header.parent_session.as_deref().map(str::to_owned);
    let caller = called_by(path, &header);
    let sizes = opened.sizes(&BranchKey::CURRENT, TokenUnit::Provider)?;
    let problems: Vec<ProblemRow> =
        find_problems(opened, &branch, &sizes.losses).iter().map(problem_row).collect();
    Ok(SessionAnswer {
        session: about.session,
        revision: about.revision,
        id: header.session.map(|id| id.to_string()),
        path: about.path.clone(),
        harness: opened.access.harness_of(&about.path, about.format.name()),
        format: about.format.name().to_owned(),
        title: opened.display_title(),
        cwd: header.cwd.as_deref().map(str::to_owned),
        continues: origin.filter(|_| caller.is_none()),
        parent: caller,
        subagent,
        copy: copy_of(opened),
        model: opened.last_model(),
        live: about.live,
        gone: about.gone,
        kept: opened.texts.is_kept(),
        n_turns: saturate_u32(branch.session.turns.len()),
        n_messages: saturate_u32(branch.session.messages.len()),
        n_blocks: saturate_u32(branch.session.blocks.len()),
        annotation: AnnotationPresence::from_annotated(branch.has_episodes()),
        branches: list_branches(opened),
        codes: explain_codes(problems.iter().map(|problem| problem.code.as_str())),
        problems,
        recorded: opened.about.recorded.as_deref().map(|trace| recorded_evictions(trace, &branch)),
        proved: count_proved(opened)?,
        decided: compare_decisions(opened)?,
        window: opened.context_window(),
        model_window: opened.model_window(),
        choices: choices(),
    })
}

/// For a subagent's log, the caller's log or session id.
fn called_by(path: &Path, header: &Header) -> Option<String> {
    let origin = || header.parent_session.as_deref().map(str::to_owned);
    match caller_of(path) {
        Some(SubagentParent::Log(log)) => Some(log.display().to_string()),
        Some(SubagentParent::Session { id, .. }) => Some(id),
        Some(SubagentParent::Beside) => origin().or_else(|| header.session.as_ref().map(ToString::to_string)),
        None => origin().filter(|_| header.subagent.is_some()),
    }
}

/// Names the session that an opened log copies, and the purpose of the copy. `None` for an original.
pub fn copy_of(opened: &SessionSnapshot) -> Option<String> {
    let path = Path::new(&opened.about.path);
    let purpose = copied_for(path)?;
    let of = called_by(path, &opened.log.header()).unwrap_or_else(|| "another one".to_owned());
    Some(format!(
        "no session of its own: the harness copied session {of} {purpose}; only the last messages are of this log"
    ))
}

fn recorded_evictions(trace: &PiCwlTrace, branch: &Branch) -> RecordedPasses {
    let session = &branch.session;
    let turn_at = |ms: i64| {
        let replied = |turn: &Turn| turn.message.and_then(|message| session.messages[message.at()].at_ms);
        let at = session.turns.iter().position(|turn| replied(turn).is_none_or(|replied| replied >= ms))?;
        u32::try_from(at + 1).ok()
    };
    let names = |pass: &Cleanup, fully_removed: bool| {
        let of_kind = pass.chunks.iter().filter(|chunk| chunk.fully_removed == fully_removed);
        of_kind.map(|chunk| chunk.name.to_string()).collect()
    };
    let passes = trace.cleanups.iter().map(|pass| RecordedPass {
        turn: pass.at_ms.and_then(turn_at),
        before: pass.tokens_before,
        after: pass.tokens_after,
        removed: names(pass, true),
        stripped: names(pass, false),
    });
    RecordedPasses { budget: trace.budget, passes: passes.collect() }
}

/// A log with broken parents may have as many tips as records.
const BRANCHES_LISTED: usize = 100;

pub(crate) fn list_branches(opened: &SessionSnapshot) -> Vec<BranchSummary> {
    let current = opened.log.leaf();
    let n_messages = messages_to(&opened.log);
    let BranchTips { session, side } = opened.log.tips();
    let mut branches: Vec<BranchSummary> = session
        .into_iter()
        .rev()
        .map(|tip| (tip, false))
        .chain(side.into_iter().rev().map(|tip| (tip, true)))
        .take(BRANCHES_LISTED)
        .map(|(tip, subagent)| BranchSummary {
            leaf: opened.log.record(tip).entry.to_string(),
            n_messages: n_messages[tip.at()],
            current: current == Some(tip),
            subagent,
        })
        .collect();
    branches.sort_by_key(|branch| !branch.current);
    branches
}

fn messages_to(log: &EventLog) -> Vec<u32> {
    let mut n_messages: Vec<u32> = Vec::with_capacity(log.events().len());
    for (event, parent) in log.events().iter().zip(previous_records(log)) {
        let own = u32::from(matches!(event.body, EventBody::Message(_)));
        n_messages.push(parent.map_or(0, |parent| n_messages[parent]).saturating_add(own));
    }
    n_messages
}

pub fn choices() -> ViewChoices {
    let option = |spec: &OptionSpec, common: bool| OptionRow {
        key: spec.key.to_owned(),
        values: spec.values.to_owned(),
        default: spec.default.to_owned(),
        sentence: spec.sentence.to_owned(),
        about: spec.about.to_owned(),
        share: spec.is_share(),
        range: spec.number_range(),
        common,
    };
    let mut policies: Vec<&Policy> = Policy::ALL.iter().collect();
    policies.sort_by_key(|policy| policy.family);
    ViewChoices {
        policies: policies
            .into_iter()
            .map(|policy| PolicyRow {
                name: policy.name.to_owned(),
                plain: policy.plain.to_owned(),
                family: policy.family,
                about: policy.about.to_owned(),
                source: policy.describe_source(),
                options: COMMON_OPTIONS
                    .iter()
                    .map(|spec| option(spec, true))
                    .chain(policy.options.iter().map(|spec| option(spec, false)))
                    .collect(),
            })
            .collect(),
        likely: LIKELY.map(str::to_owned).into(),
        tokenizers: TokenUnit::names(),
        providers: Provider::ALL.to_vec(),
    }
}
