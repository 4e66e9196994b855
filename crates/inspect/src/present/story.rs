//! Reacquisition stories in sentences: the eviction, the reason to reacquire the content, and advice.

use cwl_engine::{
    AnnotationSource, BlockIdx, EpisodeIdx, EpisodeKind, Material, ReacquisitionCause, ReacquisitionStory,
    ResidueOption, step_that_takes, turn_that_got,
};

use super::sentence::{self, write_tokens};
use crate::figures::{count_noun, saturate_u32, shorten_line, with_commas};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;

const NAME_CHARS: usize = 80;

pub(crate) struct StoryFacts<'a> {
    pub opened: &'a SessionSnapshot,
    pub run: &'a ReplayRun,
    pub material: &'a Material,
}

pub(crate) struct StorySaid {
    pub gone: String,
    pub left: Option<String>,
    pub cause: String,
    pub evidence: Vec<String>,
    pub(crate) advice: String,
}

/// Describes `story`, and returns the evicting step. `same` is the share of the reacquired content that was present
/// before, per mille.
pub(crate) fn tell_story(
    told: &StoryFacts<'_>,
    story: &ReacquisitionStory,
    same: u16,
    larger_budget: Option<u64>,
) -> (StorySaid, Option<u32>) {
    let (gone, step) = eviction_sentence(told, story);
    let (cause, advice) = told.cause_sentences(story, same, larger_budget);
    let said = StorySaid {
        gone,
        left: remaining_description(told, story),
        cause,
        evidence: told.evidence_sentences(story, same),
        advice,
    };
    (said, step)
}

fn eviction_sentence(told: &StoryFacts<'_>, story: &ReacquisitionStory) -> (String, Option<u32>) {
    let run = told.run;
    let reacquisition = &story.reacquisition;
    let Some(number) =
        step_that_takes(&run.replay_input(), &run.replay, reacquisition.gone, reacquisition.held)
    else {
        let episode = told.episode_name(story.first);
        return (format!("it came into {episode} when that was already stripped"), None);
    };
    let pass = run.steps_of_turn(reacquisition.gone);
    let before = number.checked_sub(2).map(|before| &pass.steps[before]);
    let said = sentence::describe_step(&run.branch, &run.replay, &pass, &pass.steps[number - 1], before);
    (said, Some(saturate_u32(number)))
}

fn remaining_description(told: &StoryFacts<'_>, story: &ReacquisitionStory) -> Option<String> {
    let stays = told.run.goes_by_graph() && told.run.replay.options.residue == ResidueOption::Description;
    let episode = told.run.branch.growth.graph.episode(story.first?);
    let description = episode.description.as_deref().filter(|_| stays && episode.leaves_residue())?;
    Some(description.to_owned())
}

impl StoryFacts<'_> {
    pub(crate) fn cause_sentence(&self, story: &ReacquisitionStory, same: u16) -> String {
        self.cause_sentences(story, same, None).0
    }

    pub(crate) fn advice_sentence(&self, story: &ReacquisitionStory) -> String {
        self.cause_sentences(story, 1000, None).1
    }

    fn cause_sentences(
        &self,
        story: &ReacquisitionStory,
        same: u16,
        larger_budget: Option<u64>,
    ) -> (String, String) {
        let larger = larger_budget.map(|budget| format!("a τ of {}", with_commas(budget)));
        let or_larger = larger.as_ref().map_or(String::new(), |larger| format!(", or {larger}"));
        let (x, y) = (self.episode_name(story.first), self.episode_name(story.again));
        let is_inferred = self.is_inferred(story);
        let what = self.what_came_back(story);
        match &story.cause {
            ReacquisitionCause::Changed { by: Some(by) } => {
                let turn = with_commas(self.turn_of_block(*by).into());
                let cause = match self.is_file(story) {
                    true => format!("no mark's fault: {what} was edited at turn {turn} in between"),
                    false => format!(
                        "no mark's fault: something was changed at turn {turn} in between, and {what} was run again after it"
                    ),
                };
                (cause, "nothing: no mark is at fault".to_owned())
            }
            ReacquisitionCause::Changed { by: None } => {
                let part = match self.is_file(story) {
                    true => "another part of the file, or it was changed from outside",
                    false => "the world had changed",
                };
                let share = write_percent(same);
                let cause = format!(
                    "no mark's fault: what came back is another text ({share} of it was there before): {part}"
                );
                (cause, "nothing: no mark is at fault".to_owned())
            }
            ReacquisitionCause::Policy => {
                let policy = self.run.replay.policy.name;
                (
                    format!(
                        "the policy {policy} does not go by what acts declare: no mark would have kept it"
                    ),
                    format!("a policy that goes by episodes, as cwl{or_larger}"),
                )
            }
            ReacquisitionCause::TooSmall { needs } => (
                format!(
                    "τ is too small: what {y} worked with, and what may never go, are {} together, and τ is {}",
                    write_tokens(*needs),
                    with_commas(self.run.replay_input().budget)
                ),
                match larger {
                    Some(larger) => format!("{larger}, or a smaller episode than {y}"),
                    None => format!("a τ above {}, or a smaller episode than {y}", with_commas(*needs)),
                },
            ),
            ReacquisitionCause::Unmarked { held: true } => (
                format!("it was first got in {x}, which no mark covers, so no act could name it"),
                "mark that stretch as an exploration, and name it in the act that uses it".to_owned(),
            ),
            ReacquisitionCause::Unmarked { held: false } => (
                format!("it was read again in {y}, which no mark covers, so {x} was kept for nothing there"),
                format!("mark that stretch as an act that draws on {x}"),
            ),
            ReacquisitionCause::Undeclared => {
                let cause = match is_inferred {
                    true => format!(
                        "no edge was inferred from {x} to {y}, so {x} was free to go while {y} worked"
                    ),
                    false => format!(
                        "{y} does not name {x} as a dependency, so {x} was free to go while {y} worked"
                    ),
                };
                (cause, format!("add {x} to the dependencies of {y}"))
            }
            ReacquisitionCause::WrongKind { of } if Some(*of) == story.first => {
                let and = match self.episode_kind(story.again) {
                    Some(EpisodeKind::Action) if story.first != story.again => {
                        format!(", and name it in {y}")
                    }
                    _ => String::new(),
                };
                (
                    format!(
                        "{x} is marked as an act and changes nothing; acts go first, and no act can name an act"
                    ),
                    format!("mark {x} as an exploration{and}"),
                )
            }
            ReacquisitionCause::WrongKind { .. } => (
                format!(
                    "{y} is marked as an exploration and changes things; explorations name nothing, so {x} was free to go"
                ),
                format!("mark {y} as an act that draws on {x}"),
            ),
            ReacquisitionCause::ClosedEarly => (
                format!(
                    "{x} was closed while its work went on: {y}, the next episode, is of the same kind and got the same again"
                ),
                format!("make {x} and {y} one episode: nothing of an open episode goes"),
            ),
            ReacquisitionCause::ReadInAct => (
                format!("it was read in {x}, an act; no other episode can name an act, so it went with it"),
                format!("read it in an exploration of its own, which {y} can name{or_larger}"),
            ),
            ReacquisitionCause::ThinDescription { names } => {
                let names = self.quote_names(names);
                let lacks = match self.episode_description(story.first) {
                    Some(_) => format!("the description of {x} lacks what {y} needed of it: {names}"),
                    None => format!("{x} has no description; all that {y} needed of it is {names}"),
                };
                (lacks, format!("say {names} in the description of {x}"))
            }
            ReacquisitionCause::InDescription => (
                format!(
                    "the description of {x} has what {y} used of it, and it stayed; only a new run tells whether an agent \
                     that goes by it reads {what} again"
                ),
                "nothing: the description has what was needed".to_owned(),
            ),
            ReacquisitionCause::StrippedBefore { turns } => {
                let turns = match turns {
                    0 => "already".to_owned(),
                    turns => count_noun(u64::from(*turns), "turn"),
                };
                (
                    format!(
                        "{x} had been stripped {turns} before {y} began, so nothing that {y} could declare would have kept it"
                    ),
                    format!("no mark of {y}: a description of {x} that says what is needed later{or_larger}"),
                )
            }
            ReacquisitionCause::NeededByExploration => (
                format!(
                    "{y} is an exploration, and explorations declare nothing, so nothing kept {x} for it"
                ),
                format!(
                    "no mark alone: read it where it is used, in an act that names {x}, or let the description of {x} say more{or_larger}"
                ),
            ),
        }
    }

    fn evidence_sentences(&self, story: &ReacquisitionStory, same: u16) -> Vec<String> {
        let reacquisition = &story.reacquisition;
        let mut evidence = Vec::new();
        let graph = &self.run.branch.growth.graph;
        let is_changed = matches!(story.cause, ReacquisitionCause::Changed { .. });
        if !is_changed {
            evidence.push(match same {
                1000 => "what came back was there before, line by line".to_owned(),
                same => format!("{} of what came back was there before", write_percent(same)),
            });
        }
        if let Some(y) = story.again.filter(|_| !is_changed) {
            let began = self.turn_of_block(graph.episode(y).start);
            let at_work = if reacquisition.gone >= graph.episode(y).first_turn {
                "was at work from"
            } else {
                "began only at"
            };
            evidence.push(format!(
                "it went before turn {}; {} {at_work} turn {}",
                with_commas(reacquisition.gone.number().into()),
                self.episode_name(Some(y)),
                with_commas(began.into())
            ));
        }
        if let (ReacquisitionCause::Undeclared, Some(y)) = (&story.cause, story.again) {
            let declared: Vec<String> =
                graph.dependencies(y).into_iter().map(|on| self.episode_name(Some(on))).collect();
            let y = self.episode_name(Some(y));
            evidence.push(match declared.as_slice() {
                [] => format!("{y} names nothing"),
                some => format!("{y} names {}", some.join(", ")),
            });
        }
        if let [_, others @ ..] = reacquisition.names.as_slice()
            && !others.is_empty()
        {
            evidence.push(format!("it also brought back {}", self.quote_names(others)));
        }
        evidence
    }

    pub(super) fn is_inferred(&self, story: &ReacquisitionStory) -> bool {
        let growth = &self.run.branch.growth;
        let source = story.again.map_or(growth.source, |y| growth.source_of(growth.graph.episode(y)));
        source == AnnotationSource::Inferred
    }

    pub(super) fn episode_name(&self, episode: Option<EpisodeIdx>) -> String {
        match episode {
            Some(idx) => format!("`{}`", self.run.branch.growth.graph.episode(idx).name),
            None => "the time before the first episode".to_owned(),
        }
    }

    fn episode_kind(&self, episode: Option<EpisodeIdx>) -> Option<EpisodeKind> {
        Some(self.run.branch.growth.graph.episode(episode?).kind)
    }

    pub(super) fn episode_description(&self, episode: Option<EpisodeIdx>) -> Option<&str> {
        self.run.branch.growth.graph.episode(episode?).description.as_deref()
    }

    pub(super) fn is_file(&self, story: &ReacquisitionStory) -> bool {
        let first =
            story.reacquisition.names.first().and_then(|name| self.material.names.get(*name as usize));
        first.is_some_and(|name| name.kind == cwl_engine::NameKind::Path)
    }

    pub(super) fn what_came_back(&self, story: &ReacquisitionStory) -> String {
        self.quote_names(story.reacquisition.names.get(..1).unwrap_or_default())
    }

    pub(super) fn quote_names(&self, names: &[u32]) -> String {
        let names = names.iter().filter_map(|name| self.material.names.get(*name as usize));
        let quoted: Vec<String> =
            names.map(|name| format!("`{}`", shorten_line(&name.text, NAME_CHARS))).collect();
        match quoted.as_slice() {
            [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => quoted.concat(),
        }
    }

    pub(super) fn turn_of_block(&self, block: BlockIdx) -> u32 {
        turn_that_got(&self.run.branch.session, block).number()
    }
}

fn write_percent(per_mille: u16) -> String {
    format!("{} %", (u32::from(per_mille) + 5) / 10)
}
