//! `JSON.stringify(JSON.parse(x))`, the form in which JavaScript harnesses count arguments.
//!
//! Two passes without recursion, in linear time except for sorting keys. The first writes each object's
//! members in their original order, and finds objects whose keys JavaScript would reorder (array indices come
//! first) or drop (a repeated key keeps its last value at its first position). The second pass reorders these
//! objects.

use std::collections::BTreeMap;

use super::is_json;
use super::text::{StringFragment, is_canonical, spell_character, split_fragments};
use super::value::{scalar_end, string_end};

/// Rewrites JSON like `JSON.stringify(JSON.parse(x))`; other text is only trimmed.
///
/// The result is compact. Numbers are printed as in JavaScript (`1.0` as `1`, `1e400` as `null`). Keys keep
/// their order, except that array indices (0 to 2³²-2) come first in ascending order, and a repeated key
/// keeps its last value at its first position. Strings get JavaScript's escapes, and lone surrogates stay
/// `\udxxx`.
pub fn js_json(raw: &str) -> String {
    let raw = raw.trim();
    if !is_json(raw) {
        return raw.to_owned();
    }
    let (text, reordered) = compact_json(raw);
    if reordered.is_empty() { text } else { in_order(&text, &reordered) }
}

/// An object whose members JavaScript reorders. Positions refer to the compact text.
struct ReorderedObject {
    end: usize,
    /// Start and end of each kept `key: value`, in JavaScript's order.
    members: Vec<(usize, usize)>,
}

/// A member of an open object. Positions refer to the compact text.
struct OpenMember {
    start: usize,
    /// Position behind the key; JavaScript compares keys by their canonical spelling.
    key_end: usize,
    end: usize,
}

/// Writes compact JSON with members in their original order, and lists the objects JavaScript reorders by
/// their brace's position.
fn compact_json(raw: &str) -> (String, BTreeMap<usize, ReorderedObject>) {
    let bytes = raw.as_bytes();
    let (mut out, mut found) = (String::with_capacity(raw.len()), BTreeMap::new());
    // Open containers: the brace's or bracket's position, and for objects the index of their first entry in
    // `members`.
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

fn javascript_order(text: &str, members: &[OpenMember]) -> Option<Vec<(usize, usize)>> {
    let key = |at: usize| &text[members[at].start..members[at].key_end];
    let mut by_key: Vec<usize> = (0..members.len()).collect();
    by_key.sort_by_key(|&at| (key(at), at));
    let repeated = by_key.windows(2).any(|pair| key(pair[0]) == key(pair[1]));
    if !repeated && by_key.iter().all(|&at| array_index(key(at)).is_none()) {
        return None;
    }
    // Each key's array index, first position and last member.
    let mut kept: Vec<(Option<u32>, usize, usize)> = Vec::new();
    for same in by_key.chunk_by(|&a, &b| key(a) == key(b)) {
        if let (Some(&first), Some(&last)) = (same.first(), same.last()) {
            kept.push((array_index(key(first)), first, last));
        }
    }
    kept.sort_by_key(|&(index, first, _)| (index.is_none(), index, first));
    Some(kept.into_iter().map(|(_, _, last)| (members[last].start, members[last].end)).collect())
}

fn array_index(quoted: &str) -> Option<u32> {
    let key = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let canonical = key == "0" || (key.starts_with(|c: char| c.is_ascii_digit()) && !key.starts_with('0'));
    if !canonical {
        return None;
    }
    key.parse().ok().filter(|&index| index != u32::MAX)
}

fn in_order(text: &str, reordered: &BTreeMap<usize, ReorderedObject>) -> String {
    let mut out = String::with_capacity(text.len());
    // A stack of text ranges still to write; true for an object's member.
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
