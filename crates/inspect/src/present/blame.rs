//! Blame in sentences: who made the agent read something again, and the edits that mend it.

use cwl_engine::{Blame, DeclaredKind, Edit, EpisodeName, ReacquisitionCause, ReacquisitionStory};

use super::story::StoryFacts;
use crate::figures::{count_noun, with_commas};

const NAMES_SAID: usize = 3;

impl StoryFacts<'_> {
    /// Tells in one sentence who is to blame for what, as in "`fix` does not name `look`; `src/a.rs` was read again
    /// at turn 7: 301 tokens".
    pub(crate) fn blame_sentence(
        &self,
        stories: &[ReacquisitionStory],
        blame: &Blame,
        tokens: u64,
    ) -> String {
        let of_group: Vec<&ReacquisitionStory> =
            blame.stories.iter().filter_map(|at| stories.get(*at)).collect();
        let Some(largest) = of_group.first().copied() else { return String::new() };
        let turn =
            of_group.iter().map(|story| story.reacquisition.turn).min().unwrap_or(largest.reacquisition.turn);
        let what = self.what_came_back(largest);
        let did = if self.is_file(largest) { "read" } else { "run" };
        let again = match of_group.len() {
            1 => format!("{what} was {did} again at turn {}", with_commas(turn.number().into())),
            n => format!(
                "{what} and {} more came again, first at turn {}",
                with_commas((n - 1) as u64),
                with_commas(turn.number().into())
            ),
        };
        format!("{}; {again}: {}", self.fault_clause(&of_group, blame, largest), count_noun(tokens, "token"))
    }

    fn fault_clause(
        &self,
        of_group: &[&ReacquisitionStory],
        blame: &Blame,
        largest: &ReacquisitionStory,
    ) -> String {
        let who = self.episode_name(blame.episode);
        match &largest.cause {
            ReacquisitionCause::Undeclared => {
                let on = list_some(of_group.iter().map(|story| self.episode_name(story.first)));
                match self.is_inferred(largest) {
                    true => format!("no edge was inferred from {on} to {who}"),
                    false => format!("{who} does not name {on}"),
                }
            }
            ReacquisitionCause::WrongKind { of } if Some(*of) == largest.first => {
                format!("{who} is marked as an act and changes nothing")
            }
            ReacquisitionCause::WrongKind { .. } => {
                format!("{who} is marked as an exploration and changes things")
            }
            ReacquisitionCause::ClosedEarly => {
                format!("{who} was closed while its work went on in {}", self.episode_name(largest.again))
            }
            ReacquisitionCause::ThinDescription { .. }
                if self.episode_description(blame.episode).is_none() =>
            {
                format!("{who} has no description")
            }
            ReacquisitionCause::ThinDescription { .. } => {
                let names = of_group.iter().filter_map(|story| match &story.cause {
                    ReacquisitionCause::ThinDescription { names } => Some(names),
                    _ => None,
                });
                let names = names.flatten().map(|name| self.quote_names(&[*name]));
                format!("{who} never mentions {}", list_some(names))
            }
            ReacquisitionCause::InDescription => {
                format!("the description of {who} says what was needed of it")
            }
            ReacquisitionCause::Unmarked { .. } => format!("no mark covers {who}"),
            ReacquisitionCause::ReadInAct => format!("{who} is an act, which no other episode can name"),
            ReacquisitionCause::StrippedBefore { .. } => format!("{who} had gone before it was needed"),
            ReacquisitionCause::NeededByExploration => {
                format!("explorations name nothing, so nothing kept {who}")
            }
            ReacquisitionCause::TooSmall { .. } => {
                format!("the budget τ is smaller than what {who} worked with")
            }
            ReacquisitionCause::Policy => {
                format!("{} does not go by marks, so none kept {who}", self.run.replay.policy.name)
            }
            ReacquisitionCause::Changed { .. } => format!("what {who} had read was another text by then"),
        }
    }

    pub(crate) fn fix_sentence(&self, edits: &[Edit]) -> Option<String> {
        let mut said: Vec<String> = Vec::new();
        let links = |act: &EpisodeName| {
            let on = edits.iter().filter_map(move |edit| match edit {
                Edit::Link { act: other, on } if other == act => Some(format!("`{on}`")),
                _ => None,
            });
            list_some(on)
        };
        for edit in edits {
            let one = match edit {
                Edit::Link { act, .. } => format!("add {} to the dependencies of `{act}`", links(act)),
                Edit::Retype { of, kind } => {
                    let kind = match kind {
                        DeclaredKind::Action => "an act",
                        DeclaredKind::Exploratory => "an exploration",
                    };
                    format!("mark `{of}` as {kind}")
                }
                Edit::Merge { of } => format!("make `{of}` and the next episode one"),
                Edit::Describe { of, .. } => format!("put the names into the description of `{of}`"),
                _ => continue,
            };
            if !said.contains(&one) {
                said.push(one);
            }
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
}

fn list_some(texts: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    let n_more = all.len().saturating_sub(NAMES_SAID);
    all.truncate(NAMES_SAID);
    if n_more > 0 {
        all.push(count_noun(n_more as u64, "other"));
    }
    match all.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        some => some.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_short_and_says_each_once() {
        let check = |texts: &[&str], expected: &str| {
            assert_eq!(list_some(texts.iter().map(|text| (*text).to_owned())), expected);
        };
        check(&["a"], "a");
        check(&["a", "b", "a"], "a and b");
        check(&["a", "b", "c"], "a, b and c");
        check(&["a", "b", "c", "d"], "a, b, c and 1 other");
        check(&["a", "b", "c", "d", "e"], "a, b, c and 2 others");
    }
}
