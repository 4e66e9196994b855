//! `cargo xtask session`: big sessions for benchmarks, as pi writes them. Each event is written at once, so memory does
//! not limit the size. Nothing depends on clock or machine: the bytes are always the same.

mod clock;
mod rng;
mod story;
mod provider;
mod pi_writer;

use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use self::clock::Clock;
use self::pi_writer::PiWriter;
use self::rng::{BASE62, Rng};
use self::story::{Block, Effect, Episode, Event, Reply, Stop, Timed, ToolCall, ToolResult};

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

/// Writes a session with exactly the given turns, blocks and episodes.
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
        writer: PiWriter::new(Counted { out, n_bytes: 0 }, seed),
        rng: Rng::new(!seed),
        clock: Clock::starting("2026-01-05T07:00:00Z")?,
        size,
        spare: size.blocks - least,
        n_texts: 0,
        words: WORDS.split(' ').collect(),
        recent: VecDeque::new(),
        open: None,
    };
    session.push(0, Event::Begin { cwd: CWD.to_owned() })?;
    for turn in 0..size.turns {
        session.turn(turn)?;
    }
    session.writer.into_inner().out.flush()?;
    Ok(())
}

struct Counted<W> {
    out: W,
    n_bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.n_bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

struct Session<W: Write> {
    writer: PiWriter<Counted<W>>,
    rng: Rng,
    clock: Clock,
    size: Size,
    /// Blocks beyond the minimum, distributed evenly over the turns.
    spare: u64,
    n_texts: u64,
    words: Vec<&'static str>,
    recent: VecDeque<String>,
    open: Option<Episode>,
}

impl<W: Write> Session<W> {
    fn push(&mut self, took_ms: u64, event: Event) -> Result<()> {
        let began_ms = self.clock.now_ms();
        self.clock.advance(took_ms);
        self.writer.write(&Timed { began_ms, at_ms: self.clock.now_ms(), event })
    }

    fn turn(&mut self, turn: u64) -> Result<()> {
        if turn.is_multiple_of(TURNS_PER_TASK) {
            let text = self.text(180);
            self.push(60_000, Event::Human(text))?;
        }
        let mut blocks = Vec::new();
        let mut calls: Vec<(ToolCall, Option<Effect>)> = Vec::new();
        if let Some(index) = self.starting(turn) {
            let (call, effect) = self.opened(index);
            calls.push((call, Some(effect)));
        }
        let spare = share(self.spare, self.size.turns, turn + 1) - share(self.spare, self.size.turns, turn);
        if spare % 2 == 1 {
            let length = self.rng.between(60, 420);
            blocks.push(Block::Reasoning(self.text(length)));
        }
        for _ in 0..spare / 2 {
            calls.push((self.work_call(), None));
        }
        if self.open.is_some() && (turn + 1 == self.size.turns || self.starting(turn + 1).is_some()) {
            let (call, effect) = self.closed();
            calls.push((call, Some(effect)));
        }
        if calls.iter().all(|(_, effect)| effect.is_none()) {
            blocks.push(Block::Text(self.text(90)));
        }
        blocks.extend(calls.iter().map(|(call, _)| Block::Call(call.clone())));
        let stop = if calls.is_empty() { Stop::Finished } else { Stop::ToolUse };
        self.push(2_000, Event::Reply(Reply { blocks, stop }))?;

        let length = self.result_length(turn, spare / 2);
        for (call, effect) in calls {
            let text = match &effect {
                Some(_) => "done".to_owned(),
                None => {
                    let length = self.rng.between(length / 2, length * 3 / 2 + 1);
                    self.text(length)
                }
            };
            let result = ToolResult { call_id: call.id, tool: call.tool, text, effect };
            self.push(40, Event::Result(result))?;
        }
        Ok(())
    }

    /// Bytes per result so that the file has its size when this turn ends.
    fn result_length(&self, turn: u64, n_results: u64) -> u64 {
        let Some(bytes) = self.size.bytes else { return RESULT_BYTES };
        let due = share(bytes, self.size.turns, turn + 1).saturating_sub(self.writer.out().n_bytes);
        (due / n_results.max(1)).saturating_sub(ROW_OVERHEAD).max(24)
    }

    /// The number of an episode that starts at `turn`. Starts are evenly spaced.
    fn starting(&self, turn: u64) -> Option<u64> {
        let (turns, episodes) = (self.size.turns, self.size.episodes);
        let index = (u128::from(turn) * u128::from(episodes)).div_ceil(u128::from(turns)) as u64;
        (index < episodes && share(turns, episodes, index) == turn).then_some(index)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> ToolCall {
        ToolCall { id: format!("toolu_01{}", self.rng.text(BASE62, 22)), tool: tool.to_owned(), arguments }
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

    fn opened(&mut self, index: u64) -> (ToolCall, Effect) {
        let exploratory = index % 5 < 3 || self.recent.is_empty();
        let (kind, name) = if exploratory {
            ("expl", format!("explore-part-{index}"))
        } else {
            ("act", format!("change-part-{index}"))
        };
        let n_dependencies = if exploratory { 0 } else { self.rng.between(1, 4) as usize };
        let dependencies = self.recent.iter().rev().take(n_dependencies).cloned().collect();
        let episode = Episode { name, kind: kind.to_owned(), dependencies };
        let call = self.call("delimiter", opening(&episode));
        self.open = Some(episode.clone());
        (call, Effect::Opened(episode))
    }

    fn closed(&mut self) -> (ToolCall, Effect) {
        let episode = self.open.take().unwrap_or_else(|| Episode {
            name: String::new(),
            kind: "act".to_owned(),
            dependencies: Vec::new(),
        });
        let description = (episode.kind == "expl").then(|| self.text(110));
        if description.is_some() {
            self.recent.push_back(episode.name.clone());
            if self.recent.len() > 12 {
                self.recent.pop_front();
            }
        }
        let arguments = match &description {
            Some(description) => json!({ "action": "end", "description": description }),
            None => json!({ "action": "end" }),
        };
        (self.call("delimiter", arguments), Effect::Closed { episode, description })
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

fn opening(episode: &Episode) -> Value {
    let mut arguments = json!({ "action": "start", "name": episode.name, "type": episode.kind });
    if !episode.dependencies.is_empty() {
        arguments["dependencies"] = json!(episode.dependencies);
    }
    arguments
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
