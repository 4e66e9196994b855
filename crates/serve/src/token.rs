//! The token that authorises requests.

use std::hint::black_box;

/// Random bytes per token: 128 bits cannot be guessed.
const N_BYTES: usize = 16;

#[derive(Clone)]
pub(crate) struct ServerToken(String);

impl ServerToken {
    /// Makes a token from the system's random bytes.
    ///
    /// # Errors
    /// If the system gives none. There is no weaker substitute.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; N_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bytes))))
    }

    pub(crate) fn digits(&self) -> &str {
        &self.0
    }

    /// Tells whether a header is `Bearer` with this token. The comparison takes constant time.
    pub(crate) fn is_said_by(&self, header: &[u8]) -> bool {
        let Some(said) = header.strip_prefix(b"Bearer ") else { return false };
        let token = self.0.as_bytes();
        if said.len() != token.len() {
            return false;
        }
        let different = said.iter().zip(token).fold(0_u8, |different, (a, b)| black_box(different | (a ^ b)));
        black_box(different) == 0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_token_is_said_whole_or_not_at_all() {
        let token = ServerToken("0123456789abcdef0123456789abcdef".into());
        let check = |header: &str, expected: bool| {
            assert_eq!(token.is_said_by(header.as_bytes()), expected, "{header}");
        };
        check("Bearer 0123456789abcdef0123456789abcdef", true);
        check("Bearer 0123456789abcdef0123456789abcdee", false);
        check("Bearer 1123456789abcdef0123456789abcdef", false);
        check("Bearer 0123456789abcdef0123456789abcde", false);
        check("Bearer 0123456789abcdef0123456789abcdef0", false);
        check("Bearer 0123456789ABCDEF0123456789ABCDEF", false);
        check("bearer 0123456789abcdef0123456789abcdef", false);
        check("0123456789abcdef0123456789abcdef", false);
        check("Bearer ", false);
        check("", false);
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let tokens: Vec<_> = (0..64).map(|_| ServerToken::random().unwrap().0).collect();
        for token in &tokens {
            assert_eq!(token.len(), 32);
            assert!(token.bytes().all(|digit| digit.is_ascii_hexdigit()), "{token}");
            assert_eq!(tokens.iter().filter(|other| *other == token).count(), 1, "{token} came twice");
        }
    }
}
