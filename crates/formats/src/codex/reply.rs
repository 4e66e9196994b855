//! Groups items into replies, and assigns token counts to them.
//!
//! Codex logs one item per part of a reply, and counts its tokens in an event. Since about 0.60: parts,
//! count, then the outputs of the calls; since about 0.130: parts, outputs, then the count. Before 0.60:
//! count first, then each call followed by its output. There, parallel calls look like successive replies,
//! and only the count between two replies separates them.

use std::sync::Arc;

use cwl_engine::Usage;

use crate::adapter::RecordPlace;
use crate::json::Value;
use crate::notes::Notes;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LastItem {
    /// No part of a reply: another author's message, or a new history.
    #[default]
    Other,
    Output,
    Call,
    Words,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    Before,
    Behind,
}

#[derive(Debug, Clone, Default)]
pub(super) struct ReplyBuffer {
    reply: Option<Arc<str>>,
    last: LastItem,
    counting: Option<Counting>,
    /// True if a count came since the reply's last item.
    counted: bool,
    /// Usage of a reply that was counted before its items.
    ahead: Option<Usage>,
    /// JSON of the session's total that was counted last.
    total: Option<String>,
}

impl ReplyBuffer {
    pub(super) fn take_item(&mut self, is_call: bool, at: RecordPlace) -> (Arc<str>, Option<Usage>) {
        let begins = match (self.last, self.counting) {
            (LastItem::Other, _) => true,
            (LastItem::Output, Some(Counting::Before)) => self.counted,
            (LastItem::Output, _) => true,
            (LastItem::Call | LastItem::Words, _) => self.counting == Some(Counting::Before) && self.counted,
        };
        self.last = if is_call { LastItem::Call } else { LastItem::Words };
        self.counted = false;
        let reply = match &self.reply {
            Some(reply) if !begins => Arc::clone(reply),
            _ => Arc::from(at.entry().as_str()),
        };
        self.reply = Some(Arc::clone(&reply));
        (reply, self.ahead.take())
    }

    pub(super) fn take_other(&mut self, is_output: bool) {
        self.last = if is_output && self.reply.is_some() { LastItem::Output } else { LastItem::Other };
    }

    pub(super) fn on_exchange(&mut self) {
        self.last = LastItem::Other;
        self.reply = None;
        self.ahead = None;
    }

    /// Reads a count and returns the usage of the last reply, if the count belongs to it.
    ///
    /// An unchanged total is no new count (only rate limits were refreshed), and a count without input is the
    /// one after a compaction.
    pub(super) fn count_tokens(&mut self, info: Value<'_>, notes: &mut Notes<'_>) -> Option<Usage> {
        let [total, last] = info.fields(["total_token_usage", "last_token_usage"]);
        let total = total.map(|total| total.raw());
        if total.is_some() && total == self.total.as_deref() {
            return None;
        }
        self.total = total.map(str::to_owned);
        let usage = read_usage(last?, notes)?;
        self.counted = true;
        match self.last {
            LastItem::Call => self.counting = Some(Counting::Behind),
            LastItem::Words | LastItem::Output => _ = self.counting.get_or_insert(Counting::Behind),
            LastItem::Other => _ = self.counting.get_or_insert(Counting::Before),
        }
        match (self.counting, self.last) {
            (Some(Counting::Before), _) => {
                self.ahead = Some(usage);
                None
            }
            // A request without a reply in the history, such as one for a summary.
            (_, LastItem::Other) => None,
            _ => self.reply.is_some().then_some(usage),
        }
    }
}

/// `input_tokens` include cache reads and cache writes.
fn read_usage(last: Value<'_>, notes: &mut Notes<'_>) -> Option<Usage> {
    let mut count = |name| notes.tokens(last.get(name), name);
    let input = count("input_tokens").filter(|input| *input > 0)?;
    let cache_read = count("cached_input_tokens").unwrap_or(0).min(input);
    let cache_write = count("cache_write_input_tokens").unwrap_or(0).min(input - cache_read);
    let output = count("output_tokens").unwrap_or(0);
    let reasoning = count("reasoning_output_tokens").unwrap_or(0).min(output);
    let input = input - cache_read - cache_write;
    Some(Usage { input, output, reasoning, cache_read, cache_write, ..Usage::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwl_engine::EntryId;

    /// Plays a script: `r` text, `c` call, `o` output, `u` human message, `x` compaction, `t` count, `=` the
    /// same count again. Shows each item by its reply, and each usage at its place.
    fn play(script: &str) -> String {
        let mut replies = ReplyBuffer::default();
        let mut shown = String::new();
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut sum = 0;
        for (line, letter) in (1..).zip(script.chars()) {
            match letter {
                'r' | 'c' => {
                    let (reply, usage) = replies.take_item(letter == 'c', RecordPlace { line, nth: 1 });
                    if !names.contains(&reply) {
                        names.push(Arc::clone(&reply));
                    }
                    shown += &names.len().to_string();
                    shown += if usage.is_some() { "$" } else { "" };
                }
                'u' => replies.take_other(false),
                'o' => replies.take_other(true),
                'x' => replies.on_exchange(),
                _ => {
                    sum += u64::from(letter == 't');
                    let info = format!(
                        r#"{{"total_token_usage":{{"input_tokens":{sum}}},"last_token_usage":{{"input_tokens":5}}}}"#
                    );
                    let mut problems = Vec::new();
                    let mut notes = Notes::new(1, EntryId::of_line(1), &mut problems);
                    let usage = replies.count_tokens(Value::trusted(&info, 0), &mut notes);
                    shown += if usage.is_some() { "$" } else { "" };
                }
            }
        }
        shown
    }

    #[track_caller]
    fn check(script: &str, expected: &str) {
        assert_eq!(play(script), expected, "{script}");
    }

    #[test]
    fn the_count_behind_the_items() {
        check("urcctoorrcto", "111$222$");
        check("urctorturct", "11$2$33$");
        check("urccootrcotr", "111$22$3");
    }

    #[test]
    fn the_count_before_the_items() {
        check("utrcocotrcotr", "1$112$23$");
        check("utcocotr", "1$12$");
    }

    #[test]
    fn without_counts_an_output_ends_a_reply() {
        check("urcoorcour", "112233".get(..5).unwrap_or_default());
    }

    #[test]
    fn the_same_count_again_counts_nothing() {
        check("urct==oorct=", "11$22$");
        check("utrco=co", "1$11");
    }

    #[test]
    fn a_request_for_a_summary_is_no_reply() {
        check("urct0urt".replace('0', "o").as_str(), "11$2$");
        check("urtutxurt", "1$2$");
        check("utruturxur", "1$2$3");
    }

    #[test]
    fn a_newer_version_goes_on_with_an_old_log() {
        check("utrcotrcourctoorct", "1$12$233$44$");
    }

    #[test]
    fn usage_is_split_without_loss() {
        let check = |json: &str, expected: Option<[u64; 5]>| {
            let mut problems = Vec::new();
            let mut notes = Notes::new(1, EntryId::of_line(1), &mut problems);
            let usage = read_usage(Value::trusted(json, 0), &mut notes);
            let shown = usage.map(|usage| {
                [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning]
            });
            assert_eq!(shown, expected, "{json}");
        };
        check(r#"{"input_tokens":100,"cached_input_tokens":60,"output_tokens":7}"#, Some([40, 60, 0, 7, 0]));
        check(
            r#"{"input_tokens":100,"output_tokens":7,"reasoning_output_tokens":5}"#,
            Some([100, 0, 0, 7, 5]),
        );
        check(
            r#"{"input_tokens":100,"output_tokens":7,"reasoning_output_tokens":50}"#,
            Some([100, 0, 0, 7, 7]),
        );
        check(
            r#"{"input_tokens":100,"cached_input_tokens":60,"cache_write_input_tokens":30}"#,
            Some([10, 60, 30, 0, 0]),
        );
        check(r#"{"input_tokens":100,"cached_input_tokens":160}"#, Some([0, 100, 0, 0, 0]));
        check(r#"{"input_tokens":0,"total_tokens":4307}"#, None);
        check(r#"{"input_tokens":"x"}"#, None);
        check("null", None);
    }
}
