//! Settings as a client gives them, and what they give with defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{COMMON_OPTIONS, Policy, PolicyOptions, Provider, TurnIdx};
use cwl_host::api::LiveRefusal;
use cwl_host::read_budget;
use cwl_inspect::{DecisionSettings, SettingsRefusal};
use cwl_tokens::{Tokenizer, count_units};

use crate::marks::MarksChoice;
use crate::protocol::{PROTOCOL, ReadyAnswer, SetRequest};

const DEFAULT_BUDGET: &str = "80k";
/// Policy for a client without one: fewer and larger passes keep the provider's cached prefix longer.
const DEFAULT_POLICY: &str = "cwl+";

/// Settings as given by a client, before defaults.
#[derive(Debug, Clone, Default)]
pub struct GivenSettings {
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
    /// A new policy drops the old policy's options.
    #[must_use]
    pub fn with_request(&self, request: SetRequest) -> Self {
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

    /// Parses the settings.
    ///
    /// # Errors
    /// Returns a sentence if a setting is invalid.
    pub fn resolve(&self) -> Result<(DecisionSettings, Tokenizer, MarksChoice), String> {
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

    pub fn in_force(
        &self,
        settings: &DecisionSettings,
        tokenizer: Tokenizer,
        marks: MarksChoice,
    ) -> ReadyAnswer {
        ReadyAnswer {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            policy: settings.policy.name.to_owned(),
            budget: settings.budget,
            options: self.options_in_force(settings.policy),
            tokenizer: tokenizer.name().to_owned(),
            marks: marks.name().to_owned(),
            overhead: settings.overhead.tokens_at(TurnIdx::FIRST),
        }
    }

    fn options_in_force(&self, policy: &Policy) -> BTreeMap<String, String> {
        let is_other = |key: &str, value: &str| {
            let known = COMMON_OPTIONS.iter().chain(policy.options).find(|spec| spec.key == key);
            known.is_none_or(|spec| spec.default != value)
        };
        let mut options: BTreeMap<String, String> = [("keep_last_turn".to_owned(), "true".to_owned())].into();
        options.extend(self.options.clone());
        options.retain(|key, value| is_other(key, value));
        options
    }
}

/// An unknown API name means pi's own rules.
fn provider_of(api: Option<&str>) -> Provider {
    match api.unwrap_or_default() {
        api if api.starts_with("anthropic") || api.starts_with("bedrock") => Provider::Anthropic,
        "openai-responses" | "azure-openai-responses" | "openai-codex-responses" => Provider::OpenAiResponses,
        "openai-completions" => Provider::OpenAiChat,
        api if api.starts_with("google") => Provider::Gemini,
        _ => Provider::Pi,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SettingsFailure {
    pub reason: String,
    /// Smallest τ that works, in tokens, if τ is the reason.
    pub smallest_budget: Option<u64>,
}

impl From<String> for SettingsFailure {
    fn from(reason: String) -> Self {
        Self { reason, smallest_budget: None }
    }
}

impl From<SettingsRefusal> for SettingsFailure {
    fn from(refusal: SettingsRefusal) -> Self {
        let smallest_budget = match refusal {
            SettingsRefusal::BudgetTooSmall { smallest, .. } => Some(smallest),
            SettingsRefusal::NeedsTexts { .. }
            | SettingsRefusal::CutsPairs { .. }
            | SettingsRefusal::ClearsArguments { .. } => None,
        };
        Self { reason: refusal.to_string(), smallest_budget }
    }
}

impl From<SettingsFailure> for LiveRefusal {
    fn from(failure: SettingsFailure) -> Self {
        let SettingsFailure { reason, smallest_budget } = failure;
        Self { reason, smallest_budget }
    }
}
