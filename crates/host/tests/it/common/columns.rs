//! The reader of answers in columns, as the page has it.

use serde_json::Value;

/// An answer, with its number at the host.
pub struct NumberedAnswer {
    pub number: Option<u64>,
    pub answer: Value,
}

/// Reads an answer in columns; `held` is the one that the reader holds.
pub fn read_columns(packed: &[u8], held: Option<&NumberedAnswer>) -> NumberedAnswer {
    let (length, rest) = packed.split_at(4);
    let (header, series) = rest.split_at(u32::from_le_bytes(length.try_into().unwrap()) as usize);
    let mut header: Value = serde_json::from_slice(header).unwrap();
    let mut answer = header["answer"].take();
    let base = match header["base"].as_u64() {
        None => None,
        base => Some(held.filter(|held| held.number == base).expect("the base is held")),
    };
    let mut at = 0;
    for head in header["columns"].as_array().unwrap() {
        let place = format!("/{}", head[0].as_str().unwrap().replace('.', "/"));
        let number = |part: usize| head[part].as_u64().unwrap() as usize;
        let (width, n, n_held) = (number(1), number(2), number(3));
        let before = base.and_then(|base| base.answer.pointer(&place)).and_then(Value::as_array);
        let mut rows = before.map_or(Vec::new(), |rows| rows[..n_held].to_vec());
        if width == 0 {
            for changed in head[4].as_array().unwrap() {
                rows[changed[0].as_u64().unwrap() as usize] = changed[1].clone();
            }
            rows.extend(head[5].as_array().unwrap().iter().cloned());
        } else {
            let bytes = width * (n - n_held);
            let numbers = series[at..at + bytes]
                .chunks_exact(width)
                .map(|bytes| bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte)));
            rows.extend(numbers.map(Value::from));
            at += bytes.next_multiple_of(4);
        }
        assert_eq!(rows.len(), n, "{place}");
        *answer.pointer_mut(&place).unwrap() = Value::Array(rows);
    }
    assert_eq!(at, series.len(), "all of it is columns");
    NumberedAnswer { number: header["number"].as_u64(), answer }
}
