//! Cues: what the words of the agent and of the human say about where work begins and ends.

use alloc::string::String;

use super::phrases::{
    ALSO, ANNOUNCES, APPROVES, CHECKS, COMMITS, COUNTED, DONE, LEARNED, LOOKS, NOW, PLURAL, WAITS, WRITES,
};

/// The cues of a text of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cue {
    /// It says what comes next.
    Announces,
    /// It says what it does now.
    Now,
    /// It says that something is done.
    Done,
    /// It counts steps or items.
    Step,
    /// It begins with a heading.
    Heading,
    /// It says that it knows enough now.
    Learned,
    /// It speaks of a commit or a push.
    Commits,
    /// It goes on with the same.
    Also,
    /// It waits or tries again.
    Waits,
    /// It is going to write.
    Writes,
    /// It is going to look.
    Looks,
    /// It is going to check.
    Checks,
    /// It speaks of all of something.
    Plural,
}

/// A set of cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cues(pub u16);

impl Cues {
    /// Tells whether a cue is in the set.
    pub fn has(self, cue: Cue) -> bool {
        self.0 & (1 << cue as u16) != 0
    }

    fn add(&mut self, cue: Cue, is: bool) {
        self.0 |= u16::from(is) << cue as u16;
    }
}

/// Finds the cues of a text of the agent.
pub(super) fn cues_of(text: &str) -> Cues {
    let text = text.trim();
    let lead = plain(start_of(text, 500));
    let tail = plain(end_of(text, 300));
    let brief = plain(start_of(text, 200));
    let has = |within: &str, phrases: &[&str]| phrases.iter().any(|phrase| within.contains(phrase));
    let mut cues = Cues::default();
    cues.add(Cue::Announces, has(&lead, &ANNOUNCES) || has(&tail, &ANNOUNCES));
    cues.add(Cue::Now, lead.starts_with(" now ") || has(&lead, &NOW) || has(&tail, &NOW));
    cues.add(Cue::Done, has(&plain(start_of(text, 160)), &DONE));
    cues.add(Cue::Step, counts(start_of(text, 500), &lead));
    cues.add(Cue::Heading, is_heading(text));
    cues.add(Cue::Learned, has(&lead, &LEARNED) || has(&tail, &LEARNED));
    cues.add(Cue::Commits, has(&lead, &COMMITS));
    cues.add(Cue::Also, has(&brief, &ALSO));
    cues.add(Cue::Waits, has(&brief, &WAITS));
    cues.add(Cue::Writes, has(&tail, &WRITES));
    cues.add(Cue::Looks, has(&tail, &LOOKS));
    cues.add(Cue::Checks, has(&tail, &CHECKS));
    cues.add(Cue::Plural, has(&lead, &PLURAL));
    cues
}

/// Returns the first of looking and writing that a sentence speaks of; `None` where it speaks of neither.
pub(super) fn first_intent(sentence: &str) -> Option<Cue> {
    let text = plain(sentence);
    let first = |phrases: &[&str]| phrases.iter().filter_map(|phrase| text.find(phrase)).min();
    let found = [(first(&LOOKS), Cue::Looks), (first(&WRITES), Cue::Writes)];
    found.into_iter().filter_map(|(at, cue)| Some((at?, cue))).min_by_key(|(at, _)| *at).map(|(_, cue)| cue)
}

/// Tells whether a human message only approves.
pub(super) fn approves(text: &str) -> bool {
    let text = text.trim();
    let n_chars = text.chars().take(61).count();
    n_chars <= 6 || n_chars <= 60 && APPROVES.iter().any(|phrase| plain(text).starts_with(phrase))
}

/// Tells whether a human message ends with a question.
pub(super) fn asks(text: &str) -> bool {
    end_of(text.trim(), 30).contains(['?', '？'])
}

/// Tells whether a text says that the conversation before it was summed up.
pub(super) fn tells_of_compaction(text: &str) -> bool {
    let lead = plain(start_of(text, 600));
    ["continued from a previous", "ran out of context", "conversation was summar", "is being compacted"]
        .iter()
        .any(|phrase| lead.contains(phrase))
}

/// Tells whether a text counts: `Step 2`, `Fix #3`, `1.` at the start of a line, a heading.
fn counts(text: &str, lead: &str) -> bool {
    let numbered = |phrase: &str| {
        lead.match_indices(phrase)
            .any(|(at, _)| lead[at + phrase.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    let starts = |line: &str| {
        let line = line.trim_start().trim_start_matches('*');
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        line.starts_with('#') || digits > 0 && line[digits..].starts_with(['.', ')'])
    };
    COUNTED.iter().any(|phrase| numbered(phrase)) || text.lines().any(starts)
}

fn is_heading(text: &str) -> bool {
    text.starts_with('#')
        || text.strip_prefix("**").is_some_and(|rest| {
            let line = rest.lines().next().unwrap_or_default();
            line.find("**").is_some_and(|at| (4..=60).contains(&at))
        })
}

/// Returns a text in small letters with single spaces for everything that is no letter or digit, and one at each end.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for c in text.chars() {
        if c.is_alphanumeric() || !c.is_ascii() && !c.is_whitespace() && !"’‘“”，。：、".contains(c)
        {
            plain.extend(c.to_lowercase());
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

/// Returns at most that many bytes from the start.
pub(super) fn start_of(text: &str, n_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(n_bytes)]
}

/// Returns at most that many bytes from the end.
pub(super) fn end_of(text: &str, n_bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(n_bytes))..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const ALL: [(Cue, &str); 13] = [
        (Cue::Announces, "announces"),
        (Cue::Now, "now"),
        (Cue::Done, "done"),
        (Cue::Step, "step"),
        (Cue::Heading, "heading"),
        (Cue::Learned, "learned"),
        (Cue::Commits, "commits"),
        (Cue::Also, "also"),
        (Cue::Waits, "waits"),
        (Cue::Writes, "writes"),
        (Cue::Looks, "looks"),
        (Cue::Checks, "checks"),
        (Cue::Plural, "plural"),
    ];

    fn check(text: &str, expected: &str) {
        let cues = cues_of(text);
        let found: Vec<&str> = ALL.iter().filter(|(cue, _)| cues.has(*cue)).map(|(_, name)| *name).collect();
        assert_eq!(found.join(" "), expected, "text {text:?}");
    }

    #[test]
    fn words_of_the_agent() {
        check("", "");
        check("Let me look at the parser.", "announces looks");
        check("Now let me fix it.", "announces now writes");
        check("I now have the full picture. Let me implement the change.", "announces learned writes");
        check("All tests pass. Let me commit this.", "announces done commits checks plural");
        check("## Step 2: wire it up", "step heading");
        check("**Fixing the parser**", "heading writes");
        check("Fix 2: the header", "step writes");
        check("1. read\n2. write", "step writes looks");
        check("Still running; I'll wait.", "announces waits");
        check("现在修改解析器", "announces writes");
    }

    #[test]
    fn words_of_the_human() {
        for (text, expected) in [
            ("ok", true),
            ("Yes, go on", true),
            ("continue", true),
            ("好的", true),
            ("yes, and then rewrite the whole parser in another language please, with tests", false),
            ("Add a test", false),
            ("fix", true),
        ] {
            assert_eq!(approves(text), expected, "text {text:?}");
        }
        assert!(asks("why is it slow?"));
        assert!(!asks("why? I would like to know, so please tell me in every detail"));
        assert!(tells_of_compaction(
            "This session is being continued from a previous conversation that ran out"
        ));
    }
}
