//! Sizes on a branch, and sizes of hidden content.
//!
//! Some providers hide reasoning or show only a summary. The reply's reported usage then gives its size. The reasoning
//! block gets this size if the retention table says later requests include it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use cwl_engine::{
    BlockIdx, BlockKind, EpisodeIdx, GraphTimeline, Ledger, MessageClass, MessageForm, Overhead,
    ReplacementCause, Role, Session, SessionMessage, TokenTable, Turn, TurnIdx,
};

use crate::api::{OverheadSource, ReasoningRetention, RetainedReasoning, UnloggedContent};
use crate::figures::saturate_u32;
use crate::measure::calibration::{Calibration, CalibrationRequest, FACTORS, LoggedPrompt, RequestStretch};
use crate::measure::hidden_gain::{Gain, find_gains};
use crate::measure::hidden_loss::{Loss, find_losses};
use crate::measure::hidden_reply::{HiddenReply, by_model, hidden_replies};
use crate::measure::provider_unit::ProviderUnit;
use crate::tables::carried::CarriedRow;
use crate::texts::fitted::KnownFits;

pub(crate) type Carriers<'a> = &'a dyn Fn(Option<&str>) -> Arc<CarriedRow>;

/// The sizes that hold the reports of a branch already.
#[derive(Default, Clone, Copy)]
pub struct Reports<'a> {
    /// The sizes of the recorded history, if the branch has another one, which has no reports of its own.
    pub known: Option<&'a BranchSizes>,
    /// The sizes of the recorded history by the tokenizer, if those of the branch are in the provider's tokens.
    pub counted: Option<&'a BranchSizes>,
}

#[derive(Clone)]
pub struct BranchSizes {
    /// All sizes, including hidden reasoning.
    pub table: TokenTable,
    /// Sizes without hidden reasoning, if different.
    visible: Option<TokenTable>,
    /// Blocks whose size was derived from reported usage, in log order.
    pub derived: Vec<BlockIdx>,
    pub carried: Vec<RetainedReasoning>,
    /// Each turn's history without eviction and overhead, tokens.
    pub full: Vec<u64>,
    pub(crate) calibration: Calibration,
    /// How many tokens the provider counts for one of the tokenizer's.
    pub provider: ProviderUnit,
    /// How far the sizes of the median request are off, as a share of the reported one; `None` without reports.
    pub(crate) residual: Option<f64>,
    pub losses: Vec<Loss>,
    pub(crate) gains: Vec<Gain>,
}

impl BranchSizes {
    /// Computes a branch's sizes; `visible` is the table without hidden reasoning.
    ///
    /// A branch with another history than the recorded one has no reports of its own: `known` are then the sizes of the
    /// recorded history.
    pub(crate) fn compute(
        session: &Session,
        growth: &GraphTimeline,
        visible: TokenTable,
        carriers: Carriers<'_>,
        Reports { known, counted }: Reports<'_>,
        fits: &KnownFits,
    ) -> Self {
        let divisor = visible.divisor();
        let account = RequestSizes::count(session, growth, &visible, carriers);
        let requests = account.calibration_requests(session);
        let (calibration, residual, losses, gains) = match known {
            Some(known) => (known.calibration.clone(), None, known.losses.clone(), known.gains.clone()),
            None => {
                let mut fitted = match counted {
                    Some(_) => Calibration::calibrate_bases(&requests),
                    None => Calibration::calibrate(&requests),
                };
                if session.begins_elsewhere {
                    fitted.begin_elsewhere(&requests);
                }
                if let Some(stated) = stated_prompt(session, &visible) {
                    fitted.set_stated_overhead(stated);
                }
                let residual = fitted.median_residual(&requests);
                let (losses, gains) = match counted {
                    // Reports tell what went or came without a word, whatever the unit.
                    Some(counted) => (losses_in_unit(&counted.losses, &requests), counted.gains.clone()),
                    None => {
                        let most_reasoning = || account.most_reasoning(session, growth, &visible);
                        (find_losses(&requests, &fitted, most_reasoning), find_gains(session, &requests))
                    }
                };
                (fitted, residual, losses, gains)
            }
        };
        let hidden_units = |reply: &HiddenReply| {
            let factor = calibration.stretch_at(reply.turn).map_or(1.0, |stretch| stretch.factor);
            reply.hidden_units(factor, divisor)
        };
        let sized: Vec<(&HiddenReply, u32)> =
            account.replies.iter().map(|reply| (reply, hidden_units(reply))).collect();
        let carried = by_model(session, &visible, &sized);
        let sizes = sized.iter().filter_map(|(reply, units)| {
            let block = reply.block.filter(|_| *units > 0 && reply.is_sent_back())?;
            Some((block, units.saturating_add(saturate_u32(visible.units(block)))))
        });
        let (derived, units): (Vec<BlockIdx>, Vec<u32>) = sizes.unzip();
        let (table, visible) = match derived.is_empty() {
            true => (visible, None),
            false => {
                let sizes = derived.iter().copied().zip(units);
                (visible.clone().with_sizes(sizes), Some(visible))
            }
        };
        // Without hidden reasoning, `counted` is already the whole history.
        let full = match account.hidden.is_empty() {
            true => account.counted,
            false => history_totals(session, growth, &table),
        };
        let provider =
            counted.or(known).map_or_else(|| ProviderUnit::fit(&requests, fits), |sizes| sizes.provider);
        Self { table, visible, derived, carried, full, calibration, provider, residual, losses, gains }
    }

    pub(crate) fn with_residues(&self, residues: &BTreeMap<EpisodeIdx, u32>) -> Self {
        let of = |table: &TokenTable| table.clone().with_residues(residues.clone());
        Self { table: of(&self.table), visible: self.visible.as_ref().map(of), ..self.clone() }
    }

    pub(crate) fn visible_table(&self) -> &TokenTable {
        self.visible.as_ref().unwrap_or(&self.table)
    }

    pub(crate) fn n_hidden_tokens(&self) -> u64 {
        let of =
            |block: &BlockIdx| self.table.units(*block).saturating_sub(self.visible_table().units(*block));
        self.table.tokens_from_units(self.derived.iter().map(of).sum())
    }

    pub(crate) fn overhead_source(&self) -> OverheadSource {
        let is_known = |stretch: &RequestStretch| stretch.unlogged != UnloggedContent::Unknown;
        match self.calibration.stretches.iter().any(is_known) {
            true => OverheadSource::Inferred,
            false => OverheadSource::Unknown,
        }
    }

    pub(crate) fn unlogged_overhead(&self) -> Overhead {
        let of = |size: fn(&RequestStretch) -> u64| {
            let stretches = self.calibration.stretches.iter();
            stretches.map(move |stretch| (TurnIdx::new(saturate_u32(stretch.from) + 1), size(stretch)))
        };
        Overhead::new(of(RequestStretch::overhead_tokens)).with_history(of(RequestStretch::history_tokens))
    }
}

/// The countable sizes of a branch's requests, separate from hidden reasoning.
struct RequestSizes {
    replies: Vec<HiddenReply>,
    /// Tokens in each turn's history, excluding replies whose reasoning is always sent back.
    counted: Vec<u64>,
    /// The carried part of the outputs missing from `counted`, in the provider's tokens.
    hidden: Vec<u64>,
}

impl RequestSizes {
    fn count(
        session: &Session,
        growth: &GraphTimeline,
        visible: &TokenTable,
        carriers: Carriers<'_>,
    ) -> Self {
        let replies = hidden_replies(session, visible, carriers);
        let is_carried = |reply: &&HiddenReply| reply.is_sent_back();
        if !replies.iter().any(|reply| reply.is_sent_back()) {
            return Self { replies, counted: history_totals(session, growth, visible), hidden: Vec::new() };
        }
        let divisor = visible.divisor();
        // A reply whose reasoning stays has its reported size. A reply whose reasoning lapses keeps its other parts.
        let whole = replies
            .iter()
            .filter(|reply| reply.is_sent_back() && reply.row.carried == ReasoningRetention::Always);
        let blocks = whole.flat_map(|reply| session.messages[reply.message].blocks.clone());
        let rest = visible.clone().with_sizes(blocks.map(|at| (BlockIdx::new(at), 0)));
        let outputs = replies.iter().filter(is_carried).filter_map(|reply| {
            let tokens = match reply.row.carried {
                ReasoningRetention::Always => u64::from(reply.output),
                _ => reply.hidden_tokens(1.0, divisor),
            };
            Some((reply.block?, saturate_u32(tokens.saturating_mul(divisor.into()))))
        });
        let nothing = TokenTable::new(divisor, vec![0; session.blocks.len()], Default::default());
        let hidden = history_totals(session, growth, &nothing.with_sizes(outputs));
        Self { counted: history_totals(session, growth, &rest), hidden, replies }
    }

    fn calibration_requests<'a>(&self, session: &'a Session) -> Vec<CalibrationRequest<'a>> {
        let mut is_changed = vec![false; session.turns.len()];
        for replacement in &session.replacements {
            is_changed[session.turn_of(replacement).at()] |=
                replacement.cause == ReplacementCause::Compaction;
        }
        let (mut from, mut logged) = (0, LoggedPrompt::default());
        let of_turn = |(at, turn): (usize, &Turn)| {
            let came_in = std::mem::replace(&mut from, turn.end)..turn.end;
            logged = add_logged_prompt(session, came_in.clone(), logged);
            CalibrationRequest {
                counted: self.counted[at],
                hidden: self.hidden.get(at).copied().unwrap_or(0),
                reported: reported_at(session, TurnIdx::new(saturate_u32(at) + 1)),
                output: turn
                    .message
                    .and_then(|message| session.messages[message.at()].usage)
                    .map_or(0, |usage| usage.output),
                model: turn.message.and_then(|message| session.messages[message.at()].model.as_deref()),
                is_changed: is_changed[at],
                spoke: session.messages.range(came_in).any(|message| message.role == Role::User),
                logged,
            }
        };
        session.turns.iter().enumerate().map(of_turn).collect()
    }

    /// Returns an upper bound for the reasoning in each turn's history, visible and hidden, in the provider's tokens.
    fn most_reasoning(&self, session: &Session, growth: &GraphTimeline, visible: &TokenTable) -> Vec<u64> {
        let is_other = |at: &usize| session.blocks[*at].kind != BlockKind::Reasoning;
        let others = (0..session.blocks.len()).filter(is_other).map(|at| (BlockIdx::new(at), 0));
        let read = history_totals(session, growth, &visible.clone().with_sizes(others));
        let hidden = |at: usize| self.hidden.get(at).copied().unwrap_or(0);
        let most = |read: u64| (read as f64 * FACTORS.end()) as u64;
        read.into_iter().enumerate().map(|(at, read)| most(read).saturating_add(hidden(at))).collect()
    }
}

/// Adds the parts of the prompt that `messages` hold to those logged before. Codex sends its prompt in the form of other
/// instructions, as the first message.
fn add_logged_prompt(session: &Session, messages: Range<usize>, before: LoggedPrompt) -> LoggedPrompt {
    let is_first = |message: &SessionMessage| message.blocks.start == 0;
    let is_prompt = |message: &&SessionMessage| {
        message.class == MessageClass::System && (message.form == MessageForm::Plain || is_first(message))
    };
    let prompts = session.messages.range(messages).filter(is_prompt);
    prompts.flat_map(|message| session.blocks.range(message.blocks.clone())).fold(before, |logged, block| {
        let is_tool = block.holds.defined_tool().is_some();
        LoggedPrompt { system: logged.system || !is_tool, tools: logged.tools || is_tool }
    })
}

fn losses_in_unit(losses: &[Loss], requests: &[CalibrationRequest<'_>]) -> Vec<Loss> {
    let of = |loss: &Loss| Loss { counted: requests[loss.at].expected_size() as u64, ..*loss };
    losses.iter().map(of).collect()
}

/// Returns the size of system prompt and tool definitions as the harness states it last, less what the log has of them,
/// tokens; `None` if it states none.
fn stated_prompt(session: &Session, table: &TokenTable) -> Option<u64> {
    let stated = session.totals.iter().rev().find_map(|total| total.unlogged)?;
    let system = session.messages.iter().rev().find(|message| message.class == MessageClass::System);
    let blocks = system.into_iter().flat_map(|message| message.blocks.clone()).map(BlockIdx::new);
    Some(stated.saturating_sub(table.tokens_from_units(blocks.map(|block| table.units(block)).sum())))
}

fn history_totals(session: &Session, growth: &GraphTimeline, table: &TokenTable) -> Vec<u64> {
    let mut ledger = Ledger::new(growth, table, &[]);
    let of_turn = |at: usize| {
        growth
            .changes_at(TurnIdx::new(saturate_u32(at) + 1))
            .iter()
            .for_each(|change| _ = ledger.apply_change(change));
        ledger.total()
    };
    (0..session.turns.len()).map(of_turn).collect()
}

pub(crate) fn reported_at(session: &Session, turn: TurnIdx) -> Option<u64> {
    let usage = session.messages[session.turn_at(turn).message?.at()].usage?;
    Some(usage.prompt_tokens()).filter(|prompt| *prompt > 0)
}

/// Returns the reported prompt tokens of each turn. A reported 0 counts as unreported.
pub(crate) fn reported_prompts(session: &Session) -> Vec<Option<u64>> {
    (1..).zip(&session.turns).map(|(number, _)| reported_at(session, TurnIdx::new(number))).collect()
}

#[cfg(test)]
#[path = "judged_tests.rs"]
mod judged;
