//! Settings of live decisions, and the reasons to refuse them.

use cwl_engine::{Overhead, Policy, PolicyOptions, Provider};

#[derive(Debug, Clone)]
pub struct DecisionSettings {
    pub policy: &'static Policy,
    /// Live use sets `keep_last_turn`.
    pub options: PolicyOptions,
    /// τ, in tokens.
    pub budget: u64,
    /// System prompt and tools, in tokens, if no message holds them; part of every total.
    pub overhead: Overhead,
    /// Provider whose pairing rules the edited list must satisfy.
    pub provider: Provider,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsRefusal {
    #[error(
        "τ of {budget} is below system prompt and tools ({fixed} tokens); the smallest that works is {smallest}"
    )]
    BudgetTooSmall {
        budget: u64,
        /// System prompt and tools, in tokens.
        fixed: u64,
        smallest: u64,
    },
    /// The policy ([`Policy::needs_material`]) writes summaries, and a live process makes none.
    #[error(
        "{policy} makes summaries of texts, which live use does not; choose cwl+, cwl, fold, window, mask or none"
    )]
    NeedsTexts { policy: &'static str },
    /// The policy ([`Policy::is_as_shipped`]) replays a published filter, which may evict a call and keep its result
    /// or the reverse.
    #[error(
        "{policy} is played as shipped and takes calls without their results; cwl does the same work and never does"
    )]
    CutsPairs { policy: &'static str },
    /// An option clears the arguments of calls, and a harness's list has no place for a call without them.
    #[error(
        "`{key}=1` clears arguments of calls, which a running agent's list cannot be without; leave it at 0"
    )]
    ClearsArguments { key: &'static str },
}

impl DecisionSettings {
    /// Checks the settings for live use; `fixed` is the total of [`fixed_tokens`](super::SessionHistory::fixed_tokens).
    ///
    /// # Errors
    /// Returns a [`SettingsRefusal`] if the policy cannot run live or τ is not above `fixed`.
    pub fn check(&self, fixed: u64) -> Result<(), SettingsRefusal> {
        let Policy { name: policy, needs_material, is_as_shipped, .. } = *self.policy;
        if needs_material {
            return Err(SettingsRefusal::NeedsTexts { policy });
        }
        if is_as_shipped {
            return Err(SettingsRefusal::CutsPairs { policy });
        }
        if self.options.numbers.get("clear_inputs").is_some_and(|value| *value > 0) {
            return Err(SettingsRefusal::ClearsArguments { key: "clear_inputs" });
        }
        // `none` keeps everything and ignores τ.
        if policy != "none" && self.budget <= fixed {
            let smallest = fixed.saturating_add(1);
            return Err(SettingsRefusal::BudgetTooSmall { budget: self.budget, fixed, smallest });
        }
        Ok(())
    }
}
