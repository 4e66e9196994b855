//! Logs of sample lines, some of them damaged, for any line-based adapter.

use cwl_engine::TurnIdx;
use cwl_formats::{Format, LogReader, parse_log};
use proptest::prelude::*;

use crate::told::tell;

/// Makes a log from any number of the lines of `log` in any order, some of them damaged.
pub(crate) fn any_lines_of(log: &str) -> impl Strategy<Value = Vec<u8>> {
    any_lines(log.lines().map(str::to_owned).collect())
}

/// Makes a log from any number of `lines` in any order, some of them damaged.
pub(crate) fn any_lines(lines: Vec<String>) -> impl Strategy<Value = Vec<u8>> {
    let n_longest = lines.iter().map(String::len).max().unwrap();
    let line = (proptest::sample::select(lines), 0..n_longest, any::<u8>(), 0..9_u8);
    let line = line.prop_map(|(line, at, byte, damage)| {
        let mut line = line.into_bytes();
        let at = at % line.len();
        match damage {
            0 => line[at] = byte,
            1 => line.truncate(at),
            2 => drop(line.remove(at)),
            _ => {}
        }
        line
    });
    proptest::collection::vec(line, 0..14).prop_map(|lines| lines.join(&b'\n'))
}

pub(crate) fn is_read(format: Format, log: &[u8], cut: proptest::sample::Index) -> Result<(), TestCaseError> {
    let whole = parse_log(format, log);
    let told = tell(format, log);
    for turn in 1..=told.session.turns.len() {
        told.context(TurnIdx::new(u32::try_from(turn).unwrap()));
    }
    let cut = cut.index(log.len() + 1);
    let mut reader = LogReader::new(format);
    let mut events = reader.feed_bytes(&log[..cut]).events;
    events.extend(reader.feed_bytes(&log[cut..]).events);
    events.extend(reader.unfinished_batch().events);
    prop_assert_eq!(events, whole.0);
    Ok(())
}
