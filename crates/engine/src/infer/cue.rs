//! Cues: what the agent's and the human's words reveal about where work starts and ends.

use alloc::string::String;

use super::phrases::{
    ALSO, ANNOUNCES, APPROVES, CHECKS, COMMITS, COUNTED, DONE, LEARNED, LOOKS, NOW, PLURAL, WAITS, WRITES,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cue {
    Announces,
    Now,
    Done,
    Step,
    Heading,
    Learned,
    Commits,
    Also,
    Waits,
    Writes,
    Looks,
    Checks,
    Plural,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cues(pub u16);

impl Cues {
    pub fn contains(self, cue: Cue) -> bool {
        self.0 & (1 << cue as u16) != 0
    }

    fn add_if(&mut self, cue: Cue, is: bool) {
        self.0 |= u16::from(is) << cue as u16;
    }
}

pub(super) fn cues_of(text: &str) -> Cues {
    let text = text.trim();
    let lead = normalize_text(start_of(text, 500));
    let tail = normalize_text(end_of(text, 300));
    let brief = normalize_text(start_of(text, 200));
    let has = |within: &str, phrases: &[&str]| phrases.iter().any(|phrase| within.contains(phrase));
    let mut cues = Cues::default();
    cues.add_if(Cue::Announces, has(&lead, &ANNOUNCES) || has(&tail, &ANNOUNCES));
    cues.add_if(Cue::Now, lead.starts_with(" now ") || has(&lead, &NOW) || has(&tail, &NOW));
    cues.add_if(Cue::Done, has(&normalize_text(start_of(text, 160)), &DONE));
    cues.add_if(Cue::Step, is_numbered(start_of(text, 500), &lead));
    cues.add_if(Cue::Heading, is_heading(text));
    cues.add_if(Cue::Learned, has(&lead, &LEARNED) || has(&tail, &LEARNED));
    cues.add_if(Cue::Commits, has(&lead, &COMMITS));
    cues.add_if(Cue::Also, has(&brief, &ALSO));
    cues.add_if(Cue::Waits, has(&brief, &WAITS));
    cues.add_if(Cue::Writes, has(&tail, &WRITES));
    cues.add_if(Cue::Looks, has(&tail, &LOOKS));
    cues.add_if(Cue::Checks, has(&tail, &CHECKS));
    cues.add_if(Cue::Plural, has(&lead, &PLURAL));
    cues
}

pub(super) fn first_intent(sentence: &str) -> Option<Cue> {
    let text = normalize_text(sentence);
    let first = |phrases: &[&str]| phrases.iter().filter_map(|phrase| text.find(phrase)).min();
    let found = [(first(&LOOKS), Cue::Looks), (first(&WRITES), Cue::Writes)];
    found.into_iter().filter_map(|(at, cue)| Some((at?, cue))).min_by_key(|(at, _)| *at).map(|(_, cue)| cue)
}

pub(super) fn is_approval(text: &str) -> bool {
    let text = text.trim();
    let n_chars = text.chars().take(61).count();
    n_chars <= 6 || n_chars <= 60 && APPROVES.iter().any(|phrase| normalize_text(text).starts_with(phrase))
}

pub(super) fn is_question(text: &str) -> bool {
    end_of(text.trim(), 30).contains(['?', '？'])
}

pub(super) fn tells_of_compaction(text: &str) -> bool {
    let lead = normalize_text(start_of(text, 600));
    ["continued from a previous", "ran out of context", "conversation was summar", "is being compacted"]
        .iter()
        .any(|phrase| lead.contains(phrase))
}

fn is_numbered(text: &str, lead: &str) -> bool {
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

fn normalize_text(text: &str) -> String {
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

pub(super) fn start_of(text: &str, n_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(n_bytes)]
}

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
        let found: Vec<&str> =
            ALL.iter().filter(|(cue, _)| cues.contains(*cue)).map(|(_, name)| *name).collect();
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
            assert_eq!(is_approval(text), expected, "text {text:?}");
        }
        assert!(is_question("why is it slow?"));
        assert!(!is_question("why? I would like to know, so please tell me in every detail"));
        assert!(tells_of_compaction(
            "This session is being continued from a previous conversation that ran out"
        ));
    }
}
