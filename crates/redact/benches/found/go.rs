//! Test secrets in Go: inputs of table tests, and the secrets that each test expects.

use std::collections::BTreeMap;

use regex::bytes::Regex;
use regex_syntax::hir::{Hir, HirKind};

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

#[derive(Debug)]
pub(crate) struct GoCase {
    pub(crate) input: String,
    pub(crate) wanted: Vec<String>,
}

#[derive(Debug, Clone)]
enum Value {
    Text(String),
    List(Vec<String>),
}

/// Reads the table tests with `input` and `want` in a file.
pub(crate) fn cases(source: &str) -> Vec<GoCase> {
    let tokens = tokens(source);
    let mut known = BTreeMap::new();
    bind(&tokens, &mut known);
    let mut cases = Vec::new();
    let mut input = None;
    for at in 0..tokens.len() {
        let (Token::Word(name), Some(Token::Sign(':'))) = (&tokens[at], tokens.get(at + 1)) else { continue };
        let value = || expression(&tokens, at + 2, &known).map(|(value, _)| value);
        match (name.as_str(), value()) {
            ("input", Some(Value::Text(text))) => input = Some(text),
            ("input", _) => input = None,
            ("want", Some(Value::List(wanted))) => {
                cases.extend(input.take().map(|input| GoCase { input, wanted }))
            }
            _ => {}
        }
    }
    cases
}

/// Lists all texts in a file that are samples of a rule, in lists named `list`.
pub(crate) fn listed(source: &str, list: &str) -> Vec<String> {
    let tokens = tokens(source);
    let known = BTreeMap::new();
    let of = |at: usize| match (&tokens[at], tokens.get(at + 1), tokens.get(at + 2)) {
        (Token::Word(name), Some(Token::Sign(':')), Some(Token::Sign('='))) if name == list => Some(at + 3),
        _ => None,
    };
    let lists = (0..tokens.len()).filter_map(of).filter_map(|at| expression(&tokens, at, &known));
    lists.flat_map(|(value, _)| if let Value::List(texts) = value { texts } else { Vec::new() }).collect()
}

/// Lists patterns of a detector that have a form: at least three fixed letters, and no name required nearby.
pub(crate) fn forms(source: &str) -> Vec<Regex> {
    let tokens = tokens(source);
    let known = BTreeMap::new();
    let begins = |at: &usize| tokens[*at] == Token::Word("MustCompile".into());
    let patterns = (0..tokens.len()).filter(begins).filter_map(|at| expression(&tokens, at + 2, &known));
    let text =
        patterns.filter_map(|(value, _)| if let Value::Text(text) = value { Some(text) } else { None });
    text.filter(|pattern| regex_syntax::parse(pattern).is_ok_and(|hir| n_fixed(&hir) >= 3))
        .filter_map(|pattern| Regex::new(&pattern).ok())
        .collect()
}

/// Counts the letters present in every match.
fn n_fixed(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.len(),
        // A letter in either case.
        HirKind::Class(class) => usize::from(class.minimum_len() == Some(1) && n_in(class) <= 2),
        HirKind::Repetition(one) => one.min as usize * n_fixed(&one.sub),
        HirKind::Capture(group) => n_fixed(&group.sub),
        HirKind::Concat(parts) => parts.iter().map(n_fixed).sum(),
        HirKind::Alternation(parts) => parts.iter().map(n_fixed).min().unwrap_or(0),
        HirKind::Empty | HirKind::Look(_) => 0,
    }
}

fn n_in(class: &regex_syntax::hir::Class) -> u32 {
    use regex_syntax::hir::Class;
    match class {
        Class::Unicode(class) => {
            class.iter().map(|range| range.end() as u32 - range.start() as u32 + 1).sum()
        }
        Class::Bytes(class) => class.iter().map(|range| u32::from(range.end() - range.start()) + 1).sum(),
    }
}

fn bind(tokens: &[Token], known: &mut BTreeMap<String, Value>) {
    for at in 0..tokens.len() {
        let Token::Word(name) = &tokens[at] else { continue };
        let from = match (tokens.get(at + 1), tokens.get(at + 2)) {
            (Some(Token::Sign('=')), _) => at + 2,
            (Some(Token::Sign(':')), Some(Token::Sign('='))) => at + 3,
            (Some(Token::Word(kind)), Some(Token::Sign('='))) if kind == "string" => at + 3,
            _ => continue,
        };
        if let Some((value, _)) = expression(tokens, from, known) {
            known.insert(name.clone(), value);
        }
    }
}

/// Reads texts joined by plus signs, or a list of such texts; `None` for any other expression.
fn expression(tokens: &[Token], mut at: usize, known: &BTreeMap<String, Value>) -> Option<(Value, usize)> {
    if tokens[at..].starts_with(&[Token::Sign('['), Token::Sign(']'), Token::Word("string".into())]) {
        at += 4;
        let mut texts = Vec::new();
        while tokens.get(at)? != &Token::Sign('}') {
            // A randomly generated sample is skipped.
            match expression(tokens, at, known) {
                Some((Value::Text(text), behind))
                    if matches!(tokens.get(behind)?, Token::Sign(',' | '}')) =>
                {
                    texts.push(text);
                    at = behind;
                }
                _ => at = end_of_item(tokens, at)?,
            }
            at += usize::from(tokens.get(at)? == &Token::Sign(','));
        }
        return Some((Value::List(texts), at + 1));
    }
    let (mut value, mut at) = term(tokens, at, known)?;
    while tokens.get(at) == Some(&Token::Sign('+')) {
        let (next, behind) = term(tokens, at + 1, known)?;
        let (Value::Text(left), Value::Text(right)) = (&value, &next) else { return None };
        value = Value::Text(format!("{left}{right}"));
        at = behind;
    }
    Some((value, at))
}

fn end_of_item(tokens: &[Token], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match tokens.get(at)? {
            Token::Sign(',' | '}') if depth == 0 => return Some(at),
            Token::Sign('(' | '{' | '[') => depth += 1,
            Token::Sign(')' | '}' | ']') => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

fn term(tokens: &[Token], at: usize, known: &BTreeMap<String, Value>) -> Option<(Value, usize)> {
    match tokens.get(at)? {
        Token::Text(text) => Some((Value::Text(text.clone()), at + 1)),
        Token::Word(name) if name == "fmt" => {
            if tokens.get(at + 2)? != &Token::Word("Sprintf".into()) {
                return None;
            }
            let (form, mut at) = expression(tokens, at + 4, known)?;
            let Value::Text(form) = form else { return None };
            let mut values = Vec::new();
            while tokens.get(at)? == &Token::Sign(',') {
                if tokens.get(at + 1)? == &Token::Sign(')') {
                    at += 1;
                    break;
                }
                let (Value::Text(text), behind) = expression(tokens, at + 1, known)? else { return None };
                values.push(text);
                at = behind;
            }
            (tokens.get(at)? == &Token::Sign(')')).then(|| (Value::Text(filled(&form, &values)), at + 1))
        }
        Token::Word(name) => {
            let is_call = matches!(tokens.get(at + 1), Some(Token::Sign('.' | '(' | '[')));
            known.get(name).filter(|_| !is_call).map(|value| (value.clone(), at + 1))
        }
        Token::Sign(_) => None,
    }
}

fn filled(form: &str, values: &[String]) -> String {
    let mut values = values.iter();
    let mut written = String::new();
    let mut signs = form.chars();
    while let Some(sign) = signs.next() {
        if sign != '%' {
            written.push(sign);
            continue;
        }
        match signs.next() {
            Some('%') | None => written.push('%'),
            Some(_) => written.push_str(values.next().map_or("", String::as_str)),
        }
    }
    written
}

fn tokens(source: &str) -> Vec<Token> {
    let signs: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let until = |from: usize, end: &dyn Fn(usize) -> bool| {
        (from..signs.len()).find(|at| end(*at)).unwrap_or(signs.len())
    };
    while at < signs.len() {
        let sign = signs[at];
        if signs[at..].starts_with(&['/', '/']) {
            at = until(at, &|at| signs[at] == '\n');
        } else if signs[at..].starts_with(&['/', '*']) {
            at = until(at, &|at| signs[at..].starts_with(&['*', '/'])) + 2;
        } else if sign == '`' {
            let end = until(at + 1, &|at| signs[at] == '`');
            tokens.push(Token::Text(signs[at + 1..end].iter().collect()));
            at = end + 1;
        } else if sign == '"' || sign == '\'' {
            let mut end = at + 1;
            while end < signs.len() && signs[end] != sign {
                end += 1 + usize::from(signs[end] == '\\');
            }
            let end = end.min(signs.len());
            let text: String = signs[at + 1..end].iter().collect();
            tokens.push(Token::Text(unescaped(&text)));
            at = end + 1;
        } else if sign.is_alphanumeric() || sign == '_' {
            let end = until(at, &|at| !signs[at].is_alphanumeric() && signs[at] != '_');
            tokens.push(Token::Word(signs[at..end].iter().collect()));
            at = end;
        } else {
            if !sign.is_whitespace() {
                tokens.push(Token::Sign(sign));
            }
            at += 1;
        }
    }
    tokens
}

/// Resolves escapes common to Go and Python.
pub(crate) fn unescaped(text: &str) -> String {
    let mut written = String::new();
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            written.push(sign);
            continue;
        }
        match signs.next() {
            Some('n') => written.push('\n'),
            Some('t') => written.push('\t'),
            Some('r') => written.push('\r'),
            Some(other) => written.push(other),
            None => written.push('\\'),
        }
    }
    written
}
