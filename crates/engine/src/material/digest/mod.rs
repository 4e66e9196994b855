//! Digest: picks a block's lines for a summary by fixed rules, without a model.
//!
//! Each rule has a name, a slot and a maximum number of lines per block. The rules read one block
//! at a time in one pass and know English cues only: in another language, they find paths,
//! commands, plans and failures, but few decisions.

mod builder;
mod wording;

pub use builder::DigestBuilder;

use alloc::string::String;
use alloc::vec::Vec;

use strum::{IntoStaticStr, VariantArray};
use wording::{as_line, begins_with_cue, has_cue, sentences};

use crate::{
    BlockKind, CallReading, DelimiterMark, EpisodeKind, MessageClass, SummarySlot, TodoChange, ToolClass,
};

#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    pub kind: &'a BlockKind,
    pub class: MessageClass,
    /// For calls and results; a shell search counts as a search.
    pub tool: Option<ToolClass>,
    pub tool_name: Option<&'a str>,
    pub episode: Option<EpisodeKind>,
    /// `None` unless a call has a known result.
    pub succeeded: Option<bool>,
    pub text: &'a str,
    pub reading: Option<&'a CallReading<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum DigestRule {
    Decided,
    Intended,
    Done,
    Learned,
    Wrote,
    Ran,
    /// An unfinished plan item; only the newest plan counts.
    Planned,
    /// A question by the human, or a reply's last sentence.
    Asked,
    Failed,
    Reported,
    /// A sentence that states a rule; from the model, only prohibitions count.
    Ruled,
}

impl DigestRule {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn slot(self) -> SummarySlot {
        self.slot_and_most().0
    }

    fn slot_and_most(self) -> (SummarySlot, usize) {
        match self {
            Self::Decided => (SummarySlot::Decisions, 3),
            Self::Intended | Self::Done => (SummarySlot::Decisions, 1),
            Self::Learned | Self::Ran => (SummarySlot::Facts, 1),
            Self::Wrote => (SummarySlot::Facts, 5),
            Self::Planned => (SummarySlot::Open, 20),
            Self::Asked => (SummarySlot::Open, 2),
            Self::Failed => (SummarySlot::Errors, 1),
            Self::Reported => (SummarySlot::Errors, 2),
            Self::Ruled => (SummarySlot::Constraints, 8),
        }
    }
}

const DECIDED: &[&str] = &[
    "decided",
    "because",
    "instead of",
    "rather than",
    "chose",
    "choosing",
    "opted",
    "the fix is",
    "root cause",
    "turns out",
    "so that",
    "therefore",
];
const INTENDED: &[&str] = &["i'll", "i’ll", "i will", "i'm going to", "i’m going to", "my plan is"];
const RULED: &[&str] = &[
    "must",
    "must not",
    "never",
    "always",
    "only",
    "do not",
    "don't",
    "don’t",
    "should not",
    "shouldn't",
    "shouldn’t",
    "may not",
    "has to",
    "have to",
    "make sure",
    "required",
    "forbidden",
    "not allowed",
    "at most",
    "at least",
    "under no circumstances",
];
/// Cues for rules in the model's own words, where the other cues are too common.
const FORBIDDEN: &[&str] = &[
    "must not",
    "must never",
    "never",
    "do not",
    "should not",
    "shouldn't",
    "shouldn’t",
    "may not",
    "forbidden",
    "not allowed",
    "under no circumstances",
];
const RULED_AT_START: &[&str] =
    &["use", "avoid", "keep", "ensure", "prefer", "leave", "stick to", "no", "please use", "please keep"];
const TROUBLE: &[&str] = &[
    "error",
    "errors",
    "failed",
    "failure",
    "exception",
    "panicked",
    "fatal",
    "denied",
    "not found",
    "no such",
    "cannot",
    "can't",
    "unable",
    "timed out",
    "undefined",
    "invalid",
];
const PATCH_HEADS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// Lines in text order, each with at most 200 characters and no control characters.
pub fn digest_lines(passage: &Passage<'_>) -> Vec<(DigestRule, String)> {
    let mut lines = DigestLines { found: Vec::new(), n_of: [0; DigestRule::ALL.len()] };
    match (passage.kind, passage.class) {
        (BlockKind::Text, MessageClass::User) => add_rules(passage.text, true, &mut lines),
        (BlockKind::Text, MessageClass::Injected) => add_rules(passage.text, false, &mut lines),
        (BlockKind::Text, MessageClass::Assistant) => add_statements(passage.text, &mut lines),
        (BlockKind::Call(call), _) => {
            if let Some(DelimiterMark::Close { description: Some(description), .. }) = &call.mark {
                let is_act = passage.episode == Some(EpisodeKind::Action);
                lines.push_line(if is_act { DigestRule::Done } else { DigestRule::Learned }, "", description);
            } else if let Some(reading) = passage.reading {
                add_call(passage, reading, &mut lines);
            }
        }
        (BlockKind::Result(result), _) if !result.ok => add_failure(passage, &mut lines),
        (BlockKind::Result(_), _) if passage.tool == Some(ToolClass::Shell) => {
            add_report(passage.text, &mut lines)
        }
        _ => {}
    }
    lines.found
}

struct DigestLines {
    found: Vec<(DigestRule, String)>,
    n_of: [usize; DigestRule::ALL.len()],
}

impl DigestLines {
    fn is_full(&self, rule: DigestRule) -> bool {
        self.n_of[rule as usize] >= rule.slot_and_most().1
    }

    fn push_line(&mut self, rule: DigestRule, label: &str, text: &str) {
        if self.is_full(rule) {
            return;
        }
        if let Some(line) = as_line(label, text)
            && !self.found.iter().any(|(of, known)| *of == rule && *known == line)
        {
            self.n_of[rule as usize] += 1;
            self.found.push((rule, line));
        }
    }
}

fn add_rules(text: &str, by_human: bool, lines: &mut DigestLines) {
    for sentence in sentences(text) {
        let is_question = sentence.ends_with('?');
        if is_question && by_human {
            lines.push_line(DigestRule::Asked, "", sentence);
        } else if !is_question && (has_cue(sentence, RULED) || begins_with_cue(sentence, RULED_AT_START)) {
            lines.push_line(DigestRule::Ruled, "", sentence);
        }
        if lines.is_full(DigestRule::Ruled) && (!by_human || lines.is_full(DigestRule::Asked)) {
            break;
        }
    }
}

fn add_statements(text: &str, lines: &mut DigestLines) {
    let mut last = None;
    for sentence in sentences(text) {
        last = Some(sentence);
        if has_cue(sentence, DECIDED) {
            lines.push_line(DigestRule::Decided, "", sentence);
        } else if !sentence.ends_with('?') && has_cue(sentence, FORBIDDEN) {
            lines.push_line(DigestRule::Ruled, "", sentence);
        } else if !lines.is_full(DigestRule::Intended) && has_cue(sentence, INTENDED) {
            lines.push_line(DigestRule::Intended, "", sentence);
        }
    }
    if let Some(last) = last.filter(|last| last.ends_with('?')) {
        lines.push_line(DigestRule::Asked, "", last);
    }
}

fn add_call(passage: &Passage<'_>, reading: &CallReading<'_>, lines: &mut DigestLines) {
    match (&reading.todo, passage.tool) {
        (Some(TodoChange::Whole(items)), _) => {
            items.iter().for_each(|item| lines.push_line(DigestRule::Planned, "", item));
        }
        (_, Some(ToolClass::Write)) if passage.succeeded == Some(true) => add_write(reading, lines),
        (_, Some(ToolClass::Shell)) if passage.succeeded == Some(true) => {
            let command = reading.command_line().unwrap_or_default();
            let first = command.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            lines.push_line(DigestRule::Ran, "ran ", first);
        }
        _ => {}
    }
}

fn add_write(reading: &CallReading<'_>, lines: &mut DigestLines) {
    // An editor's `view` command only shows a file.
    if reading.command_line().as_deref() == Some("view") {
        return;
    }
    if let Some(path) = reading.path_arguments().next() {
        return lines.push_line(DigestRule::Wrote, "wrote ", path);
    }
    for line in reading.arguments.iter().flat_map(|argument| argument.text.lines()) {
        if let Some(path) = PATCH_HEADS.iter().find_map(|head| line.strip_prefix(head)) {
            lines.push_line(DigestRule::Wrote, "wrote ", path);
        }
    }
}

fn add_failure(passage: &Passage<'_>, lines: &mut DigestLines) {
    let mut of_text = passage.text.lines().filter(|line| !line.trim().is_empty());
    let first = of_text.clone().next();
    let told = of_text.find(|line| speaks_of_trouble(line)).or(first);
    let label = passage.tool_name.map_or(String::new(), |name| alloc::format!("{}: ", shorten_name(name)));
    lines.push_line(DigestRule::Failed, &label, told.unwrap_or("failed without a word"));
}

pub(crate) fn speaks_of_trouble(line: &str) -> bool {
    has_cue(line, TROUBLE)
}

fn shorten_name(name: &str) -> String {
    let name: String = name.chars().take(40).collect();
    as_line("", &name).unwrap_or_default()
}

fn add_report(text: &str, lines: &mut DigestLines) {
    for one in text.lines() {
        let start = one.trim_start();
        let first = start.split_whitespace().next().unwrap_or_default();
        let is_error =
            ["error:", "Error:", "ERROR:", "fatal:", "FATAL:", "FAILED", "FAIL:", "panic:", "ERR!"]
                .contains(&first)
                || first.starts_with("error[")
                || first.ends_with("Error:")
                || first.ends_with("Exception:")
                || start.starts_with("npm ERR!");
        if is_error {
            lines.push_line(DigestRule::Reported, "", start);
            if lines.is_full(DigestRule::Reported) {
                break;
            }
        }
    }
}
