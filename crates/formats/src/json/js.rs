//! `JSON.stringify(JSON.parse(x))`, as harnesses written in JavaScript count arguments.
//!
//! Two passes, both without recursion and linear but for sorting keys. The first finds the objects with keys
//! that JavaScript would put in another order (array indices come first) or drop (of a repeated key the last value
//! stays, at the first place). The second writes.

use std::collections::BTreeMap;

use super::is_json;
use super::text::{Fragment, fragments, push_escaped, push_unit};
use super::value::{scalar_end, string_end, value_end};

/// Writes JSON as `JSON.stringify(JSON.parse(x))` does; text that is not JSON comes back trimmed.
///
/// Compact; numbers as JavaScript prints them (`1.0` is `1`, `1e400` is `null`); keys in the order of the
/// text, but array indices (0 to 2³²-2) first and ascending; of a repeated key the last value at the first
/// place; strings with JavaScript's escapes, lone surrogates kept as `\udxxx`.
pub fn js_json(raw: &str) -> String {
    let raw = raw.trim();
    if !is_json(raw) {
        return raw.to_owned();
    }
    let reordered = reordered_objects(raw);
    Writer { raw, reordered, open: Vec::new(), out: String::with_capacity(raw.len()) }.write()
}

/// An object with members that JavaScript lists in another order than the text.
struct Reordered {
    /// The position behind the object.
    end: usize,
    /// Start and end of each `key: value` that stays, in JavaScript's order.
    members: Vec<(usize, usize)>,
}

/// A member of an object that is still open in the first pass.
struct Member {
    /// The key in JavaScript's spelling, which tells two keys apart as JavaScript does.
    key: String,
    start: usize,
    end: usize,
}

/// Finds the objects that JavaScript reorders, by the position of their brace.
fn reordered_objects(raw: &str) -> BTreeMap<usize, Reordered> {
    let bytes = raw.as_bytes();
    let mut found = BTreeMap::new();
    // The open containers: position of the brace or bracket, and where an object's members begin in `members`.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let mut members: Vec<Member> = Vec::new();
    // True where a string would be a key: after `{`, and after `,` in an object.
    let mut at_key = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => {
                open.push((at, Some(members.len())));
                at_key = true;
                at += 1;
            }
            b'[' => {
                open.push((at, None));
                at_key = false;
                at += 1;
            }
            b',' | b'}' | b']' => {
                let own = open.last().and_then(|(_, own)| *own);
                if let Some(first) = own
                    && members.len() > first
                    && let Some(last) = members.last_mut()
                {
                    last.end = at;
                }
                at += 1;
                at_key = byte == b',' && own.is_some();
                if byte != b','
                    && let Some((start, Some(first))) = open.pop()
                {
                    if let Some(order) = javascript_order(&members[first..]) {
                        found.insert(start, Reordered { end: at, members: order });
                    }
                    members.truncate(first);
                }
            }
            b'"' => {
                let end = string_end(bytes, at).unwrap_or(bytes.len());
                if at_key {
                    let mut key = String::new();
                    push_string(&mut key, raw.get(at..end).unwrap_or_default());
                    members.push(Member { key, start: at, end });
                    at_key = false;
                }
                at = end;
            }
            b':' | b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => at = scalar_end(bytes, at),
        }
    }
    found
}

/// Returns the members as JavaScript lists them; `None` where that is their own order.
fn javascript_order(members: &[Member]) -> Option<Vec<(usize, usize)>> {
    let mut by_key: Vec<usize> = (0..members.len()).collect();
    by_key.sort_by(|&a, &b| members[a].key.cmp(&members[b].key).then(a.cmp(&b)));
    let repeated = by_key.windows(2).any(|pair| members[pair[0]].key == members[pair[1]].key);
    if !repeated && members.iter().all(|member| array_index(&member.key).is_none()) {
        return None;
    }
    // Of each key: its first place, and its last member.
    let mut kept: Vec<(Option<u32>, usize, usize)> = Vec::new();
    for same in by_key.chunk_by(|&a, &b| members[a].key == members[b].key) {
        if let (Some(&first), Some(&last)) = (same.first(), same.last()) {
            kept.push((array_index(&members[first].key), first, last));
        }
    }
    kept.sort_by_key(|&(index, first, _)| (index.is_none(), index, first));
    Some(kept.into_iter().map(|(_, _, last)| (members[last].start, members[last].end)).collect())
}

/// Returns the number that a key (in quotes) is as an array index.
fn array_index(quoted: &str) -> Option<u32> {
    let key = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let canonical = key == "0" || (key.starts_with(|c: char| c.is_ascii_digit()) && !key.starts_with('0'));
    if !canonical {
        return None;
    }
    key.parse().ok().filter(|&index| index != u32::MAX)
}

/// The second pass.
struct Writer<'a> {
    raw: &'a str,
    reordered: BTreeMap<usize, Reordered>,
    /// The reordered objects that are being written: position of the brace, members left, end of the one now.
    open: Vec<(usize, usize, usize)>,
    out: String,
}

impl Writer<'_> {
    fn write(mut self) -> String {
        let raw = self.raw;
        let bytes = raw.as_bytes();
        let mut at = 0;
        loop {
            if let Some(&(object, next, end)) = self.open.last()
                && at >= end
            {
                at = self.next_member(object, next);
                continue;
            }
            let Some(&byte) = bytes.get(at) else { break };
            match byte {
                b'{' if self.reordered.contains_key(&at) => {
                    self.out.push('{');
                    // Nothing is being written yet, so that the turn above takes the first member.
                    self.open.push((at, 0, 0));
                }
                b'{' | b'}' | b'[' | b']' | b',' | b':' => {
                    self.out.push(char::from(byte));
                    at += 1;
                }
                b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                b'"' => {
                    let end = string_end(bytes, at).unwrap_or(bytes.len());
                    push_string(&mut self.out, raw.get(at..end).unwrap_or_default());
                    at = end;
                }
                b't' | b'f' | b'n' => {
                    let end = scalar_end(bytes, at);
                    self.out.push_str(raw.get(at..end).unwrap_or_default());
                    at = end;
                }
                _ => {
                    let end = value_end(bytes, at);
                    push_number(&mut self.out, raw.get(at..end).unwrap_or_default());
                    at = end;
                }
            }
        }
        self.out
    }

    /// Goes on to the next member of a reordered object, or behind the object; returns the position.
    fn next_member(&mut self, object: usize, next: usize) -> usize {
        let Some(reordered) = self.reordered.get(&object) else { return self.raw.len() };
        match reordered.members.get(next) {
            Some(&(start, end)) => {
                if next > 0 {
                    self.out.push(',');
                }
                if let Some(top) = self.open.last_mut() {
                    *top = (object, next + 1, end);
                }
                start
            }
            None => {
                self.out.push('}');
                self.open.pop();
                reordered.end
            }
        }
    }
}

/// Appends a JSON string (in quotes) as JavaScript spells it.
fn push_string(out: &mut String, quoted: &str) {
    if !quoted.contains('\\') {
        out.push_str(quoted);
        return;
    }
    let body = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    out.push('"');
    for fragment in fragments(body) {
        match fragment {
            Fragment::Plain(plain) => out.push_str(plain),
            Fragment::Char(character) => push_escaped(out, character),
            Fragment::Lone(unit) => push_unit(out, unit),
        }
    }
    out.push('"');
}

/// Appends a number as JavaScript prints it.
fn push_number(out: &mut String, number: &str) {
    let is_short_integer = number.len() <= 15 && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_short_integer {
        out.push_str(number);
        return;
    }
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() => out.push_str(ryu_js::Buffer::new().format_finite(value)),
        _ => out.push_str("null"),
    }
}
