//! Lapses: reasoning which a provider accepts back only until the human speaks again.
//!
//! Logs do not record lapses. Since the provider makes the rule, it applies to the full history
//! and to the recorded one. A lapse becomes a [`Replacement`] like those in a log, so derived data
//! needs no special case.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::{BlockIdx, Replacement, ReplacementCause, Session};

impl Session {
    /// Removes the reasoning blocks, given in log order, at the next message typed by the human.
    /// No later replacement restores them.
    pub fn lapse_reasoning(&mut self, reasoning: &[BlockIdx]) {
        if reasoning.is_empty() {
            return;
        }
        let mut waiting = reasoning.iter().copied().peekable();
        let mut lapses = Vec::new();
        for (at, message) in self.messages.iter().enumerate().filter(|(_, message)| message.is_typed()) {
            let mut drops = Vec::new();
            while let Some(block) = waiting.next_if(|block| self.blocks[block.at()].message.at() < at) {
                drops.push(block);
            }
            if !drops.is_empty() {
                lapses.push(Replacement {
                    at: at + 1,
                    entry: message.entry.clone(),
                    line: message.line,
                    cause: ReplacementCause::Lapse,
                    drops,
                    restores: Vec::new(),
                    drops_bare: Vec::new(),
                    restores_bare: Vec::new(),
                    tokens_before: None,
                });
            }
        }
        for replacement in self.replacements.iter_mut().filter(|one| !one.restores.is_empty()) {
            let at = replacement.at;
            let before = lapses.iter().take_while(|lapse: &&Replacement| lapse.at <= at);
            let gone: BTreeSet<BlockIdx> = before.flat_map(|lapse| lapse.drops.iter().copied()).collect();
            replacement.restores.retain(|block| !gone.contains(block));
        }
        self.replacements.append(&mut lapses);
        self.replacements.sort_by_key(|replacement| replacement.at);
    }
}
