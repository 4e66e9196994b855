//! Sizes: the tokens of everything on a branch, and of what the log does not show.
//!
//! Some providers keep reasoning to themselves: the log has a block without a text, and only the reported output of the
//! reply tells that there was any. Such a block gets the size of the output less the visible parts of its reply.

use cwl_engine::{
    BlockIdx, BlockKind, Growth, Ledger, Overhead, ReplacementCause, Role, Session, SessionMessage,
    TokenTable, Turn, TurnIdx,
};
use cwl_formats::Format;

use crate::dto::{OverheadSourceDto, UnloggedDto};
use crate::figures::small;
use crate::measure::calibration::{Calibration, FACTORS, Request, Stretch};
use crate::measure::hidden_loss::{Loss, losses};

/// How long a harness and its provider send hidden reasoning back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carry {
    /// For as long as the reply is in the history, as Claude Code and pi do.
    Always,
    /// Until the human speaks again, as Codex and the Responses API do: the reported prompts of its logs fall by the
    /// reasoning at each message of the human. The log does not tell of it, so it is in no total.
    HumanTurn,
}

impl Carry {
    /// Returns the rule of a format.
    pub(crate) fn of(format: Format) -> Self {
        match format {
            Format::Codex => Self::HumanTurn,
            _ => Self::Always,
        }
    }
}

/// The sizes of everything on a branch.
pub(crate) struct Sizes {
    /// All sizes, hidden reasoning too.
    pub(crate) table: TokenTable,
    /// The sizes of what can be read, where that differs.
    visible: Option<TokenTable>,
    /// The blocks whose size is derived from reported usage, in log order.
    pub(crate) derived: Vec<BlockIdx>,
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
        carry: Carry,
        known: Option<&Self>,
    ) -> Self {
        let divisor = visible.divisor();
        let account = Account::of(session, growth, &visible, carry);
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
            (reply.block, small(units))
        };
        if account.is_whole {
            let full = account.counted;
            let derived = Vec::new();
            return Self { table: visible, visible: None, derived, full, calibration, residual, losses };
        }
        let sizes = account.replies.iter().map(hidden_units);
        let derived: Vec<(BlockIdx, u32)> = sizes.filter(|(_, units)| *units > 0).collect();
        let table = visible.clone().with_sizes(derived.iter().copied());
        let full = totals(session, growth, &table);
        let derived = derived.into_iter().map(|(block, _)| block).collect();
        Self { table, visible: Some(visible), derived, full, calibration, residual, losses }
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

/// The requests of a branch as they can be counted, apart from replies whose reasoning is hidden and carried.
struct Account {
    replies: Vec<HiddenReply>,
    /// True when there is no such reply, so that everything that can be read is in `counted`.
    is_whole: bool,
    /// The history of every turn without those replies, tokens.
    counted: Vec<u64>,
    /// The outputs of those replies that are in the history of every turn, tokens of the provider.
    hidden: Vec<u64>,
}

impl Account {
    fn of(session: &Session, growth: &Growth, visible: &TokenTable, carry: Carry) -> Self {
        let replies = hidden_replies(session, visible);
        if replies.is_empty() || carry == Carry::HumanTurn {
            let hidden = since_human(session, visible, &replies);
            return Self { replies, is_whole: true, counted: totals(session, growth, visible), hidden };
        }
        let divisor = visible.divisor();
        let blocks = replies.iter().flat_map(|reply| session.messages[reply.message].blocks.clone());
        let rest = visible.clone().with_sizes(blocks.map(|at| (BlockIdx::new(at), 0)));
        let outputs = replies.iter().map(|reply| (reply.block, reply.output.saturating_mul(divisor)));
        let nothing = TokenTable::new(divisor, vec![0; session.blocks.len()], Default::default());
        let hidden = totals(session, growth, &nothing.with_sizes(outputs));
        Self { counted: totals(session, growth, &rest), is_whole: false, hidden, replies }
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

/// Returns the hidden reasoning since the last message of the human, for every turn, tokens of the provider.
fn since_human(session: &Session, visible: &TokenTable, replies: &[HiddenReply]) -> Vec<u64> {
    let (mut replies, mut sum, mut from) = (replies.iter().peekable(), 0, 0);
    let of_turn = |(at, turn): (usize, &Turn)| {
        while let Some(reply) = replies.next_if(|reply| reply.turn < at) {
            sum += u64::from(reply.output).saturating_sub(visible.tokens(reply.visible));
        }
        let came_in = &session.messages[std::mem::replace(&mut from, turn.end)..turn.end];
        if came_in.iter().any(SessionMessage::is_typed) {
            sum = 0;
        }
        sum
    };
    session.turns.iter().enumerate().map(of_turn).collect()
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
}

fn hidden_replies(session: &Session, visible: &TokenTable) -> Vec<HiddenReply> {
    let of_turn = |(turn, message): (usize, usize)| {
        let usage = session.messages[message].usage.filter(|usage| usage.output > 0)?;
        let blocks = || session.messages[message].blocks.clone().map(BlockIdx::new);
        let is_hidden = |block: &BlockIdx| {
            session.blocks[block.at()].kind == BlockKind::Reasoning && visible.units(*block) == 0
        };
        let block = blocks().find(is_hidden)?;
        let visible = blocks().map(|block| visible.units(block)).sum();
        Some(HiddenReply { turn, message, block, output: small(usage.output), visible })
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
