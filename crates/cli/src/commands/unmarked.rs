//! Sessions without episodes, in `cwl report` and `cwl graph`.

use std::collections::BTreeMap;

use cwl_host::api::{AnnotationSource, GraphAnswer, ReplayAnswer, SessionAnswer, ViewRequest, ViewSettings};
use cwl_host::commands;
use cwl_host::{SessionSnapshot, with_commas};

use super::report::print_title;
use crate::out::{Failure, Stdout, clean_text};
use crate::table;

/// How to get a log with episodes.
pub(super) const WAY: &str = "The agent marks episodes with a tool `delimiter`: pi-cwl has it, and any MCP server may offer it.
\
                              docs/episodes.md has its definition. docs/annotate.md says how a session is marked afterwards.
\
                              The policies that go by episodes then have something to take.";

pub(super) fn why_unmarked<'a>(session: &SessionAnswer, graph: &'a GraphAnswer) -> &'a str {
    if graph.from.source != AnnotationSource::Declared {
        return &graph.from.says;
    }
    // Protocol rules concern only calls to the tool.
    if session.problems.iter().any(|problem| commands::is_protocol_code(&problem.code)) {
        "the agent called the tool `delimiter`, but no call started an episode"
    } else {
        "the agent started none with the tool `delimiter`"
    }
}

/// Says where a session's episodes come from, or why there are none.
pub(super) fn from<'a>(session: &SessionAnswer, graph: &'a GraphAnswer) -> &'a str {
    if graph.episodes.is_empty() { why_unmarked(session, graph) } else { &graph.from.says }
}

pub(super) fn print_others(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    session: &SessionAnswer,
    replay: &ReplayAnswer,
    out: &mut Stdout,
) -> Result<(), Failure> {
    if replay.before.iter().all(|before| *before <= replay.budget) {
        return Ok(());
    }
    print_title("Policies that need no episodes, at this budget", out)?;
    let (rule, is_own) = commands::rule_of_harness(&session.harness);
    let mut rows = table::begin_table(&["policy", "#steps", "#passes", "#largest request", "#turns over"]);
    for policy in ["window", rule] {
        let options = BTreeMap::new();
        let view = ViewSettings { policy: policy.to_owned(), options, ..request.view.clone() };
        let replay = commands::replay(opened, &ViewRequest { view })?;
        let n_made = replay.over_budget.iter().filter(|turn| **turn < session.n_turns).count();
        rows.add_row([
            policy.to_owned(),
            with_commas(replay.n_steps_in_all.into()),
            with_commas(replay.n_steps.iter().filter(|n_steps| **n_steps > 0).count() as u64),
            with_commas(replay.after.iter().copied().max().unwrap_or(0)),
            with_commas(n_made as u64),
        ]);
    }
    table::print_table(&rows, out)?;
    let rule = if is_own {
        format!("{rule} is the clearing rule of this harness, as far as it is known")
    } else {
        format!("no clearing rule of this harness is known; {rule} is the general one")
    };
    out.write_line(format!(
        "{rule}; `cwl report FILE --policy window` shows each, `cwl compare FILE` their cost"
    ))
}

pub(super) fn instead_of_a_graph(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    graph: &GraphAnswer,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let session = commands::session(opened)?;
    out.write_line(format!("no episodes: {}", clean_text(why_unmarked(&session, graph))))?;
    out.write_line(WAY)?;
    out.write_line("")?;
    out.write_line("The session by what the human asked for:")?;
    let mut rows = table::begin_table(&["#turn", "#replies", "#tokens", "message"]);
    for human_turn in commands::human_turns(opened, request)? {
        let text =
            if human_turn.text.is_empty() { "(no text)".to_owned() } else { clean_text(&human_turn.text) };
        let turn = human_turn.turn.to_string();
        rows.add_row([turn, with_commas(human_turn.n_replies.into()), with_commas(human_turn.tokens), text]);
    }
    table::print_table(&rows, out)
}
