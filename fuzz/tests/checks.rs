//! Checks for every fuzz target: no input panics, pieces give the same as the whole, and session, graph and
//! replay can be built from any log.

use std::collections::BTreeMap;

use cwl_engine::{
    Cut, EventLog, GraphTimeline, History, Material, Overhead, Policy, PolicyOptions, Replay, ReplayInput, Session, StateAt, TokenTable,
    render,
};
use cwl_formats::{Batch, Format, LogReader, default_tools, parse_log};

/// Reads bytes as a log: whole, in two pieces cut at a place given by the first bytes, and on to a context.
///
/// # Panics
/// If pieces and whole differ, or anything on the way panics.
pub fn log(format: Format, data: &[u8]) {
    let Some((cut, data)) = data.split_at_checked(2) else { return };
    let cut = usize::from(u16::from_le_bytes([cut[0], cut[1]])).min(data.len());
    let (events, problems) = parse_log(format, data);
    let mut reader = LogReader::new(format);
    let mut pieces = Batch::default();
    let mut take = |batch: Batch| {
        pieces.events.extend(batch.events);
        pieces.problems.extend(batch.problems);
    };
    take(reader.feed_bytes(&data[..cut]));
    reader.unfinished_batch();
    take(reader.feed_bytes(&data[cut..]));
    take(reader.unfinished_batch());
    assert_eq!(pieces.events, events, "pieces and whole");
    assert_eq!(pieces.problems, problems, "problems of pieces and whole");
    let mut log = EventLog::default();
    let mut units: BTreeMap<(usize, u32), u32> = BTreeMap::new();
    for parsed in events {
        let n_blocks = parsed.event.body.all_blocks().count();
        assert_eq!(n_blocks, parsed.contents.len(), "one content per block");
        let idx = log.push(parsed.event);
        for (part, content) in (0..).zip(&parsed.contents) {
            units.insert((idx.at(), part), u32::try_from(content.text.len()).unwrap_or(u32::MAX));
        }
    }
    log.tips();
    for history in [History::AsRecorded, History::Full] {
        replay(&log, history, &units);
    }
}

fn replay(log: &EventLog, history: History, units: &BTreeMap<(usize, u32), u32>) {
    let (session, _) = Session::build(log, None, history, &default_tools());
    let (growth, _) = GraphTimeline::build(&session);
    let of_block = |block: &cwl_engine::SessionBlock| units.get(&(block.event.at(), block.part)).copied();
    let sizes: Vec<u32> = session.blocks.iter().map(|block| of_block(block).unwrap_or(0)).collect();
    let budget = sizes.iter().map(|size| u64::from(*size)).sum::<u64>() / 8;
    let table = TokenTable::new(4, sizes, BTreeMap::new());
    for policy in Policy::ALL {
        let options = match PolicyOptions::defaults(policy) {
            Ok(options) => PolicyOptions { history, ..options },
            Err(error) => panic!("{}: {error}", policy.name),
        };
        let own_table = policy.adjust_table(&session, &table);
        let input = ReplayInput {
            session: &session,
            growth: &growth,
            table: &own_table,
            material: &Material::default(),
            pins: &[],
            overhead: &Overhead::default(),
            budget,
            policy,
            options: &options,
        };
        let run = Replay::run(&input);
        let state = StateAt::fold_to(&input, &run, Cut::end_of(session.last_turn()));
        render(&input, &run, &state);
    }
}
