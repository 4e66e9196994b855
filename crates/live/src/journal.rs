//! Decisions and changes of settings of one live session, as events for its owner.

use std::collections::VecDeque;
use std::time::{SystemTime, UNIX_EPOCH};

use cwl_host::api::{LiveEvent, LiveEventKind, LiveEviction, LiveProcessRow};
use cwl_host::{count_noun, with_commas};

use crate::protocol::{LiveVerdict, ReadyAnswer, TokenCounts};

const EVENTS_KEPT: usize = 100;
/// In characters.
const REASON_CHARS: usize = 400;

#[derive(Debug, Clone)]
pub struct SessionNames {
    pub session: String,
    /// Name and version of the harness.
    pub harness: String,
    /// Name and version of the program that asks for decisions.
    pub client: String,
}

#[derive(Debug)]
pub struct DecisionNote<'a> {
    pub turn: Option<u32>,
    pub verdict: LiveVerdict,
    /// For [`LiveVerdict::PassThrough`].
    pub reason: Option<&'a str>,
    pub tokens: TokenCounts,
    /// Parts not sent, earlier evictions included.
    pub evicted: usize,
    pub gone: Vec<LiveEviction>,
    pub n_back: usize,
}

#[derive(Debug)]
pub struct DecisionJournal {
    names: SessionNames,
    started_at_ms: u64,
    events: VecDeque<LiveEvent>,
    n_events: u32,
    last: Option<LiveEvent>,
    requests: u32,
    evicting: u32,
    passed_through: u32,
    refused: u32,
}

impl DecisionJournal {
    pub fn new(names: SessionNames) -> Self {
        Self {
            names,
            started_at_ms: now_ms(),
            events: VecDeque::new(),
            n_events: 0,
            last: None,
            requests: 0,
            evicting: 0,
            passed_through: 0,
            refused: 0,
        }
    }

    pub fn session(&self) -> &str {
        &self.names.session
    }

    pub fn note_decision(&mut self, settings: &ReadyAnswer, note: DecisionNote<'_>) {
        self.requests = self.requests.saturating_add(1);
        let kind = match note.verdict {
            LiveVerdict::Keep => LiveEventKind::Keep,
            LiveVerdict::Evict => LiveEventKind::Evict,
            LiveVerdict::PassThrough => LiveEventKind::PassThrough,
        };
        self.evicting += u32::from(kind == LiveEventKind::Evict);
        self.passed_through += u32::from(kind == LiveEventKind::PassThrough);
        let event = LiveEvent {
            turn: note.turn,
            whole: note.tokens.whole,
            sent: note.tokens.sent,
            evicted: u32::try_from(note.evicted).unwrap_or(u32::MAX),
            ..self.new_event(settings, kind, describe_decision(&note))
        };
        let event = LiveEvent { gone: note.gone, ..event };
        self.last = Some(event.clone());
        self.keep_event(event);
    }

    /// `kind` tells who made the change.
    pub fn note_settings(&mut self, settings: &ReadyAnswer, kind: LiveEventKind) {
        self.keep_event(self.new_event(settings, kind, describe_settings(settings)));
    }

    pub fn note_refusal(&mut self, settings: &ReadyAnswer, reason: &str) {
        self.refused = self.refused.saturating_add(1);
        self.keep_event(self.new_event(settings, LiveEventKind::Refused, shorten(reason)));
    }

    pub fn status(&self, settings: ReadyAnswer, n_events: usize) -> LiveProcessRow {
        let ReadyAnswer { policy, budget, options, tokenizer, marks, overhead, .. } = settings;
        let SessionNames { session, harness, client } = self.names.clone();
        let skipped = self.events.len().saturating_sub(n_events);
        LiveProcessRow {
            session,
            harness,
            client,
            process: std::process::id(),
            started_at_ms: self.started_at_ms,
            policy,
            budget,
            options,
            tokenizer,
            marks,
            overhead,
            requests: self.requests,
            evicting: self.evicting,
            passed_through: self.passed_through,
            refused: self.refused,
            last: self.last.clone(),
            events: self.events.iter().skip(skipped).cloned().collect(),
        }
    }

    fn new_event(&self, settings: &ReadyAnswer, kind: LiveEventKind, says: String) -> LiveEvent {
        LiveEvent {
            number: self.n_events.saturating_add(1),
            at_ms: now_ms(),
            kind,
            turn: None,
            whole: 0,
            sent: 0,
            evicted: 0,
            policy: settings.policy.clone(),
            budget: settings.budget,
            says,
            gone: Vec::new(),
        }
    }

    fn keep_event(&mut self, event: LiveEvent) {
        self.n_events = event.number;
        if self.events.len() == EVENTS_KEPT {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}

pub(crate) fn describe_settings(settings: &ReadyAnswer) -> String {
    let ReadyAnswer { policy, budget, options, marks, .. } = settings;
    let options: String = options
        .iter()
        .filter(|(key, value)| (key.as_str(), value.as_str()) != ("keep_last_turn", "true"))
        .map(|(key, value)| format!(", {key}={value}"))
        .collect();
    let tau = if policy == "none" { String::new() } else { format!(" at {}", with_commas(*budget)) };
    format!("{policy}{tau}, {marks} marks{options}")
}

fn describe_decision(note: &DecisionNote<'_>) -> String {
    let tokens = note.tokens;
    let over = if tokens.over_budget { "; nothing else may go, and it is over τ" } else { "" };
    let back = match note.n_back {
        0 => String::new(),
        n_back => format!("; {} back", count_noun(n_back, "part")),
    };
    match note.verdict {
        LiveVerdict::PassThrough => {
            let reason = shorten(note.reason.unwrap_or("the policy cannot decide"));
            match tokens.whole {
                // Not counted.
                0 => format!("all messages: {reason}"),
                whole => format!("{} tokens, all messages: {reason}", with_commas(whole)),
            }
        }
        LiveVerdict::Keep => {
            format!("{} tokens, nothing evicted{over}{back}", with_commas(tokens.sent))
        }
        LiveVerdict::Evict => {
            let parts = count_noun(note.evicted, "part");
            format!(
                "{} of {} tokens, {parts} evicted{over}{back}",
                with_commas(tokens.sent),
                with_commas(tokens.whole)
            )
        }
    }
}

/// A reason may quote a text of the session.
fn shorten(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown: String = chars.by_ref().take(REASON_CHARS).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
