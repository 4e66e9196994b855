//! The tables `findings` and `reacquisitions`.

use cwl_host::api::{LintFinding, ReacquisitionStoryRow};

use super::corpus_table;
use crate::rows::LogName;
use crate::texts::LogTexts;

corpus_table! {
    FINDINGS "findings" "One row for each finding of `cwl lint`, under the policy and the budget of `sessions`."
    fn push_finding(log: &LogName, finding: &LintFinding, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log.";
        code: Word = finding.code.as_str(), "The rule's code, as in docs/rules.md.";
        severity: Word = finding.severity.name(), "`error`, `warning` or `info`.";
        is_doubt: Flag = finding.doubt, "True if a heuristic rule judges episodes that this program inferred: no finding about the agent.";
        says: Text = texts.text_value(&finding.message), "The finding, as a sentence.";
        line: Line = finding.line, "The line of the finding; null without a line.";
        turn: Turn = finding.turn, "The first turn of the finding; null without a turn.";
        episode: Place = finding.episode, "The episode of the finding; null without an episode.";
        depends_on: Place = finding.on, "The exploration that an act needs, if the finding is about a dependency.";
        strength: PerMille = finding.strength, "The strength of a heuristic rule's evidence; null for certain rules.";
        cost: Tokens = finding.cost, "The cost of the finding under the policy and the budget; null if unknown.";
    }
}

corpus_table! {
    REACQUISITIONS "reacquisitions" "One row for each thing that the agent read again after the policy of `sessions` had evicted it; the first 1,000 of a log, the dearest first."
    fn push_reacquisition(log: &LogName, story: &ReacquisitionStoryRow, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log.";
        kind: Word = word_of(&story.kind), "`file` or `command`.";
        name: Text = texts.text_value(&story.name), "The path or the command.";
        tokens: Tokens = story.tokens, "The size of what was read again.";
        cost: Money = story.cost, "The price of writing that size into the prompt once; null if the model has no known price.";
        same: PerMille = story.same_per_mille, "The share of the lines read again that had been there before, by length.";
        cause: Word = story.cause.name(), "The likely cause.";
        larger_budget: Tokens = story.larger_budget, "A larger budget that would have kept the content; null if none of a few was large enough, or if the content had changed.";
        first_turn: Turn = story.first.turn, "The turn whose reply read the content first.";
        first_line: Line = story.first.line, "The line of the first reading.";
        first_episode: Place = story.first.episode, "The episode of the first reading; null before the first episode.";
        gone_turn: Turn = story.gone.turn, "The first turn whose request lacks the content.";
        again_turn: Turn = story.again.turn, "The turn whose reply read the content again.";
        again_line: Line = story.again.line, "The line of the second reading.";
        again_episode: Place = story.again.episode, "The episode of the second reading; null before the first episode.";
        n_blocks: Count = u64::try_from(story.blocks.len()).ok(), "The blocks that were missing.";
        has_description: Flag = story.left.is_some(), "True if a description stayed in place of the content.";
        n_edits: Count = u64::try_from(story.edits.len()).ok(), "The changes of marks that together would have prevented it; 0 if no change of marks would have.";
        says: Text = texts.text_value(&story.says), "The cause as a sentence.";
    }
}

fn word_of(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}
