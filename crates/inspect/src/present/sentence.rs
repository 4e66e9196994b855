//! Sentences about reasons, steps and violations.

mod step;

pub(crate) use step::{describe_step, describe_subject};

use cwl_engine::{
    Action, BlockIdx, BlockReason, Eligibility, EpisodeIdx, EpisodeKind, EvictionLevel, Fate, GoneReason,
    KeptReason, MessageIdx, ReplacementCause, Session, Subject, Violation,
};

use crate::api::LevelName;
use crate::figures::with_commas;
use crate::measure::branch::Branch;

const NAMES_LISTED: usize = 3;

pub fn write_tokens(number: u64) -> String {
    format!("{} {}", with_commas(number), if number == 1 { "token" } else { "tokens" })
}

fn kind_name(kind: EpisodeKind) -> &'static str {
    match kind {
        EpisodeKind::Action => "act",
        EpisodeKind::Exploratory => "exploration",
        EpisodeKind::Unannotated => "unannotated stretch",
    }
}

fn level_noun(level: EvictionLevel) -> &'static str {
    match level {
        EvictionLevel::Reasoning => "reasoning",
        EvictionLevel::BulkOutput => "search output",
        EvictionLevel::Intermediate => "reads and commands",
        EvictionLevel::WholeEpisode => "everything left",
    }
}

fn list_acts(branch: &Branch, acts: &[EpisodeIdx]) -> String {
    let mut text = if acts.len() == 1 { "act ".to_owned() } else { "acts ".to_owned() };
    let shown = if acts.len() == NAMES_LISTED + 1 { acts.len() } else { acts.len().min(NAMES_LISTED) };
    for (at, act) in acts.iter().take(shown).enumerate() {
        let joint = match at {
            0 => "",
            at if at + 1 == acts.len() => " and ",
            _ => ", ",
        };
        text.push_str(joint);
        text.push_str(branch.growth.graph.episode(*act).name.as_str());
    }
    if acts.len() > shown {
        text.push_str(&format!(" and {} more", acts.len() - shown));
    }
    text
}

/// Explains why a block is or is not in the context. `met` tells whether the budget is met at the cut, `by_graph`
/// whether the policy evicts by the episode graph.
pub(crate) fn describe_fate(
    branch: &Branch,
    episode: Option<EpisodeIdx>,
    fate: &Fate,
    met: bool,
    by_graph: bool,
) -> String {
    let name = || episode.map_or("its episode", |idx| branch.growth.graph.episode(idx).name.as_str());
    match fate {
        Fate::Kept(reason) => match reason {
            KeptReason::Prologue => "kept: it stands before the first episode".into(),
            KeptReason::System => "kept: system content is never evicted".into(),
            KeptReason::Human => "kept: what the human wrote is never evicted".into(),
            KeptReason::NoEpisode => "kept: it belongs to no episode, as its call is unknown".into(),
            KeptReason::Active => format!("kept: {} is still active", name()),
            KeptReason::BlockedBy(waiting) => still_there(branch, episode, waiting),
            KeptReason::InLoop => {
                "kept: it belongs to the last reply, which stays as it is until the next one has come".into()
            }
            KeptReason::Protected => "kept: it is among the protected last human turns".into(),
            KeptReason::LevelOff => "kept: the level that would take it is switched off".into(),
            KeptReason::Eligible if !by_graph => "kept: it may go when this policy needs the room".into(),
            KeptReason::Eligible if met => {
                format!("kept: {} may go, but the budget is met without it", name())
            }
            KeptReason::Eligible => format!("kept so far: {} may go when its turn comes", name()),
            KeptReason::Pinned => "kept: it is pinned, and no policy may take it".into(),
            KeptReason::Recent => "kept: it is among the newest, which this policy keeps".into(),
            KeptReason::OutOfReach => "kept: this policy never takes such content".into(),
        },
        Fate::Masked(_, reason) => {
            let GoneReason::Evicted { action, turn, step, .. } = reason else {
                return "gone: a placeholder stands in its place".into();
            };
            let why = match action {
                Action::Dedupe => "repeats another output",
                Action::Supersede => "was read or written again later",
                _ => "is cleared",
            };
            format!("gone: turn {turn}, step {step}: it {why}; a placeholder stands in its place")
        }
        Fate::Gone(reason) => match reason {
            GoneReason::Evicted { subject: Subject::Episode(_), action: Action::Fold, turn, step } => {
                format!("gone: turn {turn}, step {step} folded {}", name())
            }
            GoneReason::Evicted { subject: Subject::Episode(_), action, turn, step } => {
                match action.level() {
                    None | Some(EvictionLevel::WholeEpisode) => {
                        format!("gone: turn {turn}, step {step} removed {}", name())
                    }
                    Some(level) => {
                        format!(
                            "gone: turn {turn}, step {step} stripped the {} of {}",
                            level_noun(level),
                            name()
                        )
                    }
                }
            }
            GoneReason::Evicted { subject: about, action, turn, step } => {
                let did = match action {
                    Action::Reasoning => "took the reasoning of",
                    Action::BulkOutput => "took the search output of",
                    Action::Intermediate => "took reads and commands of",
                    Action::Shell => "took the shell commands of",
                    Action::Read => "took the reads of",
                    Action::Remove => "removed",
                    Action::DropTurn => "dropped",
                    Action::Clear => "cleared",
                    Action::Dedupe => "dropped the repetition of",
                    Action::Fold => "folded",
                    Action::Supersede => "dropped the older state of",
                    Action::Summarise => "summarised",
                    Action::PageOut => "paged out",
                    Action::PageIn => "moved",
                };
                format!("gone: turn {turn}, step {step} {did} {}", describe_subject(branch, about))
            }
            GoneReason::ArrivedStripped { .. } if !by_graph || episode.is_none() => {
                "gone: what it belongs to had gone before it came in".into()
            }
            GoneReason::ArrivedStripped { level } => format!(
                "gone: it came into {} when that was already at level {} ({})",
                name(),
                level.number(),
                LevelName::from_level(level.number())
            ),
            GoneReason::Harness { by, cause } => {
                let why = match cause {
                    ReplacementCause::Lapse => {
                        return format!(
                            "gone: it is reasoning, sent back only until the human spoke again (record {by})"
                        );
                    }
                    ReplacementCause::Compaction => "the harness put a summary in its place",
                    ReplacementCause::Clearing => "the harness cleared it",
                    ReplacementCause::Rewind => "the human went back to before it",
                    ReplacementCause::Revision => "it was written anew",
                    ReplacementCause::Eviction => "a policy at work in the agent evicted it",
                };
                format!("gone: {why} (record {by})")
            }
            GoneReason::Excluded => "gone: the log keeps it, and the harness does not send it".into(),
        },
    }
}

fn still_there(branch: &Branch, episode: Option<EpisodeIdx>, waiting: &[EpisodeIdx]) -> String {
    let is_stretch =
        episode.is_some_and(|idx| branch.growth.graph.episode(idx).kind == EpisodeKind::Unannotated);
    let (verb, are) = if waiting.len() == 1 { ("draws on it is", "is") } else { ("draw on it are", "are") };
    if is_stretch {
        format!(
            "kept: later {}, which may draw on it, {are} still in the context",
            list_acts(branch, waiting)
        )
    } else {
        format!("kept: {} that {verb} still in the context", list_acts(branch, waiting))
    }
}

pub(crate) enum EpisodeRemainder {
    NotBegun,
    Emptied,
    Description,
    Level(u8),
}

pub(crate) fn episode_left(branch: &Branch, idx: EpisodeIdx, left: &EpisodeRemainder) -> String {
    let kind = kind_name(branch.growth.graph.episode(idx).kind);
    match left {
        EpisodeRemainder::NotBegun => format!("this {kind} has not begun at this turn"),
        EpisodeRemainder::Emptied => "gone: the harness itself took out all of it".into(),
        EpisodeRemainder::Description => format!("gone: only the description of this {kind} is left"),
        EpisodeRemainder::Level(0) => {
            format!("this {kind} is in the context, but for single blocks that this policy may have taken")
        }
        EpisodeRemainder::Level(level @ 1..=3) => {
            format!("partly gone: this {kind} is {}", LevelName::from_level(*level))
        }
        EpisodeRemainder::Level(_) => format!("gone: this policy left nothing of this {kind}"),
    }
}

pub(crate) fn describe_episode(
    branch: &Branch,
    idx: EpisodeIdx,
    level: u8,
    emptied: bool,
    eligibility: &Eligibility,
    met: bool,
) -> String {
    let kind = kind_name(branch.growth.graph.episode(idx).kind);
    let so_far = if level == 0 { String::new() } else { format!(" ({})", LevelName::from_level(level)) };
    match eligibility {
        Eligibility::Eligible if met => {
            format!("this {kind}{so_far} may be evicted as soon as the request exceeds τ; now it fits")
        }
        Eligibility::Eligible => format!("this {kind}{so_far} may go when its turn comes in this pass"),
        Eligibility::Blocked(reason) => match reason {
            BlockReason::Active => format!("kept: this {kind} is still active; nothing of it may go"),
            BlockReason::Dependents(waiting) => {
                format!("{}{so_far}", still_there(branch, Some(idx), waiting))
            }
            BlockReason::Protected => {
                format!("kept{so_far}: it holds blocks of the last human turns, which are protected")
            }
            BlockReason::LevelsOff => {
                format!("kept{so_far}: the levels that would take more are switched off")
            }
            BlockReason::Gone if emptied => "gone: the harness itself took out all of it".into(),
            BlockReason::Gone => format!("gone: this {kind} was removed to meet the budget"),
            BlockReason::Unborn => format!("this {kind} has not begun at this turn"),
        },
    }
}

pub(crate) fn describe_violation(session: &Session, violation: &Violation) -> String {
    let block = |block: &BlockIdx| session.blocks[block.at()].id.to_string();
    let message = |message: &MessageIdx| session.messages[message.at()].entry.to_string();
    let (at, what) = match violation {
        Violation::ResultWithoutCall { block: b } => (block(b), "a result whose call is not there"),
        Violation::CallWithoutResult { block: b } => (block(b), "a call whose result is not there"),
        Violation::EmptyReply { message: m } => (message(m), "a reply of the model with nothing in it"),
        Violation::CallNotAfterUser { message: m } => {
            (message(m), "a call that follows neither the user's turn nor results")
        }
        Violation::ReasoningMissing { message: m } => (
            message(m),
            "the last reply is without the reasoning that it signed, while its tools' results go back",
        ),
        Violation::ReasoningApart { block: b } => (block(b), "reasoning apart from the call that it led to"),
    };
    format!("{at}: {what}")
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(with_commas(number), text);
        }
        assert_eq!(write_tokens(1), "1 token");
        assert_eq!(write_tokens(1204), "1,204 tokens");
    }
}
