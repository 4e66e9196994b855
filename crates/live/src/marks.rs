//! Episode marks for a policy: declared by the agent or inferred.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use cwl_engine::{
    Annotation, BlockFacts, BlockIdx, BlockKind, EventIdx, Facts, GraphTimeline, Hindsight, Session,
    infer_between, infer_episodes, spans_of,
};
use cwl_formats::read_call;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarksChoice {
    #[default]
    Declared,
    /// Declared by the agent, and inferred between declared episodes.
    Filled,
    /// Inferred; declared marks are ignored.
    Inferred,
}

impl MarksChoice {
    pub fn name(self) -> &'static str {
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

#[derive(Default)]
pub(crate) struct MarkFacts {
    texts: HashMap<(EventIdx, u32), Arc<str>>,
    known: HashMap<(EventIdx, u32), Arc<BlockFacts>>,
}

impl MarkFacts {
    pub(crate) fn keep_text(&mut self, place: (EventIdx, u32), text: &str) {
        self.texts.insert(place, text.into());
    }

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
