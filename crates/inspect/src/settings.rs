//! The settings of live decisions, and those that are refused.

use cwl_engine::{BlockIdx, MessageClass, Overhead, Policy, PolicyOptions, Provider, Session, TokenTable};

/// The settings of a decision: the policy with its options, the budget, the overhead, the provider.
#[derive(Debug, Clone)]
pub struct DecisionSettings {
    /// The policy.
    pub policy: &'static Policy,
    /// The policy's options; live use sets `keep_last_turn`.
    pub options: PolicyOptions,
    /// The token budget τ.
    pub budget: u64,
    /// System prompt and tools, as far as the list of messages does not hold them; part of every total.
    pub overhead: Overhead,
    /// The provider whose rules the rest has to keep.
    pub provider: Provider,
}

/// Settings that no live decision can be made by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsRefusal {
    /// The budget is not larger than what no policy can take.
    #[error(
        "τ of {budget} is below system prompt and tools ({fixed} tokens); the smallest that works is {smallest}"
    )]
    BudgetTooSmall {
        /// The budget.
        budget: u64,
        /// System prompt and tools, tokens.
        fixed: u64,
        /// The smallest budget that works.
        smallest: u64,
    },
    /// The policy writes summaries of texts, which no live process makes.
    #[error(
        "{policy} makes summaries of texts, which live use does not; choose cwl+, cwl, fold, window, mask or none"
    )]
    NeedsTexts {
        /// The policy.
        policy: &'static str,
    },
    /// The policy is a published filter as shipped, which takes results without their calls.
    #[error(
        "{policy} is played as shipped and takes calls without their results; cwl does the same work and never does"
    )]
    CutsPairs {
        /// The policy.
        policy: &'static str,
    },
}

impl DecisionSettings {
    /// Checks the settings; `fixed` are the tokens that no policy can take ([`fixed_tokens`]).
    ///
    /// # Errors
    /// If no decision can be made by them, with what would work.
    pub fn check(&self, fixed: u64) -> Result<(), SettingsRefusal> {
        let Policy { name: policy, needs_material, is_as_shipped, .. } = *self.policy;
        if needs_material {
            return Err(SettingsRefusal::NeedsTexts { policy });
        }
        if is_as_shipped {
            return Err(SettingsRefusal::CutsPairs { policy });
        }
        // The policy that keeps everything does not go by the budget.
        if policy != "none" && self.budget <= fixed {
            let smallest = fixed.saturating_add(1);
            return Err(SettingsRefusal::BudgetTooSmall { budget: self.budget, fixed, smallest });
        }
        Ok(())
    }
}

/// Returns the tokens of a session that are there before the first word: the overhead, and what the list holds of system
/// prompt and tools.
pub fn fixed_tokens(session: &Session, table: &TokenTable, overhead: &Overhead) -> u64 {
    let system = session.messages.iter().filter(|message| message.class == MessageClass::System);
    let tokens = system.map(|message| {
        let units = message.blocks.clone().map(|at| table.units(BlockIdx::new(at))).sum();
        table.tokens_from_units(units)
    });
    tokens.fold(overhead.tokens_at(session.last_turn()), u64::saturating_add)
}
