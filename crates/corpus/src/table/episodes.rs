//! The tables `episodes` and `dependencies`.

use cwl_host::api::{EdgeUse, EpisodeNode, JudgedDependency};

use super::corpus_table;
use crate::rows::{LogName, Views};
use crate::texts::LogTexts;

corpus_table! {
    EPISODES "episodes" "One row for each episode, and for each stretch without one."
    fn push_episode(log: &LogName, views: &Views, place: u32, episode: &EpisodeNode, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log.";
        episode: Place = place, "The episode.";
        name: Text = texts.text_value(&episode.name), "The name of the episode.";
        kind: Word = episode.kind.name(), "`expl`, `act` or `unannotated`; an unannotated stretch is no episode.";
        source: Word = episode.source.name(), "Who marked it: `declared` (the agent), `inferred` (this program), `filled`, `written`.";
        confidence: Ratio = episode.confidence, "The confidence that the episode begins here, from 0 to 1; null if the episode was not inferred.";
        is_open: Flag = episode.open, "True if the episode was never ended.";
        first_turn: Turn = episode.first_turn, "The first turn whose request holds a block of the episode.";
        last_turn: Turn = episode.last_turn, "The turn before which the episode was ended, or the turn after the last.";
        first_line: Line = episode.line, "The line of the episode's first block.";
        last_line: Line = episode.last_line, "The line of the episode's last block.";
        tokens: Tokens = episode.tokens, "The size of the whole episode.";
        kept_1: Tokens = episode.kept_at.get(1).copied(), "The size without reasoning.";
        kept_2: Tokens = episode.kept_at.get(2).copied(), "The size without reasoning and output of searches.";
        kept_3: Tokens = episode.kept_at.get(3).copied(), "The size without reasoning, searches, reads, commands and other calls.";
        kept_4: Tokens = episode.kept_at.get(4).copied(), "The size that stays after the eviction of the whole episode: the human's words, and the description of an exploration.";
        n_dependencies: Count = views.n_edges(|(_, act)| act == place), "The explorations that the act names.";
        n_dependents: Count = views.n_edges(|(on, _)| on == place), "The acts that name the exploration.";
        n_problems: Count = u64::try_from(episode.problems.len()).ok(), "Breaches of the protocol in the episode; null if the episode was not declared.";
    }
}

corpus_table! {
    DEPENDENCIES "dependencies" "One row for each exploration that an act names, or uses without naming it."
    fn push_dependency(log: &LogName, edge: &JudgedDependency) {
        log: Key = log.key.clone(), "The log.";
        act: Place = edge.act, "The act.";
        depends_on: Place = edge.on, "The exploration.";
        is_declared: Flag = edge.usage != EdgeUse::Forgotten, "True if the act names the exploration.";
        is_used: Flag = match edge.usage {
            EdgeUse::Used | EdgeUse::Forgotten => Some(true),
            EdgeUse::Unused => Some(false),
            EdgeUse::Untold => None,
        }, "True if the act uses something that the exploration found; null if the act takes too little from anywhere to tell.";
    }
}
