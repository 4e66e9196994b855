//! Sessions without episodes: what `cwl report` and `cwl graph` tell of them.

use std::collections::BTreeMap;

use cwl_api::commands;
use cwl_api::dto::{
    AnnotationSourceDto, GraphDto, ReplayDto, SessionDto, SessionRequest, ViewDto, ViewRequest,
};
use cwl_api::{Opened, grouped};

use super::report::title;
use crate::out::{Failure, Out, clean};
use crate::table;

/// The way to a log with episodes.
pub(super) const WAY: &str = "The agent marks episodes with a tool `delimiter`: pi-cwl has it, and any MCP server may offer it.
\
                              docs/episodes.md has its definition. docs/annotate.md says how a session is marked afterwards.
\
                              The policies that go by episodes then have something to take.";

/// Says why a session has no episodes.
pub(super) fn why<'a>(session: &SessionDto, graph: &'a GraphDto) -> &'a str {
    if graph.from.source != AnnotationSourceDto::Declared {
        return &graph.from.says;
    }
    // The protocol's rules are about calls of the tool only.
    if session.problems.iter().any(|problem| problem.code.starts_with('P')) {
        "the agent called the tool `delimiter`, but no call started an episode"
    } else {
        "the agent started none with the tool `delimiter`"
    }
}

/// Says where the episodes of a session come from, or why there are none.
pub(super) fn from<'a>(session: &SessionDto, graph: &'a GraphDto) -> &'a str {
    if graph.episodes.is_empty() { why(session, graph) } else { &graph.from.says }
}

/// Prints what policies that need no episodes would do at this budget: recency, and the harness's own clearing rule.
pub(super) fn others(
    opened: &Opened,
    request: &ViewRequest,
    session: &SessionDto,
    replay: &ReplayDto,
    out: &mut Out,
) -> Result<(), Failure> {
    if replay.before.iter().all(|before| *before <= replay.budget) {
        return Ok(());
    }
    title("Policies that need no episodes, at this budget", out)?;
    let (rule, is_own) = commands::rule_of_harness(&session.harness);
    let mut rows = table::begin(&["policy", "#steps", "#passes", "#largest request", "#turns over"]);
    for policy in ["window", rule] {
        let options = BTreeMap::new();
        let view = ViewDto { policy: policy.to_owned(), options, ..request.view.clone() };
        let replay = commands::replay(opened, &ViewRequest { session: 0, view })?;
        let n_made = replay.over_budget.iter().filter(|turn| **turn < session.n_turns).count();
        rows.add_row([
            policy.to_owned(),
            grouped(replay.n_steps_in_all.into()),
            grouped(replay.n_steps.iter().filter(|n_steps| **n_steps > 0).count() as u64),
            grouped(replay.after.iter().copied().max().unwrap_or(0)),
            grouped(n_made as u64),
        ]);
    }
    table::print(&rows, out)?;
    let rule = if is_own {
        format!("{rule} is the clearing rule of this harness, as far as it is known")
    } else {
        format!("no clearing rule of this harness is known; {rule} is the general one")
    };
    out.line(format!("{rule}; `cwl report FILE --policy window` shows each, `cwl compare FILE` their cost"))
}

/// Prints the session from one human message to the next, as there is no graph of it.
pub(super) fn instead_of_a_graph(
    opened: &Opened,
    request: &ViewRequest,
    graph: &GraphDto,
    out: &mut Out,
) -> Result<(), Failure> {
    let session = commands::session(opened, &SessionRequest { session: 0 })?;
    out.line(format!("no episodes: {}", clean(why(&session, graph))))?;
    out.line(WAY)?;
    out.line("")?;
    out.line("The session by what the human asked for:")?;
    let mut rows = table::begin(&["#turn", "#replies", "#tokens", "message"]);
    for human_turn in commands::human_turns(opened, request)? {
        let text = if human_turn.text.is_empty() { "(no text)".to_owned() } else { clean(&human_turn.text) };
        let turn = human_turn.turn.to_string();
        rows.add_row([turn, grouped(human_turn.n_replies.into()), grouped(human_turn.tokens), text]);
    }
    table::print(&rows, out)
}
