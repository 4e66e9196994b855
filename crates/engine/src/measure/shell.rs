//! What a shell command line reads: the files whose content its output is.

use alloc::string::String;

/// Programs whose output is what is in the files that they are given.
const READERS: [&str; 9] = ["cat", "head", "tail", "sed", "nl", "less", "more", "bat", "batcat"];

/// Of a longer command line only the start is looked at, bytes.
const MAX_LINE: usize = 4096;

/// A word of a command line that may be a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileWord<'a> {
    /// The command's output is what is in that file.
    Read(&'a str),
    /// The command names it.
    Named(&'a str),
}

/// Calls `each` with every word of a command line that may be a path, in order, quotes taken off.
pub(super) fn each_file(line: &str, mut each: impl FnMut(FileWord<'_>)) {
    let mut end = line.len().min(MAX_LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let words = split(&line[..end]);
    for part in words.split(|word| *word == Token::Operator) {
        files_of(part, &mut each);
    }
}

fn files_of(part: &[Token], each: &mut impl FnMut(FileWord<'_>)) {
    let mut given = words(part).skip_while(|word| is_assignment(word));
    let Some(first) = given.next() else { return };
    let program = first.rsplit('/').next().unwrap_or(first);
    let writes = part.contains(&Token::Redirect) || words(part).any(|word| word.starts_with("-i"));
    let reads = READERS.contains(&program) && !writes;
    // The first word that `sed` is given is its script.
    let mut n_skipped = usize::from(program == "sed");
    for word in given {
        if word.starts_with('-') {
            continue;
        }
        if n_skipped > 0 {
            n_skipped -= 1;
            continue;
        }
        // A bare number is how many lines, not a file.
        let is_count = word.bytes().all(|b| b.is_ascii_digit());
        if reads && !is_count {
            each(FileWord::Read(word));
        } else if is_path_like(word) {
            each(FileWord::Named(word));
        }
    }
}

fn words(part: &[Token]) -> impl Iterator<Item = &str> {
    part.iter().filter_map(|token| match token {
        Token::Word(word) => Some(word.as_str()),
        Token::Operator | Token::Redirect => None,
    })
}

/// Tells whether a word looks like a path: it has a folder or an ending.
pub(super) fn is_path_like(word: &str) -> bool {
    if word.contains('/') {
        return word.bytes().any(|b| b.is_ascii_alphanumeric());
    }
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    /// Ends one command: `|`, `&`, `;`, a line's end, parentheses.
    Operator,
    /// `>` or `<`.
    Redirect,
}

fn split(line: &str) -> alloc::vec::Vec<Token> {
    let mut tokens = alloc::vec::Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let ending = match c {
            '|' | '&' | ';' | '(' | ')' | '\n' => Some(Token::Operator),
            '>' | '<' => Some(Token::Redirect),
            _ => None,
        };
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                word.extend(chars.by_ref().take_while(|inner| *inner != c));
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            _ if ending.is_some() || c.is_whitespace() => tokens.extend(word.take().map(Token::Word)),
            _ => word.get_or_insert_default().push(c),
        }
        tokens.extend(ending);
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::vec::Vec;

    /// `+` is read, `-` only named.
    fn check(line: &str, expected: &str) {
        let mut found = Vec::new();
        each_file(line, |word| {
            found.push(match word {
                FileWord::Read(path) => format!("+{path}"),
                FileWord::Named(path) => format!("-{path}"),
            });
        });
        assert_eq!(found.join(" "), expected, "command line {line:?}");
    }

    #[test]
    fn what_is_read() {
        check("cat src/a.rs", "+src/a.rs");
        check("cat Makefile", "+Makefile");
        check("cat 'my file.txt' b.rs", "+my file.txt +b.rs");
        check("LANG=C /bin/cat a.rs", "+a.rs");
        check("head -n 20 a.rs", "+a.rs");
        check("sed -n '1,80p' src/a.rs", "+src/a.rs");
        check("nl -ba src/a.rs | sed -n 1,5p", "+src/a.rs");
        check("cat a.rs && cat b.rs; cat c.rs", "+a.rs +b.rs +c.rs");
        check("cat a.rs\ncat b.rs", "+a.rs +b.rs");
        check("cat a\\ b.rs", "+a b.rs");
    }

    #[test]
    fn what_is_only_named() {
        check("git add src/a.rs", "-src/a.rs");
        check("rm a.rs", "-a.rs");
        check("rg foo src/a.rs", "-src/a.rs");
        check("cat > src/a.rs <<EOF", "-src/a.rs");
        check("sed -i 's/a/b/' src/a.rs", "-src/a.rs");
        check("sed -i.bak s/a/b/ src/a.rs", "-src/a.rs");
        check("python3 tools/run.py --all", "-tools/run.py");
    }

    #[test]
    fn what_is_no_path() {
        check("cargo test", "");
        check("echo 1.5 ... / //", "");
        check("echo and so on.", "");
        check("", "");
        check("'unclosed", "");
        check("| ; &&", "");
        check(&"cat ".repeat(2000), "+cat ".repeat(1023).trim_end());
        check(&"ü/".repeat(4000), "");
    }
}
