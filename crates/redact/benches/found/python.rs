//! Test secrets in Python: lines that a plugin's tests expect to be found.

use regex::Regex;

use crate::go::unescaped;

/// Plugins that need a name beside the secret.
const NAMED: &[&str] = &["keyword", "ibm_cloud_iam", "ibm_cos_hmac", "softlayer", "cloudant"];
/// Plugins for secrets without a form.
const SKIPPED: &[&str] = &["base", "high_entropy_strings", "ip_public"];

pub(crate) fn needs_name(file: &str) -> Option<bool> {
    let plugin = file.trim_end_matches("_test.py");
    (!SKIPPED.contains(&plugin)).then(|| NAMED.contains(&plugin))
}

/// Lists lines in a file that must be found, each with its secret.
pub(crate) fn cases(source: &str) -> Vec<(String, String)> {
    let text = r#"[urf]?(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")"#;
    let joined = Regex::new(text).expect("the pattern is fixed");
    let constant =
        Regex::new(&format!(r"(?m)^([A-Z][A-Z_0-9]+) = {text}\s*$")).expect("the pattern is fixed");
    let constants: Vec<(String, String)> = constant
        .captures_iter(source)
        .map(|one| {
            let value = one.get(2).or_else(|| one.get(3)).map_or("", |value| value.as_str());
            (one[1].to_owned(), unescaped(value))
        })
        .collect();
    let row = Regex::new(&format!(
        r"(?s)[(\[,]\s*((?:{text}\s*(?:#[^\n]*\n)?\s*)+)(?:\.format\(([^()]*)\))?\s*,?\s*(True\b|\)\s*,\s*\n|[A-Z]+_SECRET\b)"
    ))
    .expect("the pattern is fixed");
    let lists_lines = source.contains("'line',");
    let mut cases = Vec::new();
    for found in row.captures_iter(source) {
        let end = found.get(found.len() - 1).map_or("", |end| end.as_str());
        if end.starts_with(')') && !lists_lines {
            continue;
        }
        let mut line = String::new();
        for part in joined.captures_iter(&found[1]) {
            line += &unescaped(part.get(1).or_else(|| part.get(2)).map_or("", |part| part.as_str()));
        }
        let mut named = None;
        if let Some(arguments) = found.get(4) {
            for argument in
                arguments.as_str().split(',').map(str::trim).filter(|argument| !argument.is_empty())
            {
                let (place, name) = argument.split_once('=').unwrap_or(("", argument));
                let Some((_, value)) = constants.iter().find(|(known, _)| known == name.trim()) else {
                    continue;
                };
                line = line.replacen(&format!("{{{}}}", place.trim()), value, 1);
                named = Some(value.clone());
            }
            line = line.replace("{{", "{").replace("}}", "}");
            if named.is_none() {
                continue;
            }
        }
        let secret = named.unwrap_or_else(|| longest(&line));
        if line.contains(&secret) {
            cases.push((line, secret));
        }
    }
    cases
}

pub(crate) fn longest(line: &str) -> String {
    if let Some(key) = line.find("-----BEGIN") {
        return line[key..].to_owned();
    }
    // In an address, the password stands before the host.
    if let Some((before, _)) = line.split_once("://").and_then(|(_, rest)| rest.split_once('@')) {
        return before.rsplit(':').next().unwrap_or(before).to_owned();
    }
    let parts = line.split(|sign: char| sign.is_whitespace() || "\"'`,;=<>()[]{}|".contains(sign));
    // A name before a colon is not part of the secret, but a bot's number is.
    let value = |part: &'_ str| -> String {
        match part.split_once(':') {
            Some((name, value))
                if !part.contains("//") && !name.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                value.to_owned()
            }
            _ => part.to_owned(),
        }
    };
    // An address is a secret only if it grants access.
    let opens = |part: &&str| !part.contains("://") || part.contains("hook") || part.contains('@');
    parts.filter(opens).map(value).max_by_key(String::len).unwrap_or_default()
}
