//! Lapses: reasoning that a provider takes back only until the human speaks again.
//!
//! No record of a log tells of it. The rule is the provider's, so it holds over the full history as well as over the
//! recorded one, and it is a replacement like those that a log records: what is derived from the history needs no rule
//! of its own.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::{BlockIdx, Replacement, ReplacementCause, Session};

impl Session {
    /// Takes blocks of reasoning, given in log order, out of the history from the next message on that the human typed.
    ///
    /// Nothing that the harness puts back later brings them back.
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
