//! Prompts for a reader: the guide, pages of the brief, and what was wrong with an earlier answer.

use std::fmt::Write;
use std::ops::RangeInclusive;

use cwl_tokens::{Tokenizer, count_units};

use crate::ApiError;
use crate::api::{MarkProblem, MarksFile};
use crate::brief::{Brief, GUIDE};
use cwl_inspect::marks::describe_problem;

const ANSWER_CHARS: usize = 120_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarksPrompt {
    pub text: String,
    /// The last line of the log in it. `None` if it holds the end of the session.
    pub until: Option<u64>,
}

impl Brief {
    /// Divides the pages into parts whose prompts have at most `most_tokens` tokens; a part with a single page may
    /// have more.
    pub fn divide_parts(&self, most_tokens: u64) -> Vec<RangeInclusive<usize>> {
        let guide = count_tokens(GUIDE);
        let (mut parts, mut first, mut size) = (Vec::new(), 1, guide);
        for page in 1..=self.n_pages() {
            let tokens = self.read_page(page).map_or(0, |page| count_tokens(&page));
            if page > first && size + tokens > most_tokens {
                parts.push(first..=page - 1);
                (first, size) = (page, guide);
            }
            size += tokens;
        }
        parts.push(first..=self.n_pages());
        parts
    }

    /// Writes the prompt for a range of pages, with the marks of the pages before it.
    ///
    /// # Errors
    /// If there is no such page.
    pub fn write_prompt(
        &self,
        pages: &RangeInclusive<usize>,
        so_far: &MarksFile,
    ) -> Result<MarksPrompt, ApiError> {
        let mut text = format!("{GUIDE}\n");
        for page in pages.clone() {
            text.push_str(&self.read_page(page)?);
            text.push('\n');
        }
        let n_pages = self.n_pages();
        let is_end = *pages.end() == n_pages;
        if !so_far.episodes.is_empty() {
            let marks = serde_json::to_string_pretty(&so_far).map_err(ApiError::from_internal)?;
            let _infallible = write!(
                text,
                "The pages before these were read already. The marks so far:\n\n{marks}\n\n\
                 Hand back the episodes that begin in the pages {} to {}. If the last episode of the marks so far \
                 goes on in these pages, hand it back as well, under the same name with its new last line.\n",
                pages.start(),
                pages.end()
            );
        }
        if !is_end {
            text.push_str(
                "More pages follow. An episode that may go on there ends, for now, at the last line here.\n",
            );
        }
        text.push_str("Answer with the JSON document alone.\n");
        Ok(MarksPrompt { text, until: (!is_end).then(|| self.last_line(*pages.end())) })
    }

    fn last_line(&self, page: usize) -> u64 {
        let turns = page.checked_sub(1).and_then(|at| self.pages.get(at)).cloned().unwrap_or_default();
        self.turns[turns].iter().map(|turn| turn.last_line).max().unwrap_or(0)
    }

    /// A hash of all pages, by which marks tell what their reader saw.
    pub fn brief_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.head.as_bytes());
        self.turns.iter().for_each(|turn| {
            hasher.update(turn.text.as_bytes());
        });
        hasher.finalize().to_hex().to_string()
    }
}

impl MarksPrompt {
    pub fn ask_again(&self, answer: &str, problems: &[String]) -> String {
        let shown: String = answer.trim().chars().take(ANSWER_CHARS).collect();
        let mut text = format!("{}\nYou answered:\n\n{shown}\n\nThis is wrong with it:\n\n", self.text);
        for (number, problem) in (1..).zip(problems) {
            let _infallible = writeln!(text, "{number}. {problem}");
        }
        text.push_str("\nMend all of it, and hand back the whole JSON document again.\n");
        text
    }

    pub fn n_tokens(&self) -> u64 {
        count_tokens(&self.text)
    }
}

fn count_tokens(text: &str) -> u64 {
    count_units(Tokenizer::O200k, text).into()
}

pub fn guide_hash() -> String {
    blake3::hash(GUIDE.as_bytes()).to_hex().to_string()
}

/// Adds the marks of a part to those before it; a mark of the same name takes the place of the earlier one.
pub fn merge_marks(so_far: &mut MarksFile, part: MarksFile) {
    for mark in part.episodes {
        match so_far.episodes.iter_mut().find(|known| known.name == mark.name) {
            Some(known) => *known = mark,
            None => so_far.episodes.push(mark),
        }
    }
    so_far.episodes.sort_by_key(|mark| (mark.first, mark.first_block));
}

pub fn list_problems(problems: &[MarkProblem]) -> Vec<String> {
    problems.iter().map(describe_problem).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::Path;

    use super::*;
    use crate::api::FileMark;
    use crate::{LogInput, Tools, load_file};

    fn long_brief() -> Brief {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi/long/input.jsonl");
        let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
        Brief::from_snapshot(&opened).unwrap()
    }

    fn marks(texts: &[(&str, u64, u64)]) -> MarksFile {
        let mark = |(name, first, last): &(&str, u64, u64)| FileMark {
            name: (*name).to_owned(),
            first: *first,
            last: Some(*last),
            ..FileMark::default()
        };
        MarksFile { episodes: texts.iter().map(mark).collect(), ..MarksFile::default() }
    }

    #[test]
    fn parts_hold_every_page_once() {
        let brief = long_brief();
        assert!(brief.n_pages() > 2, "{} pages", brief.n_pages());
        assert_eq!(brief.divide_parts(u64::MAX), [1..=brief.n_pages()]);
        let single: Vec<_> = (1..=brief.n_pages()).map(|page| page..=page).collect();
        assert_eq!(brief.divide_parts(1), single);
        for part in brief.divide_parts(20_000) {
            let prompt = brief.write_prompt(&part, &MarksFile::default()).unwrap();
            assert!(prompt.n_tokens() < 20_200, "{}", prompt.n_tokens());
        }
    }

    #[test]
    fn a_part_has_the_marks_so_far_and_says_whether_more_follows() {
        let brief = long_brief();
        let first = brief.write_prompt(&(1..=1), &MarksFile::default()).unwrap();
        assert!(first.text.starts_with(GUIDE) && first.text.contains("More pages follow."));
        assert!(!first.text.contains("The marks so far"));
        let until = first.until.unwrap();
        let last = brief.n_pages();
        let end = brief.write_prompt(&(last..=last), &marks(&[("look", 4, until)])).unwrap();
        assert!(end.text.contains("The marks so far") && end.text.contains("\"name\": \"look\""));
        assert!(!end.text.contains("More pages follow.") && end.until.is_none());
        let again = end.ask_again("no idea", &["line 3: it is wrong".to_owned()]);
        assert!(again.starts_with(&end.text), "{again}");
        assert!(again.contains("You answered:\n\nno idea\n") && again.contains("\n1. line 3: it is wrong\n"));
    }

    #[test]
    fn a_later_mark_of_a_name_takes_the_place_of_the_earlier_one() {
        let mut so_far = marks(&[("look", 4, 9), ("fix", 10, 12)]);
        merge_marks(&mut so_far, marks(&[("check", 20, 22), ("fix", 10, 19)]));
        assert_eq!(so_far, marks(&[("look", 4, 9), ("fix", 10, 19), ("check", 20, 22)]));
    }
}
