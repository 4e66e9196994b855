//! A live session with its owner: status, and changes of settings from outside.

use cwl_host::Tools;
use cwl_host::api::{LiveChange, LiveEventKind, LivePreview, LiveProcessRow, LiveRefusal};

use crate::given::SettingsFailure;
use crate::journal::{DecisionJournal, DecisionNote, SessionNames, describe_settings};
use crate::list::MessageList;
use crate::opencode_list::OpencodeList;
use crate::pi_list::PiList;
use crate::protocol::{Answer, DecideRequest, MessagesForm, ReadyAnswer, SetRequest};
use crate::session::DecidedRequest;
use crate::{HelloRequest, LiveSession};

pub trait SteerableSession: Send {
    fn status(&self, n_events: usize) -> LiveProcessRow;

    /// Computes the effect of a change on the last request; nothing changes.
    fn preview(&mut self, change: LiveChange) -> LivePreview;

    /// Changes settings for the owner: the window, or the command line.
    ///
    /// # Errors
    /// Fails if a setting is invalid, the policy cannot run live, or τ is too small; the settings then stay.
    fn set_by_owner(&mut self, change: LiveChange) -> Result<(), SettingsFailure>;
}

pub struct SteeredSession {
    live: LiveSession,
    journal: DecisionJournal,
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
        let live = LiveSession::begin(settings, tools, list)?;
        let journal = DecisionJournal::new(SessionNames { session, harness, client });
        Ok(Self { live, journal, is_changed: false })
    }

    pub fn ready(&self) -> ReadyAnswer {
        self.live.ready()
    }

    /// Decides about the next request, and tells the client the settings if others have changed them.
    pub fn decide(&mut self, request: &DecideRequest<'_>) -> Answer {
        let Some(DecidedRequest { mut decision, gone, back }) = self.live.decide(request) else {
            return Answer::Resend;
        };
        let settings = self.live.ready();
        let note = DecisionNote {
            turn: Some(decision.turn),
            verdict: decision.verdict,
            reason: decision.reason.as_deref(),
            tokens: decision.tokens,
            evicted: decision.evicted,
            gone,
            n_back: back,
        };
        self.journal.note_decision(&settings, note);
        if std::mem::take(&mut self.is_changed) {
            decision.settings = Some(Box::new(settings));
        }
        Answer::Decision(decision)
    }

    /// Changes settings for the client.
    ///
    /// # Errors
    /// As [`LiveSession::change_settings`].
    pub fn set_by_client(&mut self, request: SetRequest) -> Result<(), SettingsFailure> {
        let before = describe_settings(&self.live.ready());
        self.live.change_settings(request)?;
        // The answer to the client has all settings.
        self.is_changed = false;
        let now = self.live.ready();
        // The extension also tells the process of another model or prompt.
        if describe_settings(&now) != before {
            self.journal.note_settings(&now, LiveEventKind::SetByHarness);
        }
        Ok(())
    }

    pub fn note_refusal(&mut self, reason: &str) {
        self.journal.note_refusal(&self.live.ready(), reason);
    }
}

impl SteerableSession for SteeredSession {
    fn status(&self, n_events: usize) -> LiveProcessRow {
        self.journal.status(self.live.ready(), n_events)
    }

    fn preview(&mut self, change: LiveChange) -> LivePreview {
        if self.live.is_empty() {
            return empty_preview();
        }
        self.live.preview(change.into()).unwrap_or_else(refused_preview)
    }

    fn set_by_owner(&mut self, change: LiveChange) -> Result<(), SettingsFailure> {
        self.live.change_settings(change.into())?;
        self.is_changed = true;
        self.journal.note_settings(&self.live.ready(), LiveEventKind::SetByOwner);
        Ok(())
    }
}

impl std::fmt::Debug for SteeredSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SteeredSession").field("session", &self.journal.session()).finish_non_exhaustive()
    }
}

impl From<LiveChange> for SetRequest {
    fn from(change: LiveChange) -> Self {
        let LiveChange { policy, budget, options, marks } = change;
        Self { policy, budget, options, marks, ..Self::default() }
    }
}

pub fn empty_preview() -> LivePreview {
    LivePreview {
        refusal: None,
        sent_in_force: 0,
        sent: 0,
        parts_lost: 0,
        tokens_lost: 0,
        parts_back: 0,
        tokens_back: 0,
        says: "no request has come so far".to_owned(),
    }
}

pub fn refused_preview(failure: SettingsFailure) -> LivePreview {
    let refusal = LiveRefusal::from(failure);
    LivePreview { says: refusal.reason.clone(), refusal: Some(refusal), ..empty_preview() }
}
