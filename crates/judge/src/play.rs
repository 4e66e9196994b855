//! Sessions rebuilt from numbers: turns with the right sizes, effects and names but without texts, so that
//! quality rules run on marked sessions as on logs.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    Absences, Annotation, Author, BlockFacts, BlockIdx, BlockKind, ContentBlock, DeclaredKind, EntryId,
    EventBody, EventLog, Facts, GraphTimeline, History, Material, Message, MessageForm, Name, NameKind,
    NumberUse, Overhead, Parent, Policy, PolicyOptions, QualityInput, Remark, Replay, ReplayInput,
    ReplyOutcome, Role, Session, SessionEvent, Span, Thresholds, TokenTable, ToolCall, ToolResult, Use,
    find_absences, find_remarks, reacquisition_stories,
};

use crate::fit::MarkedSession;
use crate::numbers::UseKind;

/// The window's budget τ in tokens, and bytes per token.
const BUDGET: u64 = 80_000;
const BYTES_A_TOKEN: u32 = 4;

#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub name: String,
    pub is_act: bool,
    pub first: usize,
    /// The turn after the last one; `None` for an open episode.
    pub end: Option<usize>,
    /// Explorations it depends on, as indices into the marking.
    pub needs: Vec<usize>,
}

pub(crate) struct Stage {
    session: Session,
    facts: Facts,
    material: Material,
    units: Vec<u32>,
    turns: Vec<(BlockIdx, BlockIdx)>,
}

struct Parts {
    first: usize,
    uses: usize,
    result: Option<usize>,
}

impl Stage {
    pub(crate) fn from_marked(marked: &MarkedSession) -> Self {
        let mut log = EventLog::default();
        let (mut units, mut facts, mut parts): (Vec<u32>, Vec<BlockFacts>, Vec<Parts>) =
            (Vec::new(), Vec::new(), Vec::new());
        let mut add = |role, author, kinds: Vec<BlockKind>| {
            let blocks = (0u32..).zip(kinds).map(|(index, kind)| ContentBlock {
                index,
                kind,
                images: 0,
                holds: cwl_engine::Holds::Nothing,
            });
            let number = log.events().len() as u64 + 1;
            let body = EventBody::Message(Message {
                role,
                author,
                form: MessageForm::Plain,
                blocks: blocks.collect(),
                model: None,
                usage: None,
                outcome: ReplyOutcome::Complete,
                reply: None,
            });
            let parent = if number == 1 { Parent::Root } else { Parent::Entry(EntryId::of_line(number - 1)) };
            let entry = EntryId::of_line(number);
            log.push(SessionEvent { side: false, line: number, entry, parent, at_ms: None, body });
        };
        for (at, turn) in marked.facts.iter().enumerate() {
            if let Some(human) = turn.human {
                add(Role::User, Author::Human, vec![BlockKind::Text]);
                units.push(human.n_bytes);
                facts.push(BlockFacts::of_human(human));
            }
            let first = units.len();
            let id = format!("c{at}");
            let call =
                ToolCall { id: id.as_str().into(), name: Arc::from("work"), program: None, mark: None };
            let mut kinds = vec![BlockKind::Reasoning, BlockKind::Text];
            units.extend([turn.reasoning_bytes, turn.text_bytes]);
            facts.extend([BlockFacts::default(), BlockFacts::default()]);
            let calls = turn.n_calls > 0;
            if calls {
                kinds.push(BlockKind::Call(call));
                units.push(0);
                facts.push(BlockFacts::of_deed(turn.effects, &turn.files));
            }
            let uses = units.len() - 1;
            add(Role::Assistant, Author::Model, kinds);
            if calls {
                // If a turn has several calls, only some may have failed.
                let ok = !(turn.failed && turn.n_calls == 1);
                let result = ToolResult { call: id.as_str().into(), name: None, ok, mark: None };
                add(Role::Tool, Author::Tool, vec![BlockKind::Result(result)]);
                units.push(turn.out_bytes);
                facts.push(BlockFacts::default());
            }
            parts.push(Parts { first, uses, result: calls.then(|| units.len() - 1) });
        }
        let (session, _) = Session::build(&log, None, History::Full, &cwl_formats::default_tools());
        let turns = parts
            .iter()
            .map(|parts| (BlockIdx::new(parts.first), BlockIdx::new(parts.result.unwrap_or(parts.uses))));
        Self {
            turns: turns.collect(),
            facts: Facts::new(facts.into_iter().map(Arc::new).collect()),
            material: material_of(marked, &parts),
            session,
            units,
        }
    }

    /// Finds remarks about `marking`. Episodes are numbered as in the graph, in start order.
    pub(crate) fn remarks(
        &self,
        marking: &[Mark],
        thresholds: &Thresholds,
    ) -> anyhow::Result<(GraphTimeline, Vec<Remark>)> {
        let span = |mark: &Mark| Span {
            name: mark.name.as_str().into(),
            kind: if mark.is_act { DeclaredKind::Action } else { DeclaredKind::Exploratory },
            first: self.turns[mark.first].0,
            last: mark.end.map(|end| self.turns[end - 1].1),
            dependencies: mark.needs.iter().map(|on| marking[*on].name.as_str().into()).collect(),
            description: (!mark.is_act).then(|| Arc::from("found")),
            evidence: None,
        };
        let annotation = Annotation::from_written(marking.iter().map(span).collect());
        let (growth, _) = GraphTimeline::build_annotated(&self.session, &annotation);
        let table = TokenTable::new(BYTES_A_TOKEN, self.units.clone(), BTreeMap::new());
        let policy = Policy::find("cwl").ok_or_else(|| anyhow::anyhow!("no policy is called cwl"))?;
        let options = PolicyOptions::defaults(policy)?;
        let overhead = Overhead::default();
        let input = ReplayInput {
            session: &self.session,
            growth: &growth,
            table: &table,
            material: &self.material,
            pins: &[],
            overhead: &overhead,
            budget: BUDGET,
            policy,
            options: &options,
        };
        let replay = Replay::run(&input);
        let absences: Absences = find_absences(&input, &replay, &self.material);
        let stories = reacquisition_stories(&input, &replay, &self.facts, &absences.reacquisitions, &[]);
        let found = find_remarks(&QualityInput {
            session: &self.session,
            growth: &growth,
            table: &table,
            material: &self.material,
            facts: &self.facts,
            absences: &absences,
            stories: &stories,
            budget: BUDGET,
            thresholds,
        });
        Ok((growth, found))
    }

    pub(crate) fn block(&self, turn: usize) -> BlockIdx {
        self.turns[turn].0
    }
}

fn material_of(marked: &MarkedSession, parts: &[Parts]) -> Material {
    let mut material = Material::default();
    let mut places: BTreeMap<u32, u32> = BTreeMap::new();
    for (by, uses) in parts.iter().zip(&marked.uses) {
        for &(held, kind, name, again) in uses {
            let Some(held) = parts.get(held as usize) else { continue };
            let (held, by_block) = (BlockIdx::new(held.result.unwrap_or(held.uses)), BlockIdx::new(by.uses));
            let kind = UseKind::ALL.get(usize::from(kind)).copied().unwrap_or(UseKind::Word);
            if kind == UseKind::Number {
                material.numbers.push(NumberUse { text: format!("{name}").into(), by: by_block, held });
                continue;
            }
            let place = *places.entry(name).or_insert_with(|| {
                let (kind, text) = match kind {
                    UseKind::Path | UseKind::Edited => (NameKind::Path, format!("src/{name}.rs")),
                    UseKind::Command => (NameKind::Command, format!("look {name}")),
                    UseKind::Symbol | UseKind::Error => (NameKind::Symbol, format!("name_{name}")),
                    UseKind::Word | UseKind::Number => (NameKind::Symbol, letters(name)),
                };
                material.names.push(Name { kind, text: text.into() });
                u32::try_from(material.names.len() - 1).unwrap_or(u32::MAX)
            });
            let again = by.result.filter(|_| again != 0).map(BlockIdx::new);
            material.uses.push(Use { name: place, by: by_block, held, again });
        }
    }
    material
}

fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}
