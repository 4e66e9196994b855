//! The tables `findings` and `reacquisitions`.

use cwl_host::dto::{LintItemDto, ReacquisitionStoryDto};

use super::corpus_table;
use crate::rows::LogName;
use crate::texts::LogTexts;

corpus_table! {
    FINDINGS "findings" "One row for each finding of `cwl lint`, under the policy and the budget of `sessions`."
    fn push_finding(log: &LogName, finding: &LintItemDto, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log.";
        code: Word = finding.code.as_str(), "The rule, as docs/rules.md lists them.";
        severity: Word = finding.severity.name(), "`error`, `warning` or `info`.";
        is_doubt: Flag = finding.doubt, "True where a rule of thumb speaks about episodes that this program inferred: no finding about the agent.";
        says: Text = texts.text_value(&finding.message), "The finding, as a sentence.";
        line: Line = finding.line, "The line that it is about; null where it is about none.";
        turn: Turn = finding.turn, "The turn at which it shows first; null where it shows at none.";
        episode: Place = finding.episode, "The episode that it is about; null where it is about none.";
        depends_on: Place = finding.on, "The exploration that an act needs, where it is about a dependency.";
        strength: PerMille = finding.strength, "How strong the evidence of a rule of thumb is; null for what is certain.";
        cost: Tokens = finding.cost, "Its cost under the policy and the budget; null where that cannot be said.";
    }
}

corpus_table! {
    REACQUISITIONS "reacquisitions" "One row for each thing that the agent read again after the policy of `sessions` had evicted it; the first 1,000 of a log, the dearest first."
    fn push_reacquisition(log: &LogName, story: &ReacquisitionStoryDto, texts: &mut LogTexts) {
        log: Key = log.key.clone(), "The log.";
        kind: Word = word_of(&story.kind), "`file` or `command`.";
        name: Text = texts.text_value(&story.name), "The path or the command.";
        tokens: Tokens = story.tokens, "The size of what came back.";
        cost: Money = story.cost, "The price of writing it into the prompt once; null where the model's price is not known.";
        same: PerMille = story.same_per_mille, "How much of what came back was there before, by the length of its lines.";
        cause: Word = story.cause.name(), "The likely cause.";
        larger_budget: Tokens = story.larger_budget, "A larger budget at which it would still have been there; null where none of a few was large enough, and where it had changed.";
        first_turn: Turn = story.first.turn, "The turn whose reply got it first.";
        first_line: Line = story.first.line, "The line of what it got.";
        first_episode: Place = story.first.episode, "The episode of that; null before the first episode.";
        gone_turn: Turn = story.gone.turn, "The first turn whose request is without it.";
        again_turn: Turn = story.again.turn, "The turn whose reply got it again.";
        again_line: Line = story.again.line, "The line of what it got then.";
        again_episode: Place = story.again.episode, "The episode of that; null before the first episode.";
        n_blocks: Count = u64::try_from(story.blocks.len()).ok(), "The blocks that were missed.";
        has_description: Flag = story.left.is_some(), "True where a description stayed in its place.";
        n_edits: Count = u64::try_from(story.edits.len()).ok(), "The changes of marks that together would have prevented it; 0 where no change of marks would.";
        says: Text = texts.text_value(&story.says), "The cause as a sentence.";
    }
}

fn word_of(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}
