//! The marks that a policy goes by: the agent's own, or inferred ones as well.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use cwl_engine::{
    Annotation, BlockFacts, BlockIdx, BlockKind, EventIdx, Facts, GraphTimeline, Hindsight, Session,
    infer_between, infer_episodes, spans_of,
};
use cwl_formats::read_call;

/// The marks that a policy goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MarksChoice {
    /// The agent's own.
    #[default]
    Declared,
    /// The agent's own, and inferred ones in what it did not mark.
    Filled,
    /// Inferred ones alone.
    Inferred,
}

impl MarksChoice {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Filled => "filled",
            Self::Inferred => "inferred",
        }
    }
}

impl FromStr for MarksChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Declared, Self::Filled, Self::Inferred];
        let found = all.into_iter().find(|choice| choice.name() == text);
        found.ok_or_else(|| format!("`{text}` are no marks; choose declared, filled or inferred"))
    }
}

/// The facts that inference needs, worked out once per text.
#[derive(Default)]
pub(crate) struct MarkFacts {
    texts: HashMap<(EventIdx, u32), Arc<str>>,
    known: HashMap<(EventIdx, u32), Arc<BlockFacts>>,
}

impl MarkFacts {
    /// Keeps the text of a block.
    pub(crate) fn keep_text(&mut self, place: (EventIdx, u32), text: &str) {
        self.texts.insert(place, text.into());
    }

    /// Returns the annotation of a session.
    pub(crate) fn annotate(&mut self, choice: MarksChoice, session: &Session) -> Annotation {
        if choice == MarksChoice::Declared {
            return Annotation::Declared;
        }
        let facts = self.facts_of_session(session);
        if choice == MarksChoice::Inferred {
            return infer_episodes(session, &facts, Hindsight::default());
        }
        let (growth, _) = GraphTimeline::build(session);
        let own = spans_of(session, &growth, &Annotation::Declared);
        infer_between(session, &facts, Hindsight::default(), &own)
    }

    fn facts_of_session(&mut self, session: &Session) -> Facts {
        let nothing = Arc::new(BlockFacts::default());
        let mut all = Vec::with_capacity(session.blocks.len());
        for (at, row) in session.blocks.iter().enumerate() {
            let (block, place) = (BlockIdx::new(at), (row.event, row.part));
            if session.is_excluded(block) {
                all.push(Arc::clone(&nothing));
                continue;
            }
            let facts = self.known.entry(place).or_insert_with(|| {
                let text = self.texts.get(&place).map_or("", |text| &**text);
                let reading = match &row.kind {
                    BlockKind::Call(call) => Some(read_call(&call.name, text)),
                    _ => None,
                };
                let class = session.message_of(block).class;
                Arc::new(BlockFacts::from_block(row, class, text, reading.as_ref()))
            });
            all.push(Arc::clone(facts));
        }
        Facts::new(all)
    }
}
