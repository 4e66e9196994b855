//! Writes a secret in all the ways in which logs hold one, and checks whether it survives redaction.

use base64::Engine as _;
use cwl_redact::{Learner, People};
use serde_json::json;

pub(crate) const WAYS: [(&str, Way); 9] = [
    ("as written, in an output", Way::Output),
    ("as written, in arguments", Way::Arguments),
    ("bare", Way::Bare),
    ("learned, in base64", Way::Base64),
    ("learned, wrapped", Way::Wrapped),
    ("learned, in hex", Way::Hex),
    ("learned, percent-encoded", Way::Percent),
    ("learned, concatenated", Way::Concatenated),
    ("learned, in arguments in arguments", Way::Nested),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Output,
    Arguments,
    Bare,
    Base64,
    Wrapped,
    Hex,
    Percent,
    Concatenated,
    Nested,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Planted {
    pub(crate) secret: String,
    pub(crate) input: String,
}

impl Planted {
    /// Returns true if the secret's hash is odd: such secrets are hidden from the author of the rules.
    pub(crate) fn is_unseen(&self) -> bool {
        let hash = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        // The lowest bit of this hash depends only on the lowest bits of the bytes, so a higher one is used.
        self.secret.bytes().fold(0xcbf2_9ce4_8422_2325, hash) >> 32 & 1 == 1
    }

    /// Returns true for a stand-in: more than half of it is the same letter, or it is a database address
    /// without a password.
    pub(crate) fn is_stand_in(&self) -> bool {
        let has_password = |address: &str| address.contains('@') || address.to_lowercase().contains("pass");
        if self.secret.starts_with("jdbc:") && !has_password(&self.secret) {
            return true;
        }
        let most =
            self.secret.bytes().map(|byte| self.secret.bytes().filter(|other| *other == byte).count()).max();
        most.unwrap_or(0) * 2 > self.secret.len()
    }

    /// Returns true if nothing of the secret's middle survives.
    pub(crate) fn is_hidden(&self, way: Way) -> bool {
        let secret = self.secret.as_str();
        let arguments = |command: &str| json!({ "command": command, "timeout": 1000 }).to_string();
        let written_out = |text: &str| format!("cat > .env <<'EOF'\n{text}\nEOF");
        let (text, form) = match way {
            Way::Output => (self.input.clone(), secret.to_owned()),
            Way::Arguments => {
                let inner = json!(secret).to_string();
                (
                    format!("bash {}", arguments(&written_out(&self.input))),
                    inner[1..inner.len() - 1].to_owned(),
                )
            }
            Way::Bare => (format!("Here it is:\n{secret}\nThe rest goes on."), secret.to_owned()),
            Way::Base64 => {
                let encoded = base64::prelude::BASE64_STANDARD.encode(format!("user:{secret}"));
                (format!("data: {encoded} end"), encoded)
            }
            Way::Wrapped => {
                let signs: Vec<char> = secret.chars().collect();
                let lines: Vec<String> = signs.chunks(24).map(|line| line.iter().collect()).collect();
                (format!("said:\n    {}\ndone", lines.join("\n    ")), secret.to_owned())
            }
            Way::Hex => {
                let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
                (format!("0000: {hex} end"), hex)
            }
            Way::Percent => {
                let all = percent_encoding::NON_ALPHANUMERIC;
                let encoded = percent_encoding::utf8_percent_encode(secret, all).to_string();
                (format!("https://example.org/?x={encoded}&y=1"), encoded)
            }
            Way::Concatenated => {
                let half = secret.ceil_char_boundary(secret.len() / 2);
                let (left, right) = secret.split_at(half);
                (format!("let x = \"{left}\" +\n    \"{right}\";"), secret.to_owned())
            }
            Way::Nested => {
                let twice = json!(json!(secret).to_string()).to_string();
                let text = arguments(&arguments(&written_out(secret)));
                (format!("bash {text}"), twice[3..twice.len() - 3].to_owned())
            }
        };
        let mut learner = Learner::new(&People::default());
        if !matches!(way, Way::Bare) {
            learner.text(&self.input);
        }
        learner.text(&text);
        let Ok(mut redactor) = learner.finish() else { return false };
        let written = joined(&redactor.text(&text));
        let form = joined(&form);
        !written.contains(middle(&form))
    }
}

/// Returns the secret part of a finding: of an address with a password, only the password.
pub(crate) fn secret_part(wanted: &str) -> String {
    let rest = wanted.split_once("://").map(|(_, rest)| rest);
    let password = rest.and_then(|rest| rest.rsplit_once('@')).and_then(|(user, _)| user.split_once(':'));
    password.map_or(wanted, |(_, password)| password).to_owned()
}

fn joined(text: &str) -> String {
    text.replace("\" +\n    \"", "").split_whitespace().collect()
}

pub(crate) fn middle(form: &str) -> &str {
    if form.len() < 12 {
        return form;
    }
    let quarter = form.len() / 4;
    &form[form.ceil_char_boundary(quarter)..form.floor_char_boundary(form.len() - quarter)]
}
