//! Shell command lines: splits a line into commands with programs and words.
//!
//! Logs also contain truncated lines and lines no shell accepts, and a parser that rejects a line says
//! nothing about the commands before the fault. Hence our own parser: it handles quotes, backslashes,
//! comments, heredocs, redirections and all command separators, and expands nothing.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

const MAX_LINE: usize = 4096;

const MAX_PROGRAM: usize = 64;

const READERS: [&str; 9] = ["cat", "head", "tail", "sed", "nl", "less", "more", "bat", "batcat"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellCommand {
    /// Words without quotes: the program, its arguments and input files.
    ///
    /// Leading assignments are dropped.
    pub words: Vec<String>,
    pub targets: Vec<String>,
    pub writes: bool,
    /// True if the next command is independent of this one's output: after `&&`, `;` or a newline.
    pub is_joined: bool,
    /// Byte offset at the end of the command, separator included.
    pub end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileWord<'a> {
    Read(&'a str),
    Named(&'a str),
}

impl ShellCommand {
    /// Returns the program without its folder, such as `rg`; a git search is `git grep`.
    pub fn program_name(&self) -> Option<String> {
        let name = self.base_name().filter(|name| !name.is_empty() && name.len() <= MAX_PROGRAM)?;
        let is_search = name == "git" && self.git_command() == Some("grep");
        Some(String::from(if is_search { "git grep" } else { name }))
    }

    fn base_name(&self) -> Option<&str> {
        let name = self.words.first()?.rsplit('/').next()?;
        Some(name.strip_suffix(".exe").unwrap_or(name))
    }

    fn git_command(&self) -> Option<&str> {
        after_options(self.words.get(1..)?, &GIT_OPTIONS).first().map(String::as_str)
    }

    pub(crate) fn each_file(&self, mut each: impl FnMut(FileWord<'_>)) {
        let program = self.base_name().unwrap_or_default();
        let edits = self.words.iter().any(|word| word.starts_with("-i"));
        let reads = READERS.contains(&program) && !self.writes && !edits;
        // The first argument of `sed` is its script.
        let n_skipped = 1 + usize::from(program == "sed");
        let is_option = |word: &&String| word.starts_with('-');
        let given = self.words.iter().filter(|word| !is_option(word)).skip(n_skipped);
        for word in given {
            // A bare number is a line count.
            let is_count = word.bytes().all(|b| b.is_ascii_digit());
            if reads && !is_count {
                each(FileWord::Read(word));
            } else if is_path_like(word) {
                each(FileWord::Named(word));
            }
        }
        self.targets.iter().filter(|word| is_path_like(word)).for_each(|word| each(FileWord::Named(word)));
    }
}

pub(crate) const GIT_OPTIONS: [&str; 5] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

pub(crate) fn after_options<'a, W: AsRef<str>>(words: &'a [W], valued: &[&str]) -> &'a [W] {
    let mut at = 0;
    while let Some(option) = words.get(at).map(W::as_ref).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(valued.contains(&option));
    }
    words.get(at..).unwrap_or_default()
}

pub(crate) fn is_path_like(word: &str) -> bool {
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

/// Splits `line` into commands, in order; commands in parentheses and backticks are listed among
/// the others.
///
/// Reads only the first 4,096 bytes. Accepts any text: an unclosed quote extends to the end.
pub fn shell_commands(line: &str) -> impl Iterator<Item = ShellCommand> {
    let line = &line[..line.floor_char_boundary(MAX_LINE)];
    let mut parser = Parser { line, at: 0, heredocs: VecDeque::new() };
    core::iter::from_fn(move || parser.parse_command())
}

struct Parser<'a> {
    line: &'a str,
    at: usize,
    heredocs: VecDeque<String>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.line[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take_if(&mut self, expected: &str) -> bool {
        let found = self.line[self.at..].starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    fn parse_command(&mut self) -> Option<ShellCommand> {
        let mut command = ShellCommand::default();
        loop {
            let ends = match self.peek() {
                None => None,
                Some('\n') => {
                    self.next();
                    self.skip_heredocs();
                    Some(true)
                }
                Some('&') if self.take_if("&&") => Some(true),
                Some('&') if self.line[self.at..].starts_with("&>") => {
                    self.next();
                    self.parse_redirection(&mut command, true);
                    continue;
                }
                Some(operator @ (';' | '|' | '&' | '(' | ')' | '`')) => {
                    self.next();
                    Some(operator == ';')
                }
                Some('>' | '<') => {
                    self.parse_redirection(&mut command, true);
                    continue;
                }
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.next();
                    }
                    continue;
                }
                Some(c) if c.is_whitespace() => {
                    self.next();
                    continue;
                }
                Some(_) => {
                    self.word_of(&mut command);
                    continue;
                }
            };
            let is_empty = command.words.is_empty() && command.targets.is_empty();
            if !is_empty || ends.is_none() {
                command.end = self.at;
                command.is_joined = ends == Some(true);
                return (!is_empty).then_some(command);
            }
        }
    }

    fn word_of(&mut self, command: &mut ShellCommand) {
        let start = self.at;
        let Some(word) = self.parse_word() else { return };
        let plain = &self.line[start..self.at];
        if matches!(self.peek(), Some('>' | '<')) && plain.bytes().all(|b| b.is_ascii_digit()) {
            let is_output = plain == "1";
            self.parse_redirection(command, is_output);
        } else if !command.words.is_empty() || !is_assignment(&word) {
            command.words.push(word);
        }
    }

    fn parse_redirection(&mut self, command: &mut ShellCommand, is_output: bool) {
        if self.take_if("<<<") || self.take_if("<&") || self.take_if(">&") {
            // A here-string or another descriptor. `>&FILE` is rare enough to treat the same way.
            self.parse_operand();
        } else if self.take_if("<<") {
            self.take_if("-");
            let end = self.parse_operand();
            self.heredocs.extend(end);
        } else if self.take_if("<") {
            self.take_if(">");
            let file = self.parse_operand();
            command.words.extend(file);
        } else {
            self.next();
            let _ = self.take_if(">") || self.take_if("|");
            let file = self.parse_operand();
            command.targets.extend(file);
            command.writes |= is_output;
        }
    }

    fn parse_operand(&mut self) -> Option<String> {
        while self.peek().is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.next();
        }
        self.parse_word()
    }

    fn parse_word(&mut self) -> Option<String> {
        let (mut word, mut is_word) = (String::new(), false);
        while let Some(c) = self.peek() {
            if c.is_whitespace() || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`') {
                break;
            }
            self.next();
            match c {
                '\'' | '"' => {
                    is_word = true;
                    self.parse_quoted(c, &mut word);
                }
                '\\' => word.extend(self.next().filter(|escaped| *escaped != '\n')),
                _ => word.push(c),
            }
        }
        (is_word || !word.is_empty()).then_some(word)
    }

    fn parse_quoted(&mut self, quote: char, word: &mut String) {
        while let Some(c) = self.next().filter(|c| *c != quote) {
            let escapes = quote == '"' && c == '\\';
            match self.peek() {
                Some(next) if escapes && matches!(next, '"' | '\\' | '$' | '`') => {
                    word.push(next);
                    self.next();
                }
                _ => word.push(c),
            }
        }
    }

    fn skip_heredocs(&mut self) {
        while let Some(end) = self.heredocs.pop_front() {
            while self.at < self.line.len() {
                let rest = &self.line[self.at..];
                let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
                self.at += length;
                if rest[..length].trim() == end {
                    break;
                }
            }
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// Expected form: commands separated by ` / `, words by `,`, targets marked with `>`.
    fn check(line: &str, expected: &str) {
        let found: Vec<String> = shell_commands(line)
            .map(|command| {
                let targets = command.targets.iter().map(|target| format!(">{target}"));
                command.words.iter().cloned().chain(targets).collect::<Vec<_>>().join(",")
            })
            .collect();
        assert_eq!(found.join(" / "), expected, "command line {line:?}");
    }

    #[test]
    fn commands_are_divided_by_operators() {
        check("a b && c || d | e & f; g", "a,b / c / d / e / f / g");
        check("a\nb\r\n\n c", "a / b / c");
        check("(cd x && ls) | wc -l", "cd,x / ls / wc,-l");
        check("echo $(cat a.rs) `cat b.rs`", "echo,$ / cat,a.rs / cat,b.rs");
        check("a \\\n b", "a,b");
        check("| ; &&", "");
        check("", "");
    }

    #[test]
    fn quotes_hold_what_they_quote() {
        check("rg 'a && b' \"c | d\" e\\ f", "rg,a && b,c | d,e f");
        check(r#"echo "a \" b" 'c \' d"#, r#"echo,a " b,c \,d"#);
        check("echo '' \"\"", "echo,,");
        check("'unclosed && ls", "unclosed && ls");
        check("echo a#b # c\nls", "echo,a#b / ls");
    }

    #[test]
    fn redirections_are_no_words() {
        check("cat a.rs 2>/dev/null", "cat,a.rs,>/dev/null");
        check("make > out.txt 2>&1", "make,>out.txt");
        check("make &> out.txt >> b.txt", "make,>out.txt,>b.txt");
        check("wc < a.rs <<< text", "wc,a.rs");
        check("> a.txt", ">a.txt");
        check("echo 2 > a", "echo,2,>a");
    }

    #[test]
    fn heredocs_are_no_commands() {
        check("cat > a.rs <<EOF\nuse b.rs;\nEOF\nls", "cat,>a.rs / ls");
        check("cat <<-'END' <<B | wc\nx\n\tEND\ny\nB\nls", "cat / wc / ls");
        check("cat <<EOF\nnever ends", "cat");
    }

    #[test]
    fn what_joins_two_commands() {
        let joined: Vec<bool> =
            shell_commands("a && b; c | d\ne & f").map(|command| command.is_joined).collect();
        assert_eq!(joined, [true, true, false, true, false, false]);
        let ends: Vec<usize> = shell_commands("cd a && ls").map(|command| command.end).collect();
        assert_eq!(ends, [7, 10]);
    }

    #[test]
    fn programs() {
        for (line, expected) in [
            ("rg -n foo src", "rg"),
            ("  ls", "ls"),
            ("/usr/bin/rg x", "rg"),
            ("rg.exe x", "rg"),
            ("FOO=1 BAR='a b' grep x", "grep"),
            ("FOO=\"a \\\" b\" find .", "find"),
            ("git grep foo", "git grep"),
            ("git -C sub --no-pager grep foo", "git grep"),
            ("git status", "git"),
            ("git", "git"),
            ("git; grep x", "git"),
            ("rg foo|head", "rg"),
            ("ls;pwd", "ls"),
            ("(ls -la)", "ls"),
            ("# look\n  rg foo", "rg"),
            ("\"my tool\" x", "my tool"),
            ("cd src && rg foo", "cd"),
            ("a=b", ""),
            ("", ""),
            ("# only a comment", ""),
            ("'unclosed", "unclosed"),
            ("\\ls", "ls"),
        ] {
            let program = shell_commands(line).next().and_then(|first| first.program_name());
            assert_eq!(program.unwrap_or_default(), expected, "command line {line:?}");
        }
        assert_eq!(shell_commands(&"x".repeat(65)).next().and_then(|first| first.program_name()), None);
    }

    /// Expected form: `+` for a read file, `-` for a named one.
    fn check_files(line: &str, expected: &str) {
        let mut found = Vec::new();
        for command in shell_commands(line) {
            command.each_file(|word| {
                found.push(match word {
                    FileWord::Read(path) => format!("+{path}"),
                    FileWord::Named(path) => format!("-{path}"),
                });
            });
        }
        assert_eq!(found.join(" "), expected, "command line {line:?}");
    }

    #[test]
    fn files_that_are_read() {
        check_files("cat src/a.rs", "+src/a.rs");
        check_files("cat Makefile", "+Makefile");
        check_files("cat 'my file.txt' b.rs", "+my file.txt +b.rs");
        check_files("LANG=C /bin/cat a.rs", "+a.rs");
        check_files("head -n 20 a.rs", "+a.rs");
        check_files("sed -n '1,80p' src/a.rs", "+src/a.rs");
        check_files("nl -ba src/a.rs | sed -n 1,5p", "+src/a.rs");
        check_files("cat a.rs && cat b.rs; cat c.rs", "+a.rs +b.rs +c.rs");
        check_files("cat a.rs\ncat b.rs", "+a.rs +b.rs");
        check_files("cat a\\ b.rs", "+a b.rs");
        check_files("cat a.rs 2>/dev/null", "+a.rs -/dev/null");
    }

    #[test]
    fn files_that_are_only_named() {
        check_files("git add src/a.rs", "-src/a.rs");
        check_files("rm a.rs", "-a.rs");
        check_files("rg foo src/a.rs", "-src/a.rs");
        check_files("cat > src/a.rs <<EOF", "-src/a.rs");
        check_files("sed -i 's/a/b/' src/a.rs", "-src/a.rs");
        check_files("sed -i.bak s/a/b/ src/a.rs", "-src/a.rs");
        check_files("python3 tools/run.py --all", "-tools/run.py");
    }

    #[test]
    fn words_that_are_no_path() {
        check_files("cargo test", "");
        check_files("echo 1.5 ... / //", "");
        check_files("echo and so on.", "");
        check_files("", "");
        check_files("'unclosed", "");
        check_files("| ; &&", "");
        check_files(&"cat ".repeat(2000), "+cat ".repeat(1023).trim_end());
        check_files(&"ü/".repeat(4000), "");
    }
}
