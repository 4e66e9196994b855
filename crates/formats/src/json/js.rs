//! `JSON.stringify(JSON.parse(x))`, as harnesses written in JavaScript count arguments.
//!
//! Two passes, both without recursion and linear but for sorting keys. The first writes the members of each object in
//! their own order, and finds the objects with keys that JavaScript would put in another order (array indices come first)
//! or drop (of a repeated key the last value stays, at the first place). The second puts those in order.

use std::collections::BTreeMap;

use super::is_json;
use super::text::{StringFragment, is_canonical, spell_character, split_fragments};
use super::value::{scalar_end, string_end};

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
    let (text, reordered) = compact_json(raw);
    if reordered.is_empty() { text } else { in_order(&text, &reordered) }
}

/// An object with members that JavaScript lists in another order than the text. Positions are of the compact text.
struct ReorderedObject {
    /// The position behind the object.
    end: usize,
    /// Start and end of each `key: value` that stays, in JavaScript's order.
    members: Vec<(usize, usize)>,
}

/// A member of an object that is still open in the first pass. Positions are of the compact text.
struct OpenMember {
    start: usize,
    /// The position behind the key, whose spelling tells two keys apart as JavaScript does.
    key_end: usize,
    end: usize,
}

/// Writes JSON compactly, members in their own order; also returns the objects that JavaScript reorders, by the
/// position of their brace.
fn compact_json(raw: &str) -> (String, BTreeMap<usize, ReorderedObject>) {
    let bytes = raw.as_bytes();
    let (mut out, mut found) = (String::with_capacity(raw.len()), BTreeMap::new());
    // The open containers: position of the brace or bracket, and where an object's members begin in `members`.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let mut members: Vec<OpenMember> = Vec::new();
    // True if a string would be a key: after `{`, and after `,` in an object.
    let mut at_key = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b'"' => string_end(bytes, at).unwrap_or(bytes.len()),
            _ => scalar_end(bytes, at),
        };
        let token = raw.get(at..end).unwrap_or_default();
        at = end;
        let start = out.len();
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'{' | b'[' => {
                at_key = byte == b'{';
                open.push((start, at_key.then_some(members.len())));
                out.push_str(token);
            }
            b',' | b'}' | b']' => {
                let own = open.last().and_then(|(_, own)| *own);
                if let Some(last) = own.and_then(|first| members[first..].last_mut()) {
                    last.end = start;
                }
                out.push_str(token);
                at_key = byte == b',' && own.is_some();
                if byte != b','
                    && let Some((brace, Some(first))) = open.pop()
                {
                    if let Some(order) = javascript_order(&out, &members[first..]) {
                        found.insert(brace, ReorderedObject { end: out.len(), members: order });
                    }
                    members.truncate(first);
                }
            }
            b'"' => {
                push_string(&mut out, token);
                if std::mem::take(&mut at_key) {
                    members.push(OpenMember { start, key_end: out.len(), end: out.len() });
                }
            }
            b':' | b't' | b'f' | b'n' => out.push_str(token),
            _ => push_number(&mut out, token),
        }
    }
    (out, found)
}

/// Returns `members` as JavaScript lists them; `None` if that is their own order.
fn javascript_order(text: &str, members: &[OpenMember]) -> Option<Vec<(usize, usize)>> {
    let key = |at: usize| &text[members[at].start..members[at].key_end];
    let mut by_key: Vec<usize> = (0..members.len()).collect();
    by_key.sort_by_key(|&at| (key(at), at));
    let repeated = by_key.windows(2).any(|pair| key(pair[0]) == key(pair[1]));
    if !repeated && by_key.iter().all(|&at| array_index(key(at)).is_none()) {
        return None;
    }
    // The first place and the last member of each key.
    let mut kept: Vec<(Option<u32>, usize, usize)> = Vec::new();
    for same in by_key.chunk_by(|&a, &b| key(a) == key(b)) {
        if let (Some(&first), Some(&last)) = (same.first(), same.last()) {
            kept.push((array_index(key(first)), first, last));
        }
    }
    kept.sort_by_key(|&(index, first, _)| (index.is_none(), index, first));
    Some(kept.into_iter().map(|(_, _, last)| (members[last].start, members[last].end)).collect())
}

/// Returns the number a key (in quotes) is as an array index.
fn array_index(quoted: &str) -> Option<u32> {
    let key = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let canonical = key == "0" || (key.starts_with(|c: char| c.is_ascii_digit()) && !key.starts_with('0'));
    if !canonical {
        return None;
    }
    key.parse().ok().filter(|&index| index != u32::MAX)
}

/// Writes a compact text again, with the members of the reordered objects in JavaScript's order.
fn in_order(text: &str, reordered: &BTreeMap<usize, ReorderedObject>) -> String {
    let mut out = String::with_capacity(text.len());
    // The stretches of the text that are still to be written, the next one last; true for a member.
    let mut left = vec![(false, 0, text.len())];
    while let Some((is_member, start, end)) = left.pop() {
        if is_member && !out.ends_with('{') {
            out.push(',');
        }
        let Some((&brace, object)) = reordered.range(start..end).next() else {
            out.push_str(&text[start..end]);
            continue;
        };
        out.push_str(&text[start..=brace]);
        left.push((false, object.end - 1, end));
        left.extend(object.members.iter().rev().map(|&(start, end)| (true, start, end)));
    }
    out
}

/// Appends a JSON string (in quotes) as JavaScript spells it.
fn push_string(out: &mut String, quoted: &str) {
    let body = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    if is_canonical(body) {
        return out.push_str(quoted);
    }
    out.push('"');
    for fragment in split_fragments(body) {
        match fragment {
            StringFragment::Plain(plain) => out.push_str(plain),
            StringFragment::Char(character @ ('\0'..'\x20' | '"' | '\\')) => {
                out.push_str(&spell_character(character))
            }
            StringFragment::Char(character) => out.push(character),
            StringFragment::Lone(unit) => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
}

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
