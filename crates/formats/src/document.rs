use crate::json::Value;

pub(crate) struct DocumentLines<'a> {
    document: Value<'a>,
    line: u64,
    counted: usize,
}

impl<'a> DocumentLines<'a> {
    pub(crate) fn new(document: Value<'a>, line: u64) -> Self {
        Self { document, line, counted: 0 }
    }

    /// Calls must follow the document's order.
    pub(crate) fn line_of(&mut self, value: Value<'_>) -> u64 {
        if let Some((before, _)) = self.document.around(value) {
            let passed = before.as_bytes().get(self.counted..).unwrap_or_default();
            self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
            self.counted = self.counted.max(before.len());
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_on_their_own_lines() {
        let document = Value::trusted("{\n \"a\": [1,\n  2, 3,\n\n 4\n]}", 0);
        let mut lines = DocumentLines::new(document, 7);
        let [list] = document.fields(["a"]);
        let found: Vec<u64> =
            list.into_iter().flat_map(Value::items).map(|item| lines.line_of(item)).collect();
        assert_eq!(found, [8, 9, 9, 11]);
    }
}
