//! Generated texts: matches of each rule's pattern, repeated, whole and truncated.

use regex_syntax::hir::{Class, Hir, HirKind};
use toml::{Table, Value};

use crate::texts::{Chance, SIZE};

/// Returns a text for each rule and each way of repeating its matches.
pub(crate) fn texts() -> impl Iterator<Item = (String, String)> {
    let files = [include_str!("../../rules/own.toml"), include_str!("../../rules/gitleaks.toml")];
    let files: Vec<Table> = files.iter().filter_map(|file| file.parse().ok()).collect();
    let names = files.iter().find_map(|file| file.get("names")?.as_str()).unwrap_or_default().to_owned();
    let mut rules = Vec::new();
    for rule in files.iter().filter_map(|file| file.get("rules")?.as_array()).flatten() {
        let field = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
        rules.push((rules.len(), field("id").to_owned(), field("regex").replace("NAMES", &names)));
    }
    rules.into_iter().flat_map(|(n, id, pattern)| {
        let hir = regex_syntax::ParserBuilder::new().utf8(false).unicode(false).build().parse(&pattern);
        let ways: Vec<(&str, bool)> = vec![("whole", false), ("torn off", true)];
        let drawn = ways.into_iter().filter_map(move |(way, is_torn)| {
            let hir = hir.as_ref().ok()?;
            Some((format!("rule {n}, {id}, {way}"), repeated(hir, is_torn)))
        });
        drawn.collect::<Vec<_>>()
    })
}

fn repeated(hir: &Hir, is_torn: bool) -> String {
    let mut chance = Chance::new(7);
    let mut text = String::new();
    while text.len() < SIZE {
        let mut bytes = Vec::new();
        draw(hir, &mut chance, &mut bytes);
        let mut one = String::from_utf8_lossy(&bytes).into_owned();
        if is_torn {
            one.truncate(one.floor_char_boundary(one.len() * 2 / 3));
        }
        // A pattern may match nothing but the end of a text.
        text += if one.is_empty() { "x" } else { &one };
        text += [" ", "\n", "\"", ""][chance.below(4)];
    }
    text.truncate(text.floor_char_boundary(SIZE));
    text
}

/// Generates a match, ignoring look-around; a repetition has eight more items than its minimum.
fn draw(hir: &Hir, chance: &mut Chance, out: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend(&*literal.0),
        HirKind::Class(Class::Bytes(class)) => {
            let ranges: Vec<_> = class.iter().collect();
            if let Some(range) = ranges.get(chance.below(ranges.len().max(1))) {
                let n = usize::from(range.end() - range.start()) + 1;
                out.push(range.start() + u8::try_from(chance.below(n)).unwrap_or(0));
            }
        }
        HirKind::Class(Class::Unicode(class)) => {
            out.extend(
                class.iter().next().map(|range| range.start().to_string()).unwrap_or_default().bytes(),
            );
        }
        HirKind::Repetition(one) => {
            let most = one.max.unwrap_or(u32::MAX).min(one.min.saturating_add(8));
            let n = one.min as usize + chance.below((most - one.min) as usize + 1);
            (0..n).for_each(|_| draw(&one.sub, chance, out));
        }
        HirKind::Capture(group) => draw(&group.sub, chance, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| draw(part, chance, out)),
        HirKind::Alternation(parts) => draw(&parts[chance.below(parts.len())], chance, out),
    }
}
