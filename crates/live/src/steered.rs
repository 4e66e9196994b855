//! A live session with its owner: status, changes of settings from outside, and what happened, as events.

use std::collections::VecDeque;
use std::time::{SystemTime, UNIX_EPOCH};

use cwl_api::dto::{
    LiveChangeDto, LiveEventDto, LiveEventKindDto, LivePreviewDto, LiveProcessDto, LiveRefusalDto,
};
use cwl_api::{Tools, count_noun, with_commas};

use crate::given::SettingsFailure;
use crate::list::MessageList;
use crate::opencode_list::OpencodeList;
use crate::pi_list::PiList;
use crate::protocol::{
    Answer, DecideRequest, LiveDecision, LiveVerdictDto, MessagesForm, ReadyAnswer, SetRequest,
};
use crate::session::DecidedRequest;
use crate::{HelloRequest, LiveSession};

/// Events kept, the newest.
const EVENTS_KEPT: usize = 100;
/// Longest reason of an event, in characters.
const REASON_CHARS: usize = 400;

/// A [`LiveSession`] with the process's events.
pub struct SteeredSession {
    live: LiveSession,
    session: String,
    harness: String,
    client: String,
    started_at_ms: u64,
    events: VecDeque<LiveEventDto>,
    n_events: u32,
    last: Option<LiveEventDto>,
    requests: u32,
    evicting: u32,
    passed_through: u32,
    refused: u32,
    /// True if the client does not know the settings in force.
    is_changed: bool,
}

impl SteeredSession {
    /// # Errors
    /// Fails if a setting is invalid, the policy cannot run live, or τ is too small.
    pub fn begin(hello: HelloRequest, tools: &Tools) -> Result<Self, SettingsFailure> {
        let HelloRequest { client, harness, session, settings, messages, parent, .. } = hello;
        let list: Box<dyn MessageList> = match messages.unwrap_or_default() {
            MessagesForm::Pi => Box::new(PiList::new()),
            MessagesForm::Opencode => Box::new(OpencodeList::new(&session, parent.as_deref())),
        };
        Ok(Self {
            live: LiveSession::begin(settings, tools, list)?,
            session,
            harness,
            client,
            started_at_ms: now_ms(),
            events: VecDeque::new(),
            n_events: 0,
            last: None,
            requests: 0,
            evicting: 0,
            passed_through: 0,
            refused: 0,
            is_changed: false,
        })
    }

    pub fn ready(&self) -> ReadyAnswer {
        self.live.ready()
    }

    /// Decides about the next request, and tells the client the settings if others have changed them.
    pub fn decide(&mut self, request: &DecideRequest<'_>) -> Answer {
        let Some(DecidedRequest { mut decision, gone, back }) = self.live.decide(request) else {
            return Answer::Resend;
        };
        if std::mem::take(&mut self.is_changed) {
            decision.settings = Some(Box::new(self.live.ready()));
        }
        self.requests += 1;
        let kind = match decision.verdict {
            LiveVerdictDto::Keep => LiveEventKindDto::Keep,
            LiveVerdictDto::Evict => LiveEventKindDto::Evict,
            LiveVerdictDto::PassThrough => LiveEventKindDto::PassThrough,
        };
        self.evicting += u32::from(kind == LiveEventKindDto::Evict);
        self.passed_through += u32::from(kind == LiveEventKindDto::PassThrough);
        let event = LiveEventDto {
            turn: Some(decision.turn),
            whole: decision.tokens.whole,
            sent: decision.tokens.sent,
            evicted: u32::try_from(decision.evicted).unwrap_or(u32::MAX),
            gone,
            ..self.new_event(kind, describe_decision(&decision, back))
        };
        self.last = Some(event.clone());
        self.keep_event(event);
        Answer::Decision(decision)
    }

    /// Changes settings for the client.
    ///
    /// # Errors
    /// As [`LiveSession::change_settings`].
    pub fn set_by_client(&mut self, request: SetRequest) -> Result<(), SettingsFailure> {
        let before = self.settings_sentence();
        self.live.change_settings(request)?;
        // The answer to the client has all settings.
        self.is_changed = false;
        let now = self.settings_sentence();
        // The extension also tells the process of another model or prompt.
        if now != before {
            self.keep_event(self.new_event(LiveEventKindDto::SetByHarness, now));
        }
        Ok(())
    }

    /// Changes settings for the owner: the window, or the command line.
    ///
    /// # Errors
    /// As [`LiveSession::change_settings`].
    pub fn set_by_owner(&mut self, change: LiveChangeDto) -> Result<(), SettingsFailure> {
        self.live.change_settings(request_of(change))?;
        self.is_changed = true;
        self.keep_event(self.new_event(LiveEventKindDto::SetByOwner, self.settings_sentence()));
        Ok(())
    }

    /// Computes the effect of a change on the last request; nothing changes.
    pub fn preview(&mut self, change: LiveChangeDto) -> LivePreviewDto {
        let nothing = LivePreviewDto {
            refusal: None,
            sent_in_force: 0,
            sent: 0,
            parts_lost: 0,
            tokens_lost: 0,
            parts_back: 0,
            tokens_back: 0,
            says: "no request has come so far".to_owned(),
        };
        if self.live.is_empty() {
            return nothing;
        }
        match self.live.preview(request_of(change)) {
            Err(failure) => {
                let refusal = LiveRefusalDto::from(failure);
                LivePreviewDto { says: refusal.reason.clone(), refusal: Some(refusal), ..nothing }
            }
            Ok(preview) => preview,
        }
    }

    /// Keeps a refused question as an event.
    pub fn note_refusal(&mut self, reason: &str) {
        self.refused = self.refused.saturating_add(1);
        self.keep_event(self.new_event(LiveEventKindDto::Refused, shorten(reason)));
    }

    /// Returns the status with up to `n_events` events.
    pub fn status(&self, n_events: usize) -> LiveProcessDto {
        let ReadyAnswer { policy, budget, options, tokenizer, marks, overhead, .. } = self.live.ready();
        let skipped = self.events.len().saturating_sub(n_events);
        LiveProcessDto {
            session: self.session.clone(),
            harness: self.harness.clone(),
            client: self.client.clone(),
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

    fn settings_sentence(&self) -> String {
        let ReadyAnswer { policy, budget, options, marks, .. } = self.live.ready();
        let options: String = options
            .iter()
            .filter(|(key, value)| (key.as_str(), value.as_str()) != ("keep_last_turn", "true"))
            .map(|(key, value)| format!(", {key}={value}"))
            .collect();
        let tau = if policy == "none" { String::new() } else { format!(" at {}", with_commas(budget)) };
        format!("{policy}{tau}, {marks} marks{options}")
    }

    fn new_event(&self, kind: LiveEventKindDto, says: String) -> LiveEventDto {
        let ReadyAnswer { policy, budget, .. } = self.live.ready();
        LiveEventDto {
            number: self.n_events.saturating_add(1),
            at_ms: now_ms(),
            kind,
            turn: None,
            whole: 0,
            sent: 0,
            evicted: 0,
            policy,
            budget,
            says,
            gone: Vec::new(),
        }
    }

    fn keep_event(&mut self, event: LiveEventDto) {
        self.n_events = event.number;
        if self.events.len() == EVENTS_KEPT {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}

impl std::fmt::Debug for SteeredSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SteeredSession").field("session", &self.session).finish_non_exhaustive()
    }
}

fn request_of(change: LiveChangeDto) -> SetRequest {
    let LiveChangeDto { policy, budget, options, marks } = change;
    SetRequest { policy, budget, options, marks, ..SetRequest::default() }
}

/// Describes a decision; `back` counts parts that are sent again.
fn describe_decision(decision: &LiveDecision, back: usize) -> String {
    let tokens = decision.tokens;
    let over = if tokens.over_budget { "; nothing else may go, and it is over τ" } else { "" };
    let back = match back {
        0 => String::new(),
        n_back => format!("; {} back", count_noun(n_back, "part")),
    };
    match (decision.verdict, &decision.reason) {
        (LiveVerdictDto::PassThrough, reason) => {
            let reason = shorten(reason.as_deref().unwrap_or("the policy cannot decide"));
            format!("{} tokens, all messages: {reason}", with_commas(tokens.whole))
        }
        (LiveVerdictDto::Keep, _) => {
            format!("{} tokens, nothing evicted{over}{back}", with_commas(tokens.sent))
        }
        (LiveVerdictDto::Evict, _) => {
            let parts = count_noun(decision.evicted, "part");
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
