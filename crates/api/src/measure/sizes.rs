//! Sizes: the tokens of everything on a branch, and of what the log does not show.
//!
//! Some providers keep reasoning to themselves: the log has a block without a text, and only the reported output of the
//! reply tells that there was any. Such a block gets the size of the output less the visible parts of its reply, where
//! the table of what is sent back says that a later request holds it.

use std::collections::BTreeMap;

use cwl_engine::{
    BlockIdx, BlockKind, EpisodeIdx, Growth, Ledger, Overhead, ReplacementCause, Role, Session, TokenTable,
    Turn, TurnIdx,
};

use crate::dto::{CarriedDto, CarriedReasoningDto, OverheadSourceDto, UnloggedDto};
use crate::figures::{grouped, small};
use crate::measure::calibration::{Calibration, FACTORS, Request, Stretch};
use crate::measure::hidden_loss::{Loss, losses};
use crate::tables::carried::CarriedRow;

/// Finds what is known of a model in the table of what is sent back.
pub(crate) type Carriers<'a> = &'a dyn Fn(Option<&str>) -> &'static CarriedRow;

/// The sizes of everything on a branch.
#[derive(Clone)]
pub(crate) struct Sizes {
    /// All sizes, hidden reasoning too.
    pub(crate) table: TokenTable,
    /// The sizes of what can be read, where that differs.
    visible: Option<TokenTable>,
    /// The blocks whose size is derived from reported usage, in log order.
    pub(crate) derived: Vec<BlockIdx>,
    /// For how long hidden reasoning is sent back, model by model.
    pub(crate) carried: Vec<CarriedReasoningDto>,
    /// The history of every turn, nothing evicted and no overhead in it, tokens.
    pub(crate) full: Vec<u64>,
    /// How reported sizes follow counted ones.
    pub(crate) calibration: Calibration,
    /// How far the sizes of the median request are off, as a share of the reported one; `None` without reports.
    pub(crate) residual: Option<f64>,
    /// The requests that are smaller than the log accounts for.
    pub(crate) losses: Vec<Loss>,
}

impl Sizes {
    /// Works out the sizes of a branch; `visible` are those of what can be read.
    ///
    /// A branch whose history is not the recorded one has no reports of its own: then `known` are the sizes of the recorded
    /// one.
    pub(crate) fn of(
        session: &Session,
        growth: &Growth,
        visible: TokenTable,
        carriers: Carriers<'_>,
        known: Option<&Self>,
    ) -> Self {
        let divisor = visible.divisor();
        let account = Account::of(session, growth, &visible, carriers);
        let requests = account.requests(session);
        let (calibration, residual, losses) = match known {
            Some(known) => (known.calibration.clone(), None, known.losses.clone()),
            None => {
                let own = Calibration::of(&requests);
                let residual = own.residual(&requests);
                let losses = losses(&requests, &own, || account.reasoning(session, growth, &visible));
                (own, residual, losses)
            }
        };
        let hidden_units = |reply: &HiddenReply| {
            let factor = calibration.at(reply.turn).map_or(1.0, |stretch| stretch.factor);
            let tokens = (f64::from(reply.output) / factor).round() as u64;
            let units = tokens.saturating_mul(divisor.into()).saturating_sub(reply.visible);
            small(units)
        };
        let sized: Vec<(&HiddenReply, u32)> =
            account.replies.iter().map(|reply| (reply, hidden_units(reply))).collect();
        let carried = by_model(session, &visible, &sized);
        let sizes = sized.iter().filter(|(reply, units)| *units > 0 && reply.is_sent_back());
        let (derived, units): (Vec<BlockIdx>, Vec<u32>) =
            sizes.map(|(reply, units)| (reply.block, *units)).unzip();
        let (table, visible) = match derived.is_empty() {
            true => (visible, None),
            false => {
                let sizes = derived.iter().copied().zip(units);
                (visible.clone().with_sizes(sizes), Some(visible))
            }
        };
        // Where nothing is sent back, everything that can be read was counted.
        let full = match account.hidden.is_empty() {
            true => account.counted,
            false => totals(session, growth, &table),
        };
        Self { table, visible, derived, carried, full, calibration, residual, losses }
    }

    /// Returns the same sizes under another annotation, by which other descriptions stay.
    pub(crate) fn with_residues(&self, residues: &BTreeMap<EpisodeIdx, u32>) -> Self {
        let of = |table: &TokenTable| table.clone().with_residues(residues.clone());
        Self { table: of(&self.table), visible: self.visible.as_ref().map(of), ..self.clone() }
    }

    /// Returns the sizes of what can be read.
    pub(crate) fn visible(&self) -> &TokenTable {
        self.visible.as_ref().unwrap_or(&self.table)
    }

    /// Returns the tokens of hidden reasoning, in the whole log of the branch.
    pub(crate) fn n_hidden_tokens(&self) -> u64 {
        let units: u64 = self.derived.iter().map(|block| self.table.units(*block)).sum();
        self.table.tokens(units)
    }

    /// Says where the overhead comes from.
    pub(crate) fn overhead_source(&self) -> OverheadSourceDto {
        let is_known = |stretch: &Stretch| stretch.unlogged != UnloggedDto::Unknown;
        match self.calibration.stretches.iter().any(is_known) {
            true => OverheadSourceDto::Inferred,
            false => OverheadSourceDto::Unknown,
        }
    }

    /// Returns what the requests hold and the log does not, as the reports tell it.
    pub(crate) fn overhead(&self) -> Overhead {
        let stretches = self.calibration.stretches.iter();
        Overhead::new(stretches.map(|stretch| (TurnIdx::new(small(stretch.from) + 1), stretch.overhead())))
    }
}

/// The requests of a branch as they can be counted, apart from hidden reasoning.
struct Account {
    replies: Vec<HiddenReply>,
    /// The history of every turn as it can be read, without replies whose reasoning is always carried, tokens.
    counted: Vec<u64>,
    /// The carried part of the outputs that are not in `counted`, tokens of the provider.
    hidden: Vec<u64>,
}

impl Account {
    fn of(session: &Session, growth: &Growth, visible: &TokenTable, carriers: Carriers<'_>) -> Self {
        let replies = hidden_replies(session, visible, carriers);
        let is_carried = |reply: &&HiddenReply| reply.is_sent_back();
        if !replies.iter().any(|reply| reply.is_sent_back()) {
            return Self { replies, counted: totals(session, growth, visible), hidden: Vec::new() };
        }
        let divisor = visible.divisor();
        // A reply that stays as it is has its size from its report alone. Of one whose reasoning lapses the rest stays.
        let whole = replies.iter().filter(|reply| reply.row.carried == CarriedDto::Always);
        let blocks = whole.flat_map(|reply| session.messages[reply.message].blocks.clone());
        let rest = visible.clone().with_sizes(blocks.map(|at| (BlockIdx::new(at), 0)));
        let outputs = replies.iter().filter(is_carried).map(|reply| {
            let counted = match reply.row.carried {
                CarriedDto::Always => 0,
                _ => visible.tokens(reply.visible),
            };
            let tokens = u64::from(reply.output).saturating_sub(counted);
            (reply.block, small(tokens.saturating_mul(divisor.into())))
        });
        let nothing = TokenTable::new(divisor, vec![0; session.blocks.len()], Default::default());
        let hidden = totals(session, growth, &nothing.with_sizes(outputs));
        Self { counted: totals(session, growth, &rest), hidden, replies }
    }

    fn requests<'a>(&self, session: &'a Session) -> Vec<Request<'a>> {
        let mut is_changed = vec![false; session.turns.len()];
        for replacement in &session.replacements {
            is_changed[session.turn_of(replacement).at()] |=
                replacement.cause == ReplacementCause::Compaction;
        }
        let mut from = 0;
        let of_turn = |(at, turn): (usize, &Turn)| {
            let came_in = &session.messages[std::mem::replace(&mut from, turn.end)..turn.end];
            Request {
                counted: self.counted[at],
                hidden: self.hidden.get(at).copied().unwrap_or(0),
                reported: reported_at(session, TurnIdx::new(small(at) + 1)),
                model: turn.message.and_then(|message| session.messages[message.at()].model.as_deref()),
                is_changed: is_changed[at],
                spoke: came_in.iter().any(|message| message.role == Role::User),
            }
        };
        session.turns.iter().enumerate().map(of_turn).collect()
    }

    /// Returns the most that the reasoning in the history of every turn can be by the provider's measure, tokens: what can be
    /// read of it, and what cannot.
    fn reasoning(&self, session: &Session, growth: &Growth, visible: &TokenTable) -> Vec<u64> {
        let is_other = |at: &usize| session.blocks[*at].kind != BlockKind::Reasoning;
        let others = (0..session.blocks.len()).filter(is_other).map(|at| (BlockIdx::new(at), 0));
        let read = totals(session, growth, &visible.clone().with_sizes(others));
        let hidden = |at: usize| self.hidden.get(at).copied().unwrap_or(0);
        let most = |read: u64| (read as f64 * FACTORS.end()) as u64;
        read.into_iter().enumerate().map(|(at, read)| most(read).saturating_add(hidden(at))).collect()
    }
}

/// Returns the size of the history of every turn, nothing evicted and no overhead in it, tokens.
fn totals(session: &Session, growth: &Growth, table: &TokenTable) -> Vec<u64> {
    let mut ledger = Ledger::new(growth, table, &[]);
    let of_turn = |at: usize| {
        growth.changes(TurnIdx::new(small(at) + 1)).iter().for_each(|change| _ = ledger.grow(change));
        ledger.total()
    };
    (0..session.turns.len()).map(of_turn).collect()
}

/// A reply with a block of reasoning that has no text, and its usage.
struct HiddenReply {
    /// The position of the request that it answers.
    turn: usize,
    message: usize,
    /// The first such block.
    block: BlockIdx,
    /// The reported output, tokens.
    output: u32,
    /// The visible parts, units.
    visible: u64,
    /// The row of the table for its model.
    row: &'static CarriedRow,
}

impl HiddenReply {
    /// Tells whether its reasoning is in a later request, as far as it is known.
    fn is_sent_back(&self) -> bool {
        match self.row.carried {
            CarriedDto::Always | CarriedDto::UntilHuman => true,
            CarriedDto::Never | CarriedDto::Unknown => false,
        }
    }
}

/// Adds up hidden reasoning model by model; the sizes are units.
fn by_model(
    session: &Session,
    visible: &TokenTable,
    sized: &[(&HiddenReply, u32)],
) -> Vec<CarriedReasoningDto> {
    let mut sums: BTreeMap<Option<&str>, (&CarriedRow, u32, u64)> = BTreeMap::new();
    for (reply, units) in sized.iter().filter(|(_, units)| *units > 0) {
        let model = session.messages[reply.message].model.as_deref();
        let sum = sums.entry(model).or_insert((reply.row, 0, 0));
        sum.1 += 1;
        sum.2 += u64::from(*units);
    }
    let of_model = |(model, (row, n_replies, units)): (Option<&str>, (&CarriedRow, u32, u64))| {
        let (tokens, carried) = (visible.tokens(units), row.carried);
        let sent = match carried {
            CarriedDto::Always => "it is sent back as long as the reply is in the history",
            CarriedDto::UntilHuman => "it is sent back until the human speaks again",
            CarriedDto::Never => "it is not sent back and in no total",
            CarriedDto::Unknown => "whether it is sent back is not known, so it is in no total",
        };
        let says = format!(
            "reasoning of {}: {} tokens of {n_replies} {} have no text in the log; {sent}",
            model.unwrap_or("an unnamed model"),
            grouped(tokens),
            if n_replies == 1 { "reply" } else { "replies" },
        );
        CarriedReasoningDto {
            model: model.map(str::to_owned),
            carried,
            n_replies,
            tokens,
            source: row.source.clone(),
            says,
        }
    };
    sums.into_iter().map(of_model).collect()
}

fn hidden_replies(session: &Session, visible: &TokenTable, carriers: Carriers<'_>) -> Vec<HiddenReply> {
    let of_turn = |(turn, message): (usize, usize)| {
        let usage = session.messages[message].usage.filter(|usage| usage.output > 0)?;
        let blocks = || session.messages[message].blocks.clone().map(BlockIdx::new);
        let is_hidden = |block: &BlockIdx| {
            session.blocks[block.at()].kind == BlockKind::Reasoning && visible.units(*block) == 0
        };
        let block = blocks().find(is_hidden)?;
        let visible = blocks().map(|block| visible.units(block)).sum();
        let row = carriers(session.messages[message].model.as_deref());
        Some(HiddenReply { turn, message, block, output: small(usage.output), visible, row })
    };
    let answered = session.turns.iter().enumerate();
    answered.filter_map(|(turn, asked)| of_turn((turn, asked.message?.at()))).collect()
}

/// Returns the prompt size that the provider reported for one turn; a reported 0 is none.
pub(crate) fn reported_at(session: &Session, turn: TurnIdx) -> Option<u64> {
    let usage = session.messages[session.turn(turn).message?.at()].usage?;
    Some(usage.prompt()).filter(|prompt| *prompt > 0)
}

/// Returns the prompt size that the provider reported, per turn; a reported 0 is none.
pub(crate) fn reported(session: &Session) -> Vec<Option<u64>> {
    (1..).zip(&session.turns).map(|(number, _)| reported_at(session, TurnIdx::new(number))).collect()
}

#[cfg(test)]
#[path = "judged_tests.rs"]
mod judged;
