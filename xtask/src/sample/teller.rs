//! Plays a script over the project, and returns the session's events.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::cargo_output::Failure;
use super::clock::Clock;
use super::project::Project;
use super::rng::{BASE62, Rng};
use super::script::{Directive, directives, with_line_numbers};
use super::source_text;
use super::story::{Block, Episode, Event, Reply, Stop, Timed, ToolCall};
use super::tools;

pub(crate) const CWD: &str = "/home/dev/tidewater";

#[derive(Debug, Clone)]
pub(crate) struct Planned<'a> {
    pub(crate) call: ToolCall,
    pub(crate) directive: Directive<'a>,
    /// An output from the script instead of a computed one.
    pub(crate) output: Option<Output<'a>>,
    pub(crate) exit_code: i32,
    pub(crate) failures: Vec<Failure>,
    pub(crate) refused: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) enum Output<'a> {
    Literal(String),
    Generated { kind: &'a str, count: u64 },
}

pub(crate) struct Teller {
    pub(crate) project: Project,
    pub(crate) rng: Rng,
    pub(crate) open: Option<Episode>,
    clock: Clock,
    events: Vec<Timed>,
}

/// Plays `script`; equal scripts and seeds give equal events.
pub(crate) fn tell(script: &str, seed: u64) -> Result<Vec<Timed>> {
    let all = directives(script);
    let first = all.first().filter(|it| it.name == "begin").context("a script begins with @begin TIME")?;
    let mut teller = Teller {
        project: Project::new(source_text::initial_tree()),
        rng: Rng::new(seed),
        open: None,
        clock: Clock::starting(first.rest)?,
        events: Vec::new(),
    };
    teller.push(0, Event::Begin { cwd: CWD.to_owned() });
    let mut rest = &all[1..];
    while let Some((directive, after)) = rest.split_first() {
        let taken = if directive.name == "--" {
            after.iter().take_while(|it| is_in_reply(it.name)).count()
        } else {
            0
        };
        let told =
            if directive.name == "--" { teller.reply(&after[..taken]) } else { teller.outside(directive) };
        told.with_context(|| format!("script line {}", directive.line))?;
        rest = &after[taken..];
    }
    Ok(teller.events)
}

fn is_in_reply(name: &str) -> bool {
    !matches!(name, "--" | "human" | "shell" | "inject" | "model" | "name" | "label" | "at")
}

impl Teller {
    fn push(&mut self, took_ms: u64, event: Event) {
        let began_ms = self.clock.now_ms();
        self.clock.advance(took_ms);
        self.events.push(Timed { began_ms, at_ms: self.clock.now_ms(), event });
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    fn outside(&mut self, directive: &Directive<'_>) -> Result<()> {
        let text = with_line_numbers(&directive.text(), &self.project)?;
        let two = || directive.rest.split_once(' ').context("two words expected");
        let (took_ms, event) = match directive.name {
            "human" => (self.rng.between(45_000, 300_000), Event::Human(text)),
            "shell" => {
                let (command, output) = text.split_once('\n').unwrap_or((&text, ""));
                if command == "git checkout ." {
                    self.project.restore();
                }
                let event = Event::HumanShell {
                    command: command.to_owned(),
                    output: output.to_owned(),
                    exit_code: 0,
                };
                (self.rng.between(20_000, 60_000), event)
            }
            "inject" => {
                let (kind, text) = text.split_once('\n').context("a kind and a text")?;
                (200, Event::Injected { kind: kind.to_owned(), text: text.to_owned() })
            }
            "model" => {
                let (provider, model) = two()?;
                (1_300, Event::Model { provider: provider.to_owned(), model: model.to_owned() })
            }
            "name" => (700, Event::Named(text)),
            "label" => (5_000, Event::Labelled(text)),
            "at" => return self.clock.wait_until(directive.rest),
            other => bail!("@{other} is no directive"),
        };
        self.push(took_ms, event);
        Ok(())
    }

    fn reply(&mut self, directives: &[Directive<'_>]) -> Result<()> {
        let mut blocks = Vec::new();
        let mut planned: Vec<Planned<'_>> = Vec::new();
        let mut stop = None;
        for directive in directives {
            // An output is printed after the edits before it, so line numbers are filled in late.
            let text = directive.text();
            match directive.name {
                "think" => blocks.push(Block::Reasoning(with_line_numbers(&text, &self.project)?)),
                "say" => blocks.push(Block::Text(with_line_numbers(&text, &self.project)?)),
                "error" => stop = Some(Stop::Failed(text)),
                "aborted" => stop = Some(Stop::Aborted),
                "out" | "gen" | "exit" | "fails" | "refused" => {
                    let last = planned
                        .last_mut()
                        .with_context(|| format!("line {}: no call before", directive.line))?;
                    qualify(last, directive, text)?;
                }
                _ => {
                    let (tool, arguments) =
                        tools::call_of(directive).with_context(|| format!("line {}", directive.line))?;
                    let call = ToolCall {
                        id: format!("toolu_01{}", self.rng.text(BASE62, 22)),
                        tool: tool.to_owned(),
                        arguments,
                    };
                    blocks.push(Block::Call(call.clone()));
                    planned.push(Planned {
                        call,
                        directive: directive.clone(),
                        output: None,
                        exit_code: 0,
                        failures: Vec::new(),
                        refused: None,
                    });
                }
            }
        }
        let stop = stop.unwrap_or(if planned.is_empty() { Stop::Finished } else { Stop::ToolUse });
        let reply = Reply { blocks, stop };
        let took_ms = 2_100 + reply.n_chars() as u64 * 5 + self.rng.between(0, 7_000);
        let unanswered = matches!(reply.stop, Stop::Failed(_) | Stop::Aborted);
        self.push(took_ms, Event::Reply(reply));
        if unanswered {
            return Ok(());
        }
        for planned in planned {
            let line = planned.directive.line;
            let result = tools::run(self, &planned).with_context(|| format!("line {line}"))?;
            let took_ms = tools::duration_ms(&planned, &mut self.rng);
            self.push(took_ms, Event::Result(result));
        }
        Ok(())
    }
}

fn qualify<'a>(planned: &mut Planned<'a>, directive: &Directive<'a>, text: String) -> Result<()> {
    match directive.name {
        "out" => planned.output = Some(Output::Literal(text)),
        "gen" => {
            let (kind, count) = directive.rest.split_once(' ').context("a kind and a count")?;
            planned.output = Some(Output::Generated { kind, count: count.parse()? });
        }
        "exit" => planned.exit_code = directive.rest.parse()?,
        "fails" => {
            let (test, message) = text.split_once('\n').context("a test and its message")?;
            planned.failures.push(Failure { test: test.to_owned(), message: message.to_owned() });
        }
        _ => planned.refused = Some(text),
    }
    Ok(())
}

pub(crate) fn opening(episode: &Episode) -> Value {
    let mut arguments = json!({ "action": "start", "name": episode.name, "type": episode.kind });
    if !episode.dependencies.is_empty() {
        arguments["dependencies"] = json!(episode.dependencies);
    }
    arguments
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SCRIPT: &str = "@begin 2026-03-02T08:41:07Z\n@human look\n--\n@think hm\n@start expl look-around\n--\n@read src/lib.rs\n@grep pub mod in src/lib.rs\n--\n@end Seven modules.\n--\n@say Done.\n";

    #[test]
    fn calls_are_followed_by_their_results_in_order() {
        let events = tell(SCRIPT, 1).unwrap();
        let calls: Vec<&str> = events
            .iter()
            .filter_map(|it| match &it.event {
                Event::Reply(reply) => Some(reply),
                _ => None,
            })
            .flat_map(|reply| &reply.blocks)
            .filter_map(|block| match block {
                Block::Call(call) => Some(call.id.as_str()),
                _ => None,
            })
            .collect();
        let results: Vec<&str> = events
            .iter()
            .filter_map(|it| match &it.event {
                Event::Result(result) => Some(result.call_id.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(calls.len(), 4);
        assert_eq!(calls, results);
        assert!(events.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms));
    }

    #[test]
    fn a_script_that_does_not_fit_the_project_is_refused_with_its_line() {
        let error = tell("@begin 2026-03-02T08:41:07Z\n--\n@read src/nothing.rs\n", 1).unwrap_err();
        assert!(format!("{error:#}").contains("line 3: src/nothing.rs is not in the project"), "{error:#}");
        assert!(tell("@human hi\n", 1).is_err());
    }
}
