//! One live session: settings, list of messages, and decisions.

use std::collections::HashMap;

use cwl_engine::{BlockKind, Content, ContentBlock, EventIdx, SessionBlock, TurnIdx};
use cwl_formats::REDACTED_REASONING;
use cwl_host::Tools;
use cwl_host::api::{LiveEviction, LivePreview};
use cwl_inspect::{DecisionSettings, EvictionDecision, MessageEdit, MessagePlaces, SessionHistory, decide};
use cwl_tokens::{Tokenizer, count_units};
use serde_json::value::RawValue;

use crate::checked::CheckedDecision;
use crate::given::{GivenSettings, SettingsFailure};
use crate::gone::{EvictedParts, describe_effect, group_by_reason};
use crate::list::{ListChange, MessageList};
use crate::marks::{MarkFacts, MarksChoice};
use crate::protocol::{
    DecideRequest, InsertedMark, LiveDecision, PartCounts, ReadyAnswer, SetRequest, TokenCounts,
};
use crate::record::EvictedState;

pub(crate) struct DecidedRequest {
    pub(crate) decision: LiveDecision,
    pub(crate) gone: Vec<LiveEviction>,
    pub(crate) back: usize,
}

pub struct LiveSession {
    given: GivenSettings,
    settings: DecisionSettings,
    tokenizer: Tokenizer,
    marks: MarksChoice,
    tools: Tools,
    list: Box<dyn MessageList>,
    history: SessionHistory,
    facts: MarkFacts,
    /// Units per residue text, each counted once.
    residues: HashMap<String, u32>,
    /// State after the last decision; `None` if the next record must be complete.
    last: Option<EvictedState>,
    left_out: EvictedParts,
}

impl LiveSession {
    pub(crate) fn begin(
        request: SetRequest,
        tools: &Tools,
        list: Box<dyn MessageList>,
    ) -> Result<Self, SettingsFailure> {
        let given = GivenSettings::default().with_request(request);
        let (settings, tokenizer, marks) = given.resolve()?;
        settings.check(settings.overhead.tokens_at(TurnIdx::FIRST))?;
        let history = new_history(tools, tokenizer);
        let (facts, tools) = (MarkFacts::default(), tools.clone());
        let (residues, left_out) = (HashMap::new(), EvictedParts::default());
        Ok(Self {
            given,
            settings,
            tokenizer,
            marks,
            tools,
            list,
            history,
            facts,
            residues,
            last: None,
            left_out,
        })
    }

    /// Changes settings. Another tokenizer or mark source empties the list, so the client must send all messages
    /// again.
    ///
    /// # Errors
    /// Fails as `begin` does; the previous settings then stay in force.
    pub fn change_settings(&mut self, request: SetRequest) -> Result<(), SettingsFailure> {
        let given = self.given.with_request(request);
        let (settings, tokenizer, marks) = self.resolve_change(&given)?;
        if (tokenizer, marks) != (self.tokenizer, self.marks) {
            // All texts must be counted again, and texts are kept only for inferred marks.
            self.list.clear();
            (self.facts, self.residues) = (MarkFacts::default(), HashMap::new());
            self.history = new_history(&self.tools, tokenizer);
        }
        self.last = None;
        (self.given, self.settings, self.tokenizer, self.marks) = (given, settings, tokenizer, marks);
        Ok(())
    }

    fn resolve_change(
        &mut self,
        given: &GivenSettings,
    ) -> Result<(DecisionSettings, Tokenizer, MarksChoice), SettingsFailure> {
        let (settings, tokenizer, marks) = given.resolve()?;
        let fixed = match tokenizer == self.tokenizer {
            true => self.history.fixed_tokens(&settings.overhead),
            false => settings.overhead.tokens_at(TurnIdx::FIRST),
        };
        settings.check(fixed)?;
        Ok((settings, tokenizer, marks))
    }

    pub fn is_empty(&self) -> bool {
        self.list.n_places() == 0
    }

    /// Computes the effect of a change on the last request; nothing changes.
    ///
    /// # Errors
    /// Fails as [`change_settings`](Self::change_settings) does, and for another source of marks, for which the
    /// client must send all messages again.
    pub fn preview(&mut self, request: SetRequest) -> Result<LivePreview, SettingsFailure> {
        let (changed, tokenizer, marks) = self.resolve_change(&self.given.with_request(request))?;
        if (tokenizer, marks) != (self.tokenizer, self.marks) {
            let reason =
                "another source of marks takes effect with the next request, and has no figures before";
            return Err(reason.to_owned().into());
        }
        let in_force = self.settings.clone();
        let now = self.decide_under(&in_force);
        let then = self.decide_under(&changed);
        Ok(describe_effect(&now, &then))
    }

    pub fn ready(&self) -> ReadyAnswer {
        self.given.in_force(&self.settings, self.tokenizer, self.marks)
    }

    pub(crate) fn decide(&mut self, request: &DecideRequest<'_>) -> Option<DecidedRequest> {
        match self.advance(request.from, &request.digest, &request.messages) {
            ListChange::Unknown => return None,
            ListChange::Changed | ListChange::Restarted => {
                (self.last, self.left_out) = (None, EvictedParts::default())
            }
            ListChange::Grew => {}
        }
        let decided = self.decide_under(&self.settings.clone());
        let left_out = EvictedParts::from_evicted(&decided.evicted);
        let gone = group_by_reason(self.left_out.filter_new(&decided.evicted));
        let (back, _) = self.left_out.beyond(&left_out);
        self.left_out = left_out;
        Some(DecidedRequest { decision: self.answer(decided), gone, back })
    }

    fn decide_under(&mut self, settings: &DecisionSettings) -> CheckedDecision {
        let tokenizer = self.tokenizer;
        let (list, marks, facts, residues) = (&self.list, self.marks, &mut self.facts, &mut self.residues);
        let place_of = |row: &SessionBlock| list.place_of(row);
        let decision = decide(
            &mut self.history,
            settings,
            |session| facts.annotate(marks, session),
            &MessagePlaces { n_messages: list.n_places(), place_of: &place_of },
            |text| match residues.get(text) {
                Some(units) => *units,
                None => {
                    let units = count_units(tokenizer, text);
                    residues.insert(text.to_owned(), units);
                    units
                }
            },
        );
        let refusal = self.refusal(settings, &decision);
        CheckedDecision::new(decision, refusal)
    }

    fn advance(&mut self, from: usize, digest: &str, messages: &[&RawValue]) -> ListChange {
        let tokenizer = self.tokenizer;
        let (keeps_texts, facts) = (self.marks != MarksChoice::Declared, &mut self.facts);
        let mut first = self.history.log().events().len();
        let mut texts = Vec::new();
        let mut count_block = |block: &ContentBlock, content: &Content| {
            if keeps_texts {
                texts.push(content.text.clone());
            }
            units_of(tokenizer, block, content)
        };
        let change = self.list.advance(from, digest, messages, &mut self.history, &mut count_block);
        if change == ListChange::Restarted {
            (*facts, first) = (MarkFacts::default(), 0);
        }
        let mut texts = texts.into_iter();
        for (at, event) in self.history.log().events().iter().enumerate().skip(first).filter(|_| keeps_texts)
        {
            for (part, _) in (0u32..).zip(event.body.all_blocks()) {
                facts.keep_text((EventIdx::new(at), part), &texts.next().unwrap_or_default());
            }
        }
        change
    }

    fn refusal(&mut self, settings: &DecisionSettings, decision: &EvictionDecision) -> Option<String> {
        if settings.policy.name == "none" {
            return None;
        }
        if let Some((message, what)) = self.list.first_unread() {
            return Some(format!("message {message} is not understood whole ({what})"));
        }
        // If the prompt is among the messages, its size was unknown when the settings were checked.
        let is_over = decision.figures.over_budget;
        let fixed = if is_over { self.history.fixed_tokens(&settings.overhead) } else { 0 };
        let checked = settings.check(fixed);
        checked.err().map(|error| error.to_string())
    }

    fn answer(&mut self, decided: CheckedDecision) -> LiveDecision {
        let CheckedDecision { turn, verdict, passes, edits, evicted, figures } = decided;
        let state = EvictedState::from_edits(&edits, &evicted);
        let record = state.record_since(self.last.as_ref(), self.list.n_places(), figures.overhead);
        self.last = Some(state);
        let mut answer = LiveDecision {
            turn: u32::try_from(turn.at() + 1).unwrap_or(u32::MAX),
            verdict,
            reason: passes,
            tokens: TokenCounts {
                whole: figures.whole,
                sent: figures.sent,
                budget: self.settings.budget,
                over_budget: figures.over_budget,
            },
            remove: Vec::new(),
            change: Vec::new(),
            insert: Vec::new(),
            join: Vec::new(),
            evicted: evicted.len(),
            settings: None,
            record,
        };
        for edit in edits {
            match edit {
                MessageEdit::Remove { message } => match answer.remove.last_mut() {
                    Some((_, last)) if *last + 1 == message => *last = message,
                    _ => answer.remove.push((message, message)),
                },
                MessageEdit::Change { message, parts } => {
                    let (gone, kept): (Vec<_>, Vec<_>) =
                        parts.into_iter().partition(|part| part.replaced_by.is_none());
                    answer.change.push(PartCounts {
                        message,
                        remove: gone.into_iter().map(|part| part.part).collect(),
                        replace: kept
                            .into_iter()
                            .filter_map(|part| Some((part.part, part.replaced_by?)))
                            .collect(),
                    });
                }
                MessageEdit::Insert { before, text } => {
                    answer.insert.push(InsertedMark { before: before.message, text });
                }
                MessageEdit::Join { message } => answer.join.push(message),
            }
        }
        answer
    }
}

fn new_history(tools: &Tools, tokenizer: Tokenizer) -> SessionHistory {
    SessionHistory::new(tools.table().clone(), tokenizer.divisor(), |text| count_units(tokenizer, text))
}

fn units_of(tokenizer: Tokenizer, block: &ContentBlock, content: &Content) -> u32 {
    // pi keeps this placeholder for redacted reasoning and does not send it.
    if block.kind == BlockKind::Reasoning && content.text == REDACTED_REASONING {
        return 0;
    }
    let pictures = block.images.saturating_mul(tokenizer.image_units());
    count_units(tokenizer, &content.text).saturating_add(pictures)
}
