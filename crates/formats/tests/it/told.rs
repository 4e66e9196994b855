//! A log in the engine: each request's content, and the problems.

use std::collections::BTreeSet;

use cwl_engine::{BlockIdx, Content, EventLog, History, Problem, Session, TurnIdx};
use cwl_formats::{Format, default_tools, parse_log};

pub(crate) struct Told {
    pub(crate) session: Session,
    pub(crate) contents: Vec<Vec<Content>>,
    pub(crate) problems: Vec<Problem>,
}

pub(crate) fn tell(format: Format, log: &[u8]) -> Told {
    let (parsed, mut problems) = parse_log(format, log);
    let mut events = EventLog::default();
    let mut contents = Vec::new();
    for event in parsed {
        events.push(event.event);
        contents.push(event.contents);
    }
    let (session, more) = Session::build(&events, None, History::AsRecorded, &default_tools());
    problems.extend(more);
    Told { session, contents, problems }
}

impl Told {
    /// Returns the blocks in a request, in model order.
    pub(crate) fn context_blocks(&self, turn: TurnIdx) -> Vec<BlockIdx> {
        let end = self.session.turn_at(turn).end;
        let mut gone: BTreeSet<BlockIdx> = BTreeSet::new();
        for replacement in self.session.replacements.iter().filter(|it| it.at <= end) {
            gone.extend(&replacement.drops);
            for restored in &replacement.restores {
                gone.remove(restored);
            }
        }
        let messages = self.session.model_order(end);
        let blocks =
            messages.into_iter().flat_map(|message| self.session.blocks_of(message).map(|(idx, _)| idx));
        blocks.filter(|idx| !gone.contains(idx)).collect()
    }

    pub(crate) fn text_of(&self, idx: BlockIdx) -> &str {
        let block = &self.session.blocks[idx.at()];
        &self.contents[block.event.at()][block.part as usize].text
    }

    /// Returns the beginning of each block in a request, in model order.
    pub(crate) fn context(&self, turn: TurnIdx) -> Vec<String> {
        let line_of = |idx: BlockIdx| {
            let kind = &self.session.blocks[idx.at()].kind;
            let class = self.session.message_of(idx).class;
            let text: String = self.text_of(idx).chars().take(36).collect();
            format!("{class:?} {} {}", kind.name(), text.replace('\n', "|"))
        };
        self.context_blocks(turn).into_iter().map(line_of).collect()
    }

    pub(crate) fn now(&self) -> Vec<String> {
        self.context(self.session.last_turn())
    }

    pub(crate) fn n_turns(&self) -> usize {
        self.session.turns.len() - 1
    }

    pub(crate) fn codes(&self) -> Vec<&str> {
        self.problems.iter().map(|problem| problem.kind.code()).collect()
    }
}
