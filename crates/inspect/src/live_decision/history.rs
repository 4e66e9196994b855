//! The session so far: an adapter's events, each text counted once.

use std::collections::BTreeMap;

use cwl_engine::{
    BlockIdx, Content, ContentBlock, EpisodeIdx, EventIdx, EventLog, GraphTimeline, GrowingBranch,
    MessageClass, Overhead, ParsedEvent, Placeholder, Session, TokenTable, ToolTable,
};

#[derive(Debug, Clone)]
pub struct SessionHistory {
    log: EventLog,
    tools: ToolTable,
    /// The branch of the records up to the last [`Self::extend_branch`].
    branch: GrowingBranch,
    divisor: u32,
    placeholders: [u32; Placeholder::ALL.len()],
    units: Vec<u32>,
    /// Per event, the index of its first block in `units`.
    first_units: Vec<usize>,
}

impl SessionHistory {
    /// Starts an empty history. `divisor` is units per token; `count_text` returns a text's units.
    pub fn new(tools: ToolTable, divisor: u32, mut count_text: impl FnMut(&str) -> u32) -> Self {
        let log = EventLog::default();
        Self {
            branch: GrowingBranch::build(&log, tools.clone()),
            log,
            tools,
            divisor,
            placeholders: Placeholder::ALL.map(|placeholder| count_text(placeholder.text())),
            units: Vec::new(),
            first_units: Vec::new(),
        }
    }

    /// Appends an event. `count_block` returns a block's units, images included.
    pub fn push_event(
        &mut self,
        parsed: ParsedEvent,
        mut count_block: impl FnMut(&ContentBlock, &Content) -> u32,
    ) -> EventIdx {
        let ParsedEvent { event, contents, .. } = parsed;
        self.first_units.push(self.units.len());
        let nothing = Content::default();
        let mut contents = contents.iter();
        for block in event.body.all_blocks() {
            self.units.push(count_block(block, contents.next().unwrap_or(&nothing)));
        }
        self.log.push(event)
    }

    pub fn clear(&mut self) {
        self.log = EventLog::default();
        self.branch = GrowingBranch::build(&self.log, self.tools.clone());
        self.units.clear();
        self.first_units.clear();
    }

    pub fn log(&self) -> &EventLog {
        &self.log
    }

    pub fn current_session(&mut self) -> Session {
        self.extend_branch();
        self.branch.session().clone()
    }

    pub(crate) fn extend_branch(&mut self) {
        self.branch.extend(&self.log);
    }

    pub(crate) fn branch(&self) -> &GrowingBranch {
        &self.branch
    }

    /// Returns the tokens that no policy can evict: the overhead at the last turn and every system message.
    pub fn fixed_tokens(&mut self, overhead: &Overhead) -> u64 {
        let session = self.current_session();
        // Only episodes have residues, and no residue is fixed.
        let table = self.build_table(&session, &GraphTimeline::default(), |_| 0);
        let system = session.messages.iter().filter(|message| message.class == MessageClass::System);
        let tokens = system.map(|message| {
            let units = message.blocks.clone().map(|at| table.units(BlockIdx::new(at))).sum();
            table.tokens_from_units(units)
        });
        tokens.fold(overhead.tokens_at(session.last_turn()), u64::saturating_add)
    }

    /// Builds the [`TokenTable`] for a `session` built from this history. `count_text` returns the units for an
    /// episode's residue.
    pub fn build_table(
        &self,
        session: &Session,
        growth: &GraphTimeline,
        mut count_text: impl FnMut(&str) -> u32,
    ) -> TokenTable {
        let units_of = |at: usize| {
            let row = &session.blocks[at];
            let first = self.first_units.get(row.event.at()).copied().unwrap_or(usize::MAX);
            // A message the log excludes from the context costs nothing.
            let is_sent = !session.is_excluded(BlockIdx::new(at));
            self.units.get(first.saturating_add(row.part as usize)).copied().filter(|_| is_sent).unwrap_or(0)
        };
        let units = (0..session.blocks.len()).map(units_of).collect();
        let residues: BTreeMap<EpisodeIdx, u32> = growth
            .graph
            .episodes()
            .filter_map(|(idx, episode)| Some((idx, count_text(&episode.residue_text()?))))
            .collect();
        TokenTable::new(self.divisor, units, residues).with_placeholders(self.placeholders)
    }
}
