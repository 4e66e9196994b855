//! A session's status for agents: its size, the budget, and what would be evicted next.

use std::fmt::Write;

use cwl_engine::{BlockReason, Eligibility, EpisodeIdx, EpisodeKind, Life, Waits, eligibility_among};
use cwl_inspect::figures::with_commas;
use cwl_inspect::measure::moment::CutContext;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::measure::run::ReplayRun;
use cwl_inspect::present::sentence::write_tokens;

use crate::ApiError;
use crate::api::{ViewCut, ViewSettings};
use crate::brief::{harmless_text, one_line};
use crate::commands::episodes_from;
use crate::export::clean::Cleaner;

const MOST: usize = 8;
const NAME_CHARS: usize = 120;

pub(super) fn describe_status(
    opened: &SessionSnapshot,
    cleaner: &mut Cleaner,
    view: &ViewSettings,
) -> Result<String, ApiError> {
    let (run, moment) = opened.replay_to_cut(view, ViewCut::default())?;
    let whole = ViewSettings { policy: "none".to_owned(), ..view.clone() };
    let (_, all) = opened.replay_to_cut(&whole, ViewCut::default())?;
    let (total, budget, all) = (moment.context.total, run.replay.budget, all.context.total);
    let mut text = format!(
        "turn {}; τ {}; counted in {}\n",
        run.branch.session.last_turn().number(),
        write_tokens(budget),
        run.counted_by(),
    );
    let gone = all.saturating_sub(total);
    let _infallible = match gone {
        0 => writeln!(
            text,
            "the next request carries {}; nothing of it is gone under {}",
            write_tokens(total),
            view.policy
        ),
        gone => writeln!(
            text,
            "the next request would carry {}; under {} {} of them are gone and {} stay",
            write_tokens(all),
            view.policy,
            with_commas(gone),
            with_commas(total),
        ),
    };
    let _infallible = match budget.checked_sub(total) {
        Some(room) => writeln!(text, "there is room for {} before something goes", write_tokens(room)),
        None => writeln!(text, "it is {} over τ, and nothing more may go yet", write_tokens(total - budget)),
    };
    text.push_str(&source(opened, view)?);
    text.push_str(&of_episodes(&run, &moment, cleaner));
    Ok(text)
}

/// Says where the episodes come from: an agent must not take inferred ones for its own.
pub(super) fn source(opened: &SessionSnapshot, view: &ViewSettings) -> Result<String, ApiError> {
    let from = episodes_from(opened, view)?;
    Ok(format!("episodes: {}\n", one_line(&harmless_text(&from.says), NAME_CHARS)))
}

fn of_episodes(run: &ReplayRun, moment: &CutContext, cleaner: &mut Cleaner) -> String {
    let (graph, state) = (&run.branch.growth.graph, &moment.state);
    let mut text = String::new();
    if graph.episodes.is_empty() {
        return "no episode is marked, so this policy takes nothing; mark your work with `delimiter`\n"
            .to_owned();
    }
    let (mut next, mut waiting, mut open) = (Vec::new(), Vec::new(), Vec::new());
    let waits = Waits::new(&run.branch.growth, state);
    for (idx, episode) in graph.episodes() {
        if state.lives[idx.at()] == Life::Open {
            open.push(idx);
            continue;
        }
        match eligibility_among(&run.branch.session, &run.replay.options, &waits, idx) {
            Eligibility::Eligible => next.push((queue_rank(episode.kind), idx)),
            Eligibility::Blocked(BlockReason::Dependents(_)) => waiting.push(idx),
            Eligibility::Blocked(_) => {}
        }
    }
    next.sort_unstable();
    let next: Vec<EpisodeIdx> = next.into_iter().map(|(_, idx)| idx).collect();
    for (title, list) in [
        ("would go next, in this order", &next),
        ("stay for acts that are not gone", &waiting),
        ("open", &open),
    ] {
        let _infallible = writeln!(text, "{title}: {}", if list.is_empty() { "none" } else { "" });
        for idx in list.iter().take(MOST) {
            let episode = graph.episode(*idx);
            let units = episode.blocks.iter().map(|block| run.policy_table().units(*block)).sum();
            let name = one_line(&harmless_text(&cleaner.clean_text(episode.name.as_str())), NAME_CHARS);
            let _infallible = writeln!(
                text,
                "  {} {}, from turn {}, {}",
                kind_name(episode.kind),
                name,
                episode.first_turn.number(),
                write_tokens(run.policy_table().tokens_from_units(units)),
            );
        }
        if list.len() > MOST {
            let _infallible = writeln!(text, "  and {} more", list.len() - MOST);
        }
    }
    text
}

fn queue_rank(kind: EpisodeKind) -> u8 {
    match kind {
        EpisodeKind::Action => 0,
        EpisodeKind::Exploratory => 1,
        EpisodeKind::Unannotated => 2,
    }
}

fn kind_name(kind: EpisodeKind) -> &'static str {
    match kind {
        EpisodeKind::Action => "act",
        EpisodeKind::Exploratory => "exploration",
        EpisodeKind::Unannotated => "unannotated stretch",
    }
}
