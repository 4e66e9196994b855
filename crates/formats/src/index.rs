use cwl_engine::{EntryId, Place, Problem, ProblemKind};

use crate::json::{JsonType, Value, is_json};
use crate::notes::Notes;

/// Calls `each` with every row in a harness's index file: JSON, one object a line. A line without an object,
/// such as a half-written last one, gives a problem instead.
pub(crate) fn each_row(bytes: &[u8], mut each: impl FnMut(Value<'_>, &mut Notes<'_>)) -> Vec<Problem> {
    let mut problems = Vec::new();
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    for (number, line) in (1u64..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let row = Value::trusted(line.trim(), 0);
        if !is_json(line.trim()) || row.kind() != JsonType::Object {
            problems.push(Problem { place: Place::at_line(number), kind: ProblemKind::TornLine });
            continue;
        }
        each(row, &mut Notes::new(number, EntryId::of_line(number), &mut problems));
    }
    problems
}
