//! Sentences about steps: the effect, and the reason.

use cwl_engine::{
    Action, BlockKind, EpisodeIdx, EpisodeKind, EvictionLevel, EvictionStep, PageOrder, Replay, Steps,
    Subject,
};

use super::{level_noun, write_tokens};
use crate::figures::with_commas;
use crate::measure::branch::Branch;

pub(crate) fn describe_step(
    branch: &Branch,
    replay: &Replay,
    pass: &Steps<'_>,
    step: &EvictionStep,
    previous: Option<&EvictionStep>,
) -> String {
    let (Subject::Episode(idx), Some(level), true) =
        (&step.subject, step.action.level(), step.action != Action::Fold)
    else {
        return other_step(branch, replay, pass, step, previous);
    };
    let episode = branch.growth.graph.episode(*idx);
    let goes_on = previous.is_some_and(|previous| previous.subject == step.subject);
    let why = if goes_on {
        format!("{}, still over the budget", episode.name)
    } else {
        match episode.kind {
            EpisodeKind::Action => format!("{} is the oldest closed act", episode.name),
            EpisodeKind::Exploratory => {
                // Acts that declare the exploration later did not influence the decision.
                let dependents = branch.growth.graph.dependents(*idx);
                let known = |act: &EpisodeIdx| branch.growth.graph.episode(*act).first_turn <= step.turn;
                let waits = if dependents.iter().any(known) {
                    "that no act in the context draws on"
                } else {
                    "that no act has drawn on so far"
                };
                format!("no act can go; {} is the oldest exploration {waits}", episode.name)
            }
            EpisodeKind::Unannotated => {
                format!("no act can go; {} is the oldest stretch with no later act left", episode.name)
            }
        }
    };
    let saved = i128::from(step.before) - i128::from(step.after);
    let size = write_tokens(u64::try_from(saved.unsigned_abs()).unwrap_or(u64::MAX));
    let n_blocks = pass.blocks_of(step).len();
    let what = match level {
        EvictionLevel::WholeEpisode => {
            let stays = if episode.residue_text().is_some()
                && replay.options.residue == cwl_engine::ResidueOption::Description
            {
                "; its description stays"
            } else {
                ""
            };
            match (saved < 0, n_blocks) {
                (true, _) => {
                    format!("removed, which costs {size}, as its description is longer than what was left")
                }
                (false, 0) => format!("removed; nothing was left of it{stays}"),
                (false, _) => format!("{size} removed with the rest of it{stays}"),
            }
        }
        level => format!("{size} of {} stripped", level_noun(level)),
    };
    format!("{why}: {what}")
}

pub(crate) fn describe_subject(branch: &Branch, subject: &Subject) -> String {
    match subject {
        Subject::Episode(idx) => branch.growth.graph.episode(*idx).name.to_string(),
        Subject::Segment { name: Some(name), .. } => name.to_string(),
        Subject::Segment { name: None, .. } => "a segment without a name".to_owned(),
        Subject::Turn(turn) => format!("turn {turn}"),
        Subject::Output(block) => {
            let row = &branch.session.blocks[block.at()];
            let call = row.pair.map(|call| &branch.session.blocks[call.at()].kind);
            match call {
                Some(BlockKind::Call(call)) => format!("the output of {} ({})", call.name, row.id),
                _ => format!("the output {}", row.id),
            }
        }
        Subject::Span(from, to) if from == to => format!("turn {from}"),
        Subject::Span(from, to) => format!("turns {from} to {to}"),
    }
}

fn other_step(
    branch: &Branch,
    replay: &Replay,
    pass: &Steps<'_>,
    step: &EvictionStep,
    previous: Option<&EvictionStep>,
) -> String {
    let about = describe_subject(branch, &step.subject);
    let size = write_tokens(step.before.saturating_sub(step.after));
    let segment = |what: String| {
        if previous.is_some_and(|previous| previous.subject == step.subject) {
            format!("{about}, still over the budget: {what}")
        } else {
            format!("{about} is the oldest segment that nothing waits for: {what}")
        }
    };
    match step.action {
        Action::Reasoning if matches!(step.subject, Subject::Turn(_)) => {
            format!("{about} is older than the reasoning that stays: {size} of reasoning taken")
        }
        Action::Reasoning => segment(format!("{size} of reasoning taken")),
        Action::BulkOutput => segment(format!("{size} of search output taken")),
        Action::Intermediate => segment(format!("{size} of reads and commands taken")),
        Action::Shell => segment(format!("{size} of shell commands taken")),
        Action::Read => segment(format!("{size} of reads taken")),
        Action::Remove => segment(format!("{size} removed with the rest of it")),
        Action::DropTurn => format!("{about} is the oldest that is left: {size} dropped"),
        Action::Clear => {
            format!("{about} {}: cleared, its call stays, {size} saved", old_output(replay))
        }
        Action::Dedupe => {
            format!("a newer output says the same as {about}: a note stands for it, {size} saved")
        }
        Action::Supersede => {
            format!(
                "the same as in {about} was read or written again later: a note stands for it, {size} saved"
            )
        }
        Action::Fold => {
            let into = if step.residue { "into its description" } else { "and nothing of it stays" };
            let why = if option_number(replay, "when_over") == Some(1) {
                "is the oldest closed episode"
            } else {
                "has closed"
            };
            match step.after.checked_sub(step.before) {
                Some(more) if more > 0 => {
                    format!("{about} {why}: folded {into}, which costs {}", write_tokens(more))
                }
                _ => format!("{about} {why}: folded {into}, {size} saved"),
            }
        }
        Action::Summarise => {
            let one = matches!(step.subject, Subject::Span(from, to) if from == to);
            let (are, them) = if one { ("is", "it") } else { ("are", "them") };
            let short = short_of_reserve(replay, step);
            format!(
                "{about} {are} older than the turns that stay: a summary by fixed rules stands for {them}, {size} saved{short}"
            )
        }
        Action::PageOut if pass.blocks_of(step).is_empty() => {
            format!("the summary of {about} has stayed long enough: it goes outside again, {size} saved")
        }
        Action::PageOut => format!(
            "{about}, the oldest in working memory, paged out: a summary is kept outside the context, {size} saved"
        ),
        Action::PageIn => {
            let back = write_tokens(step.after.saturating_sub(step.before));
            if let Subject::Span(..) = step.subject {
                return format!(
                    "a call names what was paged out and has no room: the summary of {about} comes in, {back}"
                );
            }
            let n_blocks = pass.moves_of(step).len();
            let (blocks, come) = if n_blocks == 1 { ("block", "comes") } else { ("blocks", "come") };
            format!("a call names what was paged out, {about}: {n_blocks} {blocks} of {back} {come} back")
        }
    }
}

/// Describes the free part of the reserve if a compaction by `auto` could not restore it all.
fn short_of_reserve(replay: &Replay, step: &EvictionStep) -> String {
    let reserve =
        if replay.policy.name == "auto" { option_number(replay, "reserve").unwrap_or(0) } else { 0 };
    match replay.budget.saturating_sub(step.after) {
        free if free < reserve => {
            format!("; of the {} reserved only {} are free", write_tokens(reserve), with_commas(free))
        }
        _ => String::new(),
    }
}

fn option_number(replay: &Replay, key: &str) -> Option<u64> {
    let spec = replay.policy.options.iter().find(|spec| spec.key == key)?;
    Some(replay.options.number_value(spec))
}

fn old_output(replay: &Replay) -> String {
    if replay.policy.options.iter().any(|spec| spec.key == "order") {
        return match replay.options.order {
            PageOrder::Lru => "was used least recently",
            PageOrder::Lfu => "was used least often",
            PageOrder::Gdsf => "has the fewest uses for its size",
            PageOrder::Fifo => "is the oldest output that is left",
        }
        .to_owned();
    }
    let mut newest = Vec::new();
    if let Some(keep) = option_number(replay, "keep").filter(|keep| *keep > 0) {
        newest.push(format!("the newest {}", with_commas(keep)));
    }
    if let Some(keep) = option_number(replay, "keep_tokens").filter(|keep| *keep > 0) {
        newest.push(format!("the newest {} of outputs", write_tokens(keep)));
    }
    if !newest.is_empty() && replay.options.protected_turns > 0 {
        newest.push(format!("the last {} human turns", replay.options.protected_turns));
    }
    if newest.is_empty() {
        return "is the oldest output that is left".to_owned();
    }
    format!("is older than {}, which stay", newest.join(" and "))
}
