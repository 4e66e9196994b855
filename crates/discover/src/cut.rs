//! Closes a JSON document's beginning: complete values stay, a cut value is dropped.

const DEPTH: usize = 512;

/// Returns the beginning of a document without its last incomplete values, and with its lists and objects
/// closed. `None` if it starts with neither a list nor an object, or is nested too deeply.
///
/// Only the structure is checked: invalid JSON stays invalid.
pub(crate) fn close_document(beginning: &[u8]) -> Option<Vec<u8>> {
    let start = beginning.iter().position(|byte| matches!(byte, b'{' | b'['))?;
    let blank = |byte: &u8| byte.is_ascii_whitespace() || [0xEF, 0xBB, 0xBF].contains(byte);
    if !beginning[..start].iter().all(blank) {
        return None;
    }
    // Closing brackets for open lists and objects.
    let mut open: Vec<u8> = Vec::new();
    // Position after the last complete value, with the brackets open there.
    let mut kept: Option<(usize, Vec<u8>)> = None;
    let (mut in_text, mut escaped) = (false, false);
    for (at, byte) in beginning.iter().enumerate().skip(start) {
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'{' | b'[' => {
                if open.len() >= DEPTH {
                    return None;
                }
                open.push(if *byte == b'{' { b'}' } else { b']' });
                kept = Some((at + 1, open.clone()));
            }
            b'}' | b']' => {
                if open.pop() != Some(*byte) {
                    return None;
                }
                if open.is_empty() {
                    return Some(beginning[..=at].to_vec());
                }
                kept = Some((at + 1, open.clone()));
            }
            // A comma follows a complete value.
            b',' => kept = Some((at, open.clone())),
            _ => {}
        }
    }
    let (end, open) = kept?;
    let mut whole = beginning[..end].to_vec();
    whole.extend(open.iter().rev());
    Some(whole)
}

/// Like [`close_document`], but keeps the beginning of a string value cut by the end. `None` if the end cuts
/// no string value.
pub(crate) fn closed_in_text(beginning: &[u8]) -> Option<Vec<u8>> {
    let mut open: Vec<u8> = Vec::new();
    // The open string's start, and the last position at which it could end.
    let mut text: Option<(usize, usize)> = None;
    let mut n_escaped = 0_u8;
    let mut before = b' ';
    for (at, byte) in beginning.iter().enumerate() {
        if let Some((begin, end)) = &mut text {
            match (n_escaped, byte) {
                (1, b'u') => n_escaped = 4,
                (0, b'\\') => n_escaped = 1,
                (0, b'"') => {
                    text = None;
                    before = b'"';
                    continue;
                }
                (n, _) => n_escaped = n.saturating_sub(1),
            }
            if n_escaped == 0 {
                (*begin, *end) = (*begin, at + 1);
            }
            continue;
        }
        match byte {
            b'"' => text = Some((at, at + 1)),
            b'{' | b'[' if open.len() >= DEPTH => return None,
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' if open.pop() != Some(*byte) => return None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() && *byte != b'"' {
            before = *byte;
        }
    }
    let (begin, end) = text?;
    let is_value = before == b':' || open.last() == Some(&b']');
    let words = &beginning[begin..end];
    let words = std::str::from_utf8(words).map_or_else(|error| &words[..error.valid_up_to()], str::as_bytes);
    let mut whole = [&beginning[..begin], words, b"\""].concat();
    whole.extend(open.iter().rev());
    (is_value && !open.is_empty()).then_some(whole)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_text_that_is_cut_keeps_its_beginning() {
        let check = |beginning: &str, expected: Option<&str>| {
            let whole = closed_in_text(beginning.as_bytes()).map(|whole| String::from_utf8(whole).unwrap());
            assert_eq!(whole.as_deref(), expected, "{beginning}");
        };
        check(
            r#"{"m":{"role":"user","content":"Fix it"#,
            Some(r#"{"m":{"role":"user","content":"Fix it"}}"#),
        );
        check(r#"{"c":[{"text":"a\nb\"#, Some(r#"{"c":[{"text":"a\nb"}]}"#));
        check(r#"{"c":["x\u00e"#, Some(r#"{"c":["x"]}"#));
        check(r#"{"c":["x\u00e9"#, Some(r#"{"c":["x\u00e9"]}"#));
        check(r#"{"c":"""#, None);
        check(r#"{"c"#, None);
        check(r#"{"a":1,"c"#, None);
        check(r#"{"a":1}"#, None);
        check(r#"{"a":"x"}"#, None);
        check("", None);
        let halves = closed_in_text(&"{\"c\":\"xü".as_bytes()[..8]).unwrap();
        assert_eq!(halves, br#"{"c":"x"}"#);
    }

    fn check(beginning: &str, expected: Option<&str>) {
        let whole = close_document(beginning.as_bytes()).map(|whole| String::from_utf8(whole).unwrap());
        assert_eq!(whole.as_deref(), expected, "{beginning}");
    }

    #[test]
    fn what_is_complete_stays() {
        check(r#"{"a":1,"b":[1,2,{"c":"x"#, Some(r#"{"a":1,"b":[1,2,{}]}"#));
        check(r#"{"a":1,"b":[1,2"#, Some(r#"{"a":1,"b":[1]}"#));
        check(r#"{"a":"},]\"{","b"#, Some(r#"{"a":"},]\"{"}"#));
        check(r#"{"a":{"b":1},"c":[{"d":2}"#, Some(r#"{"a":{"b":1},"c":[{"d":2}]}"#));
        check(r#"{"a"#, Some("{}"));
        check(" [", Some(" []"));
        check(r#"{"whole":1} and more"#, Some(r#"{"whole":1}"#));
        check("no document", None);
        check("]", None);
        check("[}", None);
        check("", None);
        check(&"[".repeat(DEPTH + 1), None);
    }

    #[test]
    fn every_beginning_of_a_document_becomes_one() {
        let document =
            r#"{"id":"s","n":-1.5e3,"t":"a\"b\\,[ü","l":[[],{},[1,{"x":null}],true],"m":{"k":"v"}}"#;
        for end in 1..=document.len() {
            let whole = close_document(&document.as_bytes()[..end]).unwrap();
            let value: serde_json::Value = serde_json::from_slice(&whole).unwrap();
            assert!(value.is_object(), "cut at {end}");
        }
    }
}
