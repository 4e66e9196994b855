//! `lru` and its presets `lfu`, `gdsf` and `paging`: outputs as pages, cleared in an order that a cache would choose.
//!
//! A page is the output of a call; a later call or text that uses a path, a command or an identifier that the output
//! held uses the page ([`crate::Use`]). Over the budget a pass clears pages until the request fits:
//!
//! - `lru`: the page whose last use, or whose arrival, is the oldest;
//! - `lfu`: the page with the fewest uses, the oldest first among equals;
//! - `gdsf`: the page with the lowest priority L + F / S, where F is one more than its uses, S its tokens, and L the
//!   priority of the page that was cleared last (Cherkasova 1998). Getting any output again is taken to cost the same.
//! - `fifo`: the oldest page.
//!
//! `paging` is Pichay (arXiv 2603.09023): whatever the budget, pages of 500 bytes or more go when four later turns have
//! come; failed outputs never go. If the agent gets a cleared output again, and it is the same, the new one is pinned.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::mask::tokens_saved;
use crate::{
    Action, BlockIdx, BlockKind, KeptReason, OptionSpec, PageOrder, Pass, Placeholder, PolicyOptions,
    PolicyRun, Presence, ReplayInput, Session, StateAt, Subject, TokenTable, Transition, TurnIdx,
};

const ALWAYS: OptionSpec = OptionSpec::look_up("lru", "always");
const KEEP_TURNS: OptionSpec = OptionSpec::look_up("lru", "keep_turns");
const MIN_SIZE: OptionSpec = OptionSpec::look_up("lru", "min_size");
const KEEP_ERRORS: OptionSpec = OptionSpec::look_up("lru", "keep_errors");
const PIN_FAULTS: OptionSpec = OptionSpec::look_up("lru", "pin_faults");

/// One use of a page of one token, in the fixed-point numbers of `gdsf`.
const USE: u64 = 1 << 20;

struct PageOptions<'a> {
    options: &'a PolicyOptions,
    always: bool,
    keep_turns: usize,
    min_size: u64,
    keep_errors: bool,
    pin_faults: bool,
}

impl<'a> PageOptions<'a> {
    fn from_options(options: &'a PolicyOptions) -> Self {
        let number = |spec| options.number_value(&spec);
        Self {
            options,
            always: number(ALWAYS) == 1,
            keep_turns: usize::try_from(number(KEEP_TURNS)).unwrap_or(usize::MAX),
            min_size: number(MIN_SIZE),
            keep_errors: number(KEEP_ERRORS) == 1,
            pin_faults: number(PIN_FAULTS) == 1,
        }
    }

    fn is_page(&self, session: &Session, table: &TokenTable, block: BlockIdx) -> bool {
        let row = &session.blocks[block.at()];
        let BlockKind::Result(result) = &row.kind else { return false };
        let call = row.pair.map(|call| &session.blocks[call.at()].kind);
        let is_excluded =
            matches!(call, Some(BlockKind::Call(call)) if self.options.excludes_tool(&call.name));
        session.is_evictable(block)
            && (result.ok || !self.keep_errors)
            && !is_excluded
            && row.stands_for.is_none()
            && !session.message_of(block).added
            && table.tokens_from_units(table.units(block)) >= self.min_size
            && tokens_saved(table, block, Placeholder::Cleared) > 0
    }

    fn young_from(&self, session: &Session, turn: TurnIdx) -> usize {
        match self.keep_turns {
            0 => usize::MAX,
            n => session.turns[turn.at().saturating_sub(n)].end,
        }
    }
}

struct OutputPage {
    block: BlockIdx,
    tokens: u64,
    n_uses: u64,
    /// The block of the last use, or the page itself.
    used_by: BlockIdx,
    key: Option<u64>,
    there: bool,
    cleared: bool,
    pinned: bool,
}

struct Pages<'a> {
    rules: PageOptions<'a>,
    pages: Vec<OutputPage>,
    waiting: BTreeSet<(u64, usize)>,
    n_old: usize,
    next_use: usize,
    /// Outputs that stay because the agent had to get them again.
    pins: BTreeSet<BlockIdx>,
    /// The priority of the page that was cleared last, under `gdsf`.
    age: u64,
}

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(Pages {
        rules: PageOptions::from_options(input.options),
        pages: Vec::new(),
        waiting: BTreeSet::new(),
        n_old: 0,
        next_use: 0,
        pins: BTreeSet::new(),
        age: 0,
    })
}

impl Pages<'_> {
    fn find_page(&self, block: BlockIdx) -> Option<usize> {
        self.pages.binary_search_by_key(&block, |page| page.block).ok()
    }

    fn key_of(&self, page: &OutputPage) -> u64 {
        match self.rules.options.order {
            PageOrder::Lru => page.used_by.at() as u64,
            PageOrder::Lfu => page.n_uses,
            PageOrder::Gdsf => self.age.saturating_add((page.n_uses + 1) * USE / page.tokens.max(1)),
            PageOrder::Fifo => 0,
        }
    }

    fn place_page(&mut self, at: usize) {
        let page = &self.pages[at];
        let waits = at < self.n_old && page.there && !page.cleared && !page.pinned;
        let key = waits.then(|| self.key_of(page));
        if let Some(old) = core::mem::replace(&mut self.pages[at].key, key) {
            self.waiting.remove(&(old, at));
        }
        if let Some(key) = key {
            self.waiting.insert((key, at));
        }
    }

    fn add_page(&mut self, block: BlockIdx, pass: &Pass<'_>) {
        let ReplayInput { session, table, .. } = pass.input;
        if self.rules.is_page(session, table, block) {
            self.pages.push(OutputPage {
                block,
                tokens: table.tokens_from_units(table.units(block)),
                n_uses: 0,
                used_by: block,
                key: None,
                there: true,
                cleared: false,
                pinned: self.pins.contains(&block) || pass.state(block).is_pinned(),
            });
        }
    }

    /// Counts the uses that have come since the last pass; a use of a cleared page is a fault.
    fn read_uses(&mut self, pass: &Pass<'_>) {
        let material = pass.input.material;
        while let Some(one) = material.uses.get(self.next_use).filter(|one| pass.state(one.by).has_arrived())
        {
            self.next_use += 1;
            let Some(at) = self.find_page(one.held) else { continue };
            let page = &mut self.pages[at];
            if page.used_by != one.by {
                page.used_by = one.by;
                page.n_uses += 1;
            }
            let print = |block: BlockIdx| material.alike.get(block.at()).copied().unwrap_or(0);
            let is_fault = page.cleared && self.rules.pin_faults;
            if let Some(again) = one.again.filter(|again| is_fault && print(*again) == print(one.held)) {
                self.pins.insert(again);
                if let Some(again) = self.find_page(again) {
                    self.pages[again].pinned = true;
                    self.place_page(again);
                }
            }
            self.place_page(at);
        }
    }

    fn age_pages(&mut self, pass: &Pass<'_>) {
        let young = self.rules.young_from(pass.input.session, pass.turn);
        while let Some(page) = self.pages.get(self.n_old)
            && pass.input.growth.message_of(page.block) < young
        {
            self.n_old += 1;
            self.place_page(self.n_old - 1);
        }
    }
}

impl PolicyRun for Pages<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        if let Transition::Arrived(run) = transition {
            run.blocks().for_each(|block| self.add_page(block, pass));
        } else if let Some((block, is)) = transition.by_harness()
            && let Some(at) = self.find_page(block)
        {
            self.pages[at].there = !is.is_dropped();
            self.place_page(at);
        }
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        self.read_uses(pass);
        self.age_pages(pass);
        if !self.rules.always && !pass.is_over() {
            return;
        }
        let stop = match self.rules.always {
            true => 0,
            false => pass.share_of_budget(pass.input.options.low_water.into()),
        };
        let mut held = Vec::new();
        while pass.total() > stop
            && let Some((key, at)) = self.waiting.pop_first()
        {
            let page = &mut self.pages[at];
            page.key = None;
            if !pass.may_take(page.block) {
                held.push(at);
                continue;
            }
            page.cleared = true;
            self.age = self.age.max(key);
            pass.mask_block(page.block, Placeholder::Cleared);
            pass.end_step(Subject::Output(page.block), Action::Clear);
        }
        held.into_iter().for_each(|at| self.place_page(at));
    }
}

pub(super) fn kept_reasons(input: &ReplayInput<'_>, state: &StateAt) -> Vec<KeptReason> {
    let ReplayInput { session, table, options, .. } = *input;
    let rules = PageOptions::from_options(options);
    let young = rules.young_from(session, state.cut.turn);
    let reason = |block: BlockIdx| match rules.is_page(session, table, block) {
        false => KeptReason::OutOfReach,
        true if session.blocks[block.at()].message.at() >= young => KeptReason::Recent,
        // An old page that is still there after a pass over all of them was got again, and stays for good.
        true if rules.always && state.presence(block) == Presence::Live => KeptReason::OutOfReach,
        true => KeptReason::Eligible,
    };
    (0..session.blocks.len()).map(|at| reason(BlockIdx::new(at))).collect()
}
