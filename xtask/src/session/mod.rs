//! `cargo xtask session`: big sessions for benchmarks, as pi writes them. Each event is written at once, so memory does
//! not limit the size. Nothing depends on clock or machine: the bytes are always the same.

mod rng;
mod provider;
mod pi_writer;

use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use self::pi_writer::{PiWriter, Reply, ToolCall};
use self::rng::{BASE62, Rng};

/// The arguments of `cargo xtask session`.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// The file to write
    out: PathBuf,
    #[command(flatten)]
    size: Size,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
struct Size {
    /// Replies of the model
    #[arg(long)]
    turns: u64,
    /// Human texts, reasoning, texts, calls and results together
    #[arg(long)]
    blocks: u64,
    #[arg(long)]
    episodes: u64,
    /// File size in bytes, met within a few per cent if the blocks leave enough space
    #[arg(long)]
    bytes: Option<u64>,
}

pub(crate) fn run(SessionArgs { out, size }: &SessionArgs) -> Result<()> {
    let file = std::fs::File::create(out).with_context(|| format!("creating {}", out.display()))?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    write(&mut file, *size, 0x5742)?;
    file.flush().with_context(|| format!("writing {}", out.display()))
}

const CWD: &str = "/home/dev/tidewater";
const TURNS_PER_TASK: u64 = 25;
/// Bytes in a row besides its text: ids, times, usage.
const ROW_OVERHEAD: u64 = 330;
const RESULT_BYTES: u64 = 700;

/// Words for all texts. Identifiers and signs are as frequent as in code.
const WORDS: &str = "entry feed poller let self.store cursor Result<()> match retry await?; schedule index // because \
                     the returns fn pub row page unread folder assert_eq! token stream query None Some(id) if else => \
                     window";

fn write(out: impl Write, size: Size, seed: u64) -> Result<()> {
    ensure!(size.turns > 0, "a session needs a turn");
    ensure!(
        size.episodes <= size.turns / 2,
        "{} turns have room for {} episodes",
        size.turns,
        size.turns / 2
    );
    // A block per reply, a call and a result at both ends of an episode, and the human's messages.
    let least = size.turns + 2 * size.episodes + size.turns.div_ceil(TURNS_PER_TASK);
    ensure!(
        size.blocks >= least,
        "{} turns and {} episodes need at least {least} blocks",
        size.turns,
        size.episodes
    );
    let mut session = Session {
        writer: PiWriter::new(out, seed, CWD)?,
        rng: Rng::new(!seed),
        size,
        spare: size.blocks - least,
        n_texts: 0,
        words: WORDS.split(' ').collect(),
        recent: VecDeque::new(),
        open: None,
    };
    for turn in 0..size.turns {
        session.turn(turn)?;
    }
    session.writer.finish()
}

struct Session<W: Write> {
    writer: PiWriter<W>,
    rng: Rng,
    size: Size,
    /// Blocks beyond the minimum, distributed evenly over the turns.
    spare: u64,
    n_texts: u64,
    words: Vec<&'static str>,
    recent: VecDeque<String>,
    /// The open episode, as the delimiter tool describes it.
    open: Option<Value>,
}

impl<W: Write> Session<W> {
    fn turn(&mut self, turn: u64) -> Result<()> {
        if turn.is_multiple_of(TURNS_PER_TASK) {
            let text = self.text(180);
            self.writer.human(&text)?;
        }
        let mut calls = Vec::new();
        if let Some(index) = self.starting(turn) {
            calls.push(self.start_episode(index));
        }
        let spare = share(self.spare, self.size.turns, turn + 1) - share(self.spare, self.size.turns, turn);
        let reasoning = (spare % 2 == 1).then(|| {
            let length = self.rng.between(60, 420);
            self.text(length)
        });
        for _ in 0..spare / 2 {
            calls.push(self.work_call());
        }
        let ends = turn + 1 == self.size.turns || self.starting(turn + 1).is_some();
        if let Some(episode) = self.open.take_if(|_| ends) {
            calls.push(self.end_episode(episode));
        }
        let text = calls.iter().all(|call| call.details.is_none()).then(|| self.text(90));
        let reply = Reply { reasoning, text, calls };
        self.writer.reply(&reply)?;

        let length = self.result_length(turn, spare / 2);
        for call in reply.calls {
            let text = if call.details.is_some() {
                "done".to_owned()
            } else {
                let length = self.rng.between(length / 2, length * 3 / 2 + 1);
                self.text(length)
            };
            self.writer.result(call, &text)?;
        }
        Ok(())
    }

    /// Bytes per result so that the file has its size when this turn ends.
    fn result_length(&self, turn: u64, n_results: u64) -> u64 {
        let Some(bytes) = self.size.bytes else { return RESULT_BYTES };
        let due = share(bytes, self.size.turns, turn + 1).saturating_sub(self.writer.n_bytes);
        (due / n_results.max(1)).saturating_sub(ROW_OVERHEAD).max(24)
    }

    /// The number of an episode that starts at `turn`. Starts are evenly spaced.
    fn starting(&self, turn: u64) -> Option<u64> {
        let (turns, episodes) = (self.size.turns, self.size.episodes);
        let index = (u128::from(turn) * u128::from(episodes)).div_ceil(u128::from(turns)) as u64;
        (index < episodes && share(turns, episodes, index) == turn).then_some(index)
    }

    fn call(&mut self, tool: &'static str, arguments: Value) -> ToolCall {
        let id = format!("toolu_01{}", self.rng.text(BASE62, 22));
        ToolCall { id, tool, arguments, details: None }
    }

    fn delimiter(&mut self, arguments: Value, episode: &Value) -> ToolCall {
        let details = json!({ "chunkEvent": { "action": arguments["action"], "chunk": episode } });
        ToolCall { details: Some(details), ..self.call("delimiter", arguments) }
    }

    fn work_call(&mut self) -> ToolCall {
        let file = self.rng.between(0, 900);
        match self.rng.between(0, 10) {
            0..=3 => self.call("read", json!({ "path": format!("src/part_{file}.rs") })),
            4..=6 => self.call("bash", json!({ "command": format!("cargo test part_{file}") })),
            7..=8 => self.call("grep", json!({ "pattern": format!("fn step_{file}"), "path": "src" })),
            _ => {
                let (old, new) = (self.text(120), self.text(160));
                self.call(
                    "edit",
                    json!({ "path": format!("src/part_{file}.rs"), "oldText": old, "newText": new }),
                )
            }
        }
    }

    fn start_episode(&mut self, index: u64) -> ToolCall {
        let exploratory = index % 5 < 3 || self.recent.is_empty();
        let episode = if exploratory {
            json!({ "name": format!("explore-part-{index}"), "type": "expl" })
        } else {
            let n_dependencies = self.rng.between(1, 4) as usize;
            let dependencies: Vec<&String> = self.recent.iter().rev().take(n_dependencies).collect();
            json!({ "name": format!("change-part-{index}"), "type": "act", "dependencies": dependencies })
        };
        let mut arguments = json!({ "action": "start" });
        for (name, field) in episode.as_object().into_iter().flatten() {
            arguments[name] = field.clone();
        }
        let call = self.delimiter(arguments, &episode);
        self.open = Some(episode);
        call
    }

    fn end_episode(&mut self, mut episode: Value) -> ToolCall {
        let mut arguments = json!({ "action": "end" });
        if episode["type"] == "expl" {
            arguments["description"] = json!(self.text(110));
            episode["description"] = arguments["description"].clone();
            self.recent.push_back(episode["name"].as_str().unwrap_or_default().to_owned());
            if self.recent.len() > 12 {
                self.recent.pop_front();
            }
        }
        self.delimiter(arguments, &episode)
    }

    fn text(&mut self, length: u64) -> String {
        let mut text = String::with_capacity(length as usize + 24);
        text.push_str(&format!("{:x}", self.n_texts));
        self.n_texts += 1;
        while (text.len() as u64) < length {
            let bits = self.rng.next();
            for step in 0..10 {
                text.push(if step == 9 { '\n' } else { ' ' });
                text.push_str(self.words[(bits >> (step * 5)) as usize % self.words.len()]);
            }
            text.push_str(&format!(" {:x}", bits >> 52));
        }
        text.truncate(length.max(8) as usize);
        text
    }
}

/// How much of `total` is due after `done` of `parts` equal parts.
fn share(total: u64, parts: u64, done: u64) -> u64 {
    (u128::from(total) * u128::from(done) / u128::from(parts.max(1))) as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rows(size: Size) -> Vec<Value> {
        let mut bytes = Vec::new();
        write(&mut bytes, size, 9).unwrap();
        String::from_utf8(bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    fn check(size: Size) {
        let rows = rows(size);
        let role = |wanted: &str| rows.iter().filter(|row| row["message"]["role"] == wanted).count() as u64;
        let in_messages: u64 = rows
            .iter()
            .filter_map(|row| row["message"]["content"].as_array())
            .map(|content| content.len() as u64)
            .sum();
        let events = |action: &str| {
            rows.iter().filter(|row| row["message"]["details"]["chunkEvent"]["action"] == action).count()
                as u64
        };
        assert_eq!(role("assistant"), size.turns);
        assert_eq!(in_messages, size.blocks);
        assert_eq!((events("start"), events("end")), (size.episodes, size.episodes));
    }

    #[test]
    fn exactly_as_many_as_asked_for() {
        check(Size { turns: 1, blocks: 2, episodes: 0, bytes: None });
        check(Size { turns: 2, blocks: 5, episodes: 1, bytes: None });
        check(Size { turns: 100, blocks: 1_000, episodes: 31, bytes: None });
        check(Size { turns: 333, blocks: 4_321, episodes: 166, bytes: Some(900_000) });
    }

    #[test]
    fn the_file_has_about_the_bytes_asked_for() {
        let mut bytes = Vec::new();
        write(&mut bytes, Size { turns: 200, blocks: 2_000, episodes: 20, bytes: Some(2_000_000) }, 9)
            .unwrap();
        assert!((1_900_000..2_100_000).contains(&bytes.len()), "{}", bytes.len());
    }

    #[test]
    fn texts_are_distinct() {
        let rows = rows(Size { turns: 200, blocks: 3_000, episodes: 20, bytes: None });
        let mut texts: Vec<&str> = rows
            .iter()
            .filter(|row| row["message"]["role"] == "toolResult" && row["message"]["toolName"] != "delimiter")
            .filter_map(|row| row["message"]["content"][0]["text"].as_str())
            .collect();
        let n_texts = texts.len();
        texts.sort_unstable();
        texts.dedup();
        assert!(n_texts > 1_000);
        assert_eq!(texts.len(), n_texts);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for size in [
            Size { turns: 0, blocks: 10, episodes: 0, bytes: None },
            Size { turns: 10, blocks: 100, episodes: 6, bytes: None },
            Size { turns: 10, blocks: 5, episodes: 0, bytes: None },
        ] {
            assert!(write(Vec::new(), size, 1).is_err(), "{size:?}");
        }
    }
}
