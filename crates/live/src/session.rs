//! One live session: settings, list of messages, and decisions.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use cwl_api::{Tools, read_budget};
use cwl_engine::{
    BlockKind, COMMON_OPTIONS, Content, ContentBlock, EventIdx, GraphTimeline, Policy, PolicyOptions,
    Provider, SessionBlock, TurnIdx,
};
use cwl_formats::REDACTED_REASONING;
use cwl_inspect::{
    DecisionSettings, EvictionDecision, MessageEdit, MessagePlaces, SessionHistory, Verdict, decide,
    fixed_tokens,
};
use cwl_tokens::{Tokenizer, count_units};
use serde_json::value::RawValue;

use crate::list::{ListChange, MessageList};
use crate::marks::{MarkFacts, MarksChoice};
use crate::protocol::{
    Answer, DecideRequest, InsertDto, LiveDecision, LiveVerdictDto, PROTOCOL, PartsDto, ReadyAnswer,
    SetRequest, TokensDto,
};
use crate::record::EvictedState;

/// τ for a client without a budget.
const DEFAULT_BUDGET: &str = "80k";
/// Policy for a client without one: fewer and larger passes keep the provider's cached prefix longer.
const DEFAULT_POLICY: &str = "cwl+";

/// Settings as given by a client, before defaults.
#[derive(Debug, Clone, Default)]
struct GivenSettings {
    policy: Option<String>,
    budget: Option<String>,
    options: BTreeMap<String, String>,
    tokenizer: Option<String>,
    marks: Option<String>,
    window: Option<u64>,
    api: Option<String>,
    system: Option<Arc<str>>,
    tools: Option<Arc<str>>,
    overhead: Option<u64>,
}

impl GivenSettings {
    /// Merges a request over these settings. A new policy drops the old policy's options.
    fn with_request(&self, request: SetRequest) -> Self {
        let SetRequest { policy, budget, options, tokenizer, marks, window, api, system, tools, overhead } =
            request;
        let is_other = policy.is_some() && policy != self.policy;
        let kept = if is_other { BTreeMap::new() } else { self.options.clone() };
        Self {
            policy: policy.or_else(|| self.policy.clone()),
            budget: budget.or_else(|| self.budget.clone()),
            options: options.unwrap_or(kept),
            tokenizer: tokenizer.or_else(|| self.tokenizer.clone()),
            marks: marks.or_else(|| self.marks.clone()),
            window: window.or(self.window),
            api: api.or_else(|| self.api.clone()),
            system: system.map(Arc::from).or_else(|| self.system.clone()),
            tools: tools.map(Arc::from).or_else(|| self.tools.clone()),
            overhead: overhead.or(self.overhead),
        }
    }

    fn resolve(&self) -> Result<(DecisionSettings, Tokenizer, MarksChoice), String> {
        let name = self.policy.as_deref().unwrap_or(DEFAULT_POLICY);
        let policy = Policy::find(name).ok_or_else(|| {
            let known: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name).collect();
            format!("there is no policy `{name}`; there are {}", known.join(", "))
        })?;
        let mut options = PolicyOptions::defaults(policy).map_err(|error| error.to_string())?;
        options.keep_last_turn = true;
        for (key, value) in &self.options {
            options.set_from_text(policy, key, value).map_err(|error| error.to_string())?;
        }
        let tokenizer = match self.tokenizer.as_deref() {
            Some(name) => name.parse().map_err(|error: cwl_tokens::UnknownTokenizer| error.to_string())?,
            None => Tokenizer::default(),
        };
        let marks = self.marks.as_deref().map_or(Ok(MarksChoice::default()), str::parse)?;
        let budget = read_budget(self.budget.as_deref().unwrap_or(DEFAULT_BUDGET), self.window);
        let budget = budget.map_err(|error| error.to_string())?;
        let count = |text: &Option<Arc<str>>| {
            text.as_deref().map_or(0, |text| u64::from(count_units(tokenizer, text)))
        };
        let units = count(&self.system).saturating_add(count(&self.tools));
        let counted = units.div_ceil(tokenizer.divisor().into());
        let overhead = self.overhead.filter(|_| self.system.is_none()).unwrap_or(counted).into();
        let provider = provider_of(self.api.as_deref());
        Ok((DecisionSettings { policy, options, budget, overhead, provider }, tokenizer, marks))
    }
}

/// Provider for an API name from pi; an unknown name means pi's own rules.
fn provider_of(api: Option<&str>) -> Provider {
    match api.unwrap_or_default() {
        api if api.starts_with("anthropic") || api.starts_with("bedrock") => Provider::Anthropic,
        "openai-responses" | "azure-openai-responses" | "openai-codex-responses" => Provider::OpenAiResponses,
        "openai-completions" => Provider::OpenAiChat,
        api if api.starts_with("google") => Provider::Gemini,
        _ => Provider::Pi,
    }
}

/// A running session: settings, list of messages and [`SessionHistory`].
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
}

impl LiveSession {
    /// # Errors
    /// Returns a sentence if a setting is invalid, the policy cannot run live, or τ is too small.
    pub(crate) fn begin(
        request: SetRequest,
        tools: &Tools,
        list: Box<dyn MessageList>,
    ) -> Result<Self, String> {
        let given = GivenSettings::default().with_request(request);
        let (settings, tokenizer, marks) = given.resolve()?;
        settings.check(settings.overhead.tokens_at(TurnIdx::FIRST)).map_err(|error| error.to_string())?;
        let history = new_history(tools, tokenizer);
        let (facts, tools) = (MarkFacts::default(), tools.clone());
        let residues = HashMap::new();
        Ok(Self { given, settings, tokenizer, marks, tools, list, history, facts, residues, last: None })
    }

    /// Changes settings. Another tokenizer or mark source empties the list, so the client must send all messages
    /// again.
    ///
    /// # Errors
    /// Returns a sentence as [`begin`](Self::begin) does; the previous settings then stay in force.
    pub fn change_settings(&mut self, request: SetRequest) -> Result<(), String> {
        let given = self.given.with_request(request);
        let (settings, tokenizer, marks) = given.resolve()?;
        let fixed = match tokenizer == self.tokenizer {
            true => self.fixed_tokens(&settings),
            false => settings.overhead.tokens_at(TurnIdx::FIRST),
        };
        settings.check(fixed).map_err(|error| error.to_string())?;
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

    pub fn ready(&self) -> ReadyAnswer {
        ReadyAnswer {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            policy: self.settings.policy.name.to_owned(),
            budget: self.settings.budget,
            options: self.options_in_force(),
            tokenizer: self.tokenizer.name().to_owned(),
            marks: self.marks.name().to_owned(),
            overhead: self.settings.overhead.tokens_at(TurnIdx::FIRST),
        }
    }

    /// Decides about the next request. Returns [`Answer::Resend`] if the client's digest does not match.
    pub fn decide(&mut self, request: &DecideRequest<'_>) -> Answer {
        match self.advance(request.from, &request.digest, &request.messages) {
            ListChange::Unknown => return Answer::Resend,
            ListChange::Changed | ListChange::Restarted => self.last = None,
            ListChange::Grew => {}
        }
        let tokenizer = self.tokenizer;
        let (list, marks, facts, residues) = (&self.list, self.marks, &mut self.facts, &mut self.residues);
        let place_of = |row: &SessionBlock| list.place_of(row);
        let decision = decide(
            &self.history,
            &self.settings,
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
        let refusal = self.refusal(&decision);
        Answer::Decision(self.answer(decision, refusal))
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

    fn fixed_tokens(&self, settings: &DecisionSettings) -> u64 {
        let session = self.history.build_session();
        let (growth, _) = GraphTimeline::build(&session);
        let table = self.history.build_table(&session, &growth, |_| 0);
        fixed_tokens(&session, &table, &settings.overhead)
    }

    /// Reason to ignore a decision and pass the list through.
    fn refusal(&self, decision: &EvictionDecision) -> Option<String> {
        if self.settings.policy.name == "none" {
            return None;
        }
        if let Some((message, what)) = self.list.first_unread() {
            return Some(format!("message {message} is not understood whole ({what})"));
        }
        // If the prompt is among the messages, its size was unknown when the settings were checked.
        let fixed = if decision.figures.over_budget { self.fixed_tokens(&self.settings) } else { 0 };
        let checked = self.settings.check(fixed);
        checked.err().map(|error| error.to_string())
    }

    fn answer(&mut self, decision: EvictionDecision, refusal: Option<String>) -> LiveDecision {
        let decision = match &refusal {
            None => decision,
            Some(_) => EvictionDecision { edits: Vec::new(), evicted: Vec::new(), ..decision },
        };
        let (verdict, reason) = match (refusal, &decision.verdict) {
            (Some(reason), _) => (LiveVerdictDto::PassThrough, Some(reason)),
            (None, Verdict::Keep) => (LiveVerdictDto::Keep, None),
            (None, Verdict::Evict) => (LiveVerdictDto::Evict, None),
            (None, Verdict::PassThrough(reason)) => (LiveVerdictDto::PassThrough, Some(reason.to_string())),
        };
        let figures = decision.figures;
        let sent = if verdict == LiveVerdictDto::PassThrough { figures.whole } else { figures.sent };
        let state = EvictedState::from_decision(&decision);
        let record = state.record_since(self.last.as_ref(), self.list.n_places(), figures.overhead);
        self.last = Some(state);
        let mut answer = LiveDecision {
            turn: u32::try_from(decision.turn.at() + 1).unwrap_or(u32::MAX),
            verdict,
            reason,
            tokens: TokensDto {
                whole: figures.whole,
                sent,
                budget: self.settings.budget,
                over_budget: figures.over_budget,
            },
            remove: Vec::new(),
            change: Vec::new(),
            insert: Vec::new(),
            join: Vec::new(),
            evicted: decision.evicted.len(),
            record,
        };
        for edit in decision.edits {
            match edit {
                MessageEdit::Remove { message } => match answer.remove.last_mut() {
                    Some((_, last)) if *last + 1 == message => *last = message,
                    _ => answer.remove.push((message, message)),
                },
                MessageEdit::Change { message, parts } => {
                    let (gone, kept): (Vec<_>, Vec<_>) =
                        parts.into_iter().partition(|part| part.replaced_by.is_none());
                    answer.change.push(PartsDto {
                        message,
                        remove: gone.into_iter().map(|part| part.part).collect(),
                        replace: kept
                            .into_iter()
                            .filter_map(|part| Some((part.part, part.replaced_by?)))
                            .collect(),
                    });
                }
                MessageEdit::Insert { before, text } => {
                    answer.insert.push(InsertDto { before: before.message, text });
                }
                MessageEdit::Join { message } => answer.join.push(message),
            }
        }
        answer
    }

    /// Options different from their defaults, as command arguments.
    fn options_in_force(&self) -> BTreeMap<String, String> {
        let policy = self.settings.policy;
        let is_other = |key: &str, value: &str| {
            let known = COMMON_OPTIONS.iter().chain(policy.options).find(|spec| spec.key == key);
            known.is_none_or(|spec| spec.default != value)
        };
        let mut options: BTreeMap<String, String> = [("keep_last_turn".to_owned(), "true".to_owned())].into();
        options.extend(self.given.options.clone());
        options.retain(|key, value| is_other(key, value));
        options
    }
}

fn new_history(tools: &Tools, tokenizer: Tokenizer) -> SessionHistory {
    SessionHistory::new(tools.table().clone(), tokenizer.divisor(), |text| count_units(tokenizer, text))
}

/// A block's units, images included.
fn units_of(tokenizer: Tokenizer, block: &ContentBlock, content: &Content) -> u32 {
    // pi keeps this placeholder for redacted reasoning and does not send it.
    if block.kind == BlockKind::Reasoning && content.text == REDACTED_REASONING {
        return 0;
    }
    let pictures = block.images.saturating_mul(tokenizer.image_units());
    count_units(tokenizer, &content.text).saturating_add(pictures)
}
