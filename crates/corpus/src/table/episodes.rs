//! The tables `episodes` and `dependencies`.

use cwl_host::dto::{DependencyDto, EdgeUseDto, EpisodeDto};

use super::corpus_table;
use crate::rows::{LogName, Views};
use crate::texts::LogTexts;

corpus_table! {
    EPISODES "episodes" "One row for each episode, and for each stretch without one."
    fn push_episode(log: &LogName, views: &Views, place: u32, episode: &EpisodeDto, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log.";
        episode: Place = place, "The episode.";
        name: Text = texts.text_value(&episode.name), "Its name.";
        kind: Word = episode.kind.name(), "`expl`, `act` or `unannotated`, which is a stretch without an episode.";
        source: Word = episode.source.name(), "Who marked it: `declared` (the agent), `inferred` (this program), `filled`, `written`.";
        confidence: Ratio = episode.confidence, "How sure it is that it begins there, from 0 to 1; null where it was not inferred.";
        is_open: Flag = episode.open, "True where it was never ended.";
        first_turn: Turn = episode.first_turn, "The first turn whose request holds a block of it.";
        last_turn: Turn = episode.last_turn, "The turn before which it was ended, or the one after the last.";
        first_line: Line = episode.line, "The line of its first block.";
        last_line: Line = episode.last_line, "The line of its last block.";
        tokens: Tokens = episode.tokens, "Its size with everything in it.";
        kept_1: Tokens = episode.kept_at.get(1).copied(), "What is left of it without reasoning.";
        kept_2: Tokens = episode.kept_at.get(2).copied(), "What is left of it without output of searches as well.";
        kept_3: Tokens = episode.kept_at.get(3).copied(), "What is left of it without reads, commands and other calls as well.";
        kept_4: Tokens = episode.kept_at.get(4).copied(), "What is left of it when it is evicted: the human's words, and of an exploration its description.";
        n_dependencies: Count = views.n_edges(|(_, act)| act == place), "The explorations that it names.";
        n_dependents: Count = views.n_edges(|(on, _)| on == place), "The acts that name it.";
        n_problems: Count = u64::try_from(episode.problems.len()).ok(), "The breaches of the protocol that are about it; null where it was not declared.";
    }
}

corpus_table! {
    DEPENDENCIES "dependencies" "One row for each exploration that an act names, or uses without naming it."
    fn push_dependency(log: &LogName, edge: &DependencyDto) {
        log: Key = log.key.clone(), "The log.";
        act: Place = edge.act, "The act.";
        depends_on: Place = edge.on, "The exploration.";
        is_declared: Flag = edge.usage != EdgeUseDto::Forgotten, "True where the act names it.";
        is_used: Flag = match edge.usage {
            EdgeUseDto::Used | EdgeUseDto::Forgotten => Some(true),
            EdgeUseDto::Unused => Some(false),
            EdgeUseDto::Untold => None,
        }, "Whether something that the exploration found comes back in the act; null where the act takes too little from anywhere to tell.";
    }
}
