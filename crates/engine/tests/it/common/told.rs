//! The steps of a policy, turn by turn in a few signs, for cases that people write by hand.

use super::{Played, options_of};
use cwl_engine::testing::LogBuilder;
use cwl_engine::{
    BlockIdx, BlockKind, EventLog, Material, Move, Placeholder, Session, SessionEvent, TurnIdx,
};

/// Replays a policy with digest and prints of texts; `change` adds what the case needs.
pub fn play_with_texts(
    policy: &str,
    log: &LogBuilder,
    budget: u64,
    settings: &[(&str, &str)],
    change: impl Fn(&Session, &mut Material),
) -> Played {
    let material = |session: &Session| {
        let (growth, _) = cwl_engine::GraphTimeline::build(session);
        let mut material = log.material(session, &growth, cwl_formats::read_call);
        change(session, &mut material);
        (material, Vec::new())
    };
    Played::with(policy, log, budget, 0, 1, &options_of(policy, settings), material)
}

/// Tells the moves of each turn: `c1` is the output of call `c1` cleared, `c1=` superseded, `c1()` its arguments
/// cleared, `-e2:0` a block taken, `+` and `-` a summary placed and lifted.
pub fn told(played: &Played) -> Vec<String> {
    let turns = (1..=played.session.last_turn().number()).map(TurnIdx::new);
    let of_turn = |turn: TurnIdx| {
        let mut moves = Vec::new();
        played.replay.moves_of(turn, |one| moves.push(one));
        let words: Vec<String> = moves.iter().map(|one| word_of(played, *one)).collect();
        (!words.is_empty()).then(|| format!("{turn}: {}", words.join(" ")))
    };
    turns.filter_map(of_turn).collect()
}

fn word_of(played: &Played, one: Move) -> String {
    let name = |block: BlockIdx| {
        let row = &played.session.blocks[block.at()];
        match &row.kind {
            BlockKind::Call(call) => call.id.to_string(),
            BlockKind::Result(result) => result.call.to_string(),
            _ => row.id.to_string(),
        }
    };
    match one {
        Move::Masked(block, Placeholder::Cleared | Placeholder::Duplicate) => name(block),
        Move::Masked(block, Placeholder::Superseded) => format!("{}=", name(block)),
        Move::Masked(block, Placeholder::Arguments) => format!("{}()", name(block)),
        Move::Out(block) => format!("-{}", name(block)),
        Move::In(block) => format!("+{}", name(block)),
        Move::Placed(_) => "+".into(),
        Move::Lifted(_) => "-".into(),
        Move::Residue(..) => "residue".into(),
    }
}

/// Gives the records of a log the times that `seconds` tells by their numbers, from 1.
pub fn timed(mut log: LogBuilder, seconds: impl Fn(usize) -> Option<i64>) -> LogBuilder {
    let events = core::mem::take(&mut log.log);
    log.log = EventLog::default();
    for (number, event) in (1..).zip(events.events()) {
        let at_ms = seconds(number).map(|seconds| seconds * 1000);
        log.log.push(SessionEvent { at_ms, ..event.clone() });
    }
    log
}
