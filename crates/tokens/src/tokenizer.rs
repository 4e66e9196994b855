use strum::VariantArray;

#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownTokenizer, parse_err_fn = UnknownTokenizer::from_name)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Tokenizer {
    /// BPE tokens from the `o200k_base` vocabulary.
    #[default]
    O200k,
    Cl100k,
    /// UTF-16 code units, four per token, as harnesses estimate that ask no provider.
    Chars4,
    /// `o200k_base` in the reference implementation, at about a fifth of the speed.
    O200kRef,
    /// `cl100k_base` in the reference implementation.
    Cl100kRef,
}

impl Tokenizer {
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The name, such as `o200k`, on the command line, on the wire and in the store.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The counting crate with its version, as `NAME VERSION`.
    ///
    /// Releases have changed a vocabulary's counts, so a stored count with another implementation is stale.
    pub fn implementation(self) -> &'static str {
        match self {
            Self::O200k | Self::Cl100k => "tiktoken 4.1.2",
            Self::Chars4 => "utf16 1",
            Self::O200kRef | Self::Cl100kRef => "tiktoken-rs 0.12.1",
        }
    }

    /// Units per token; a message costs its units divided by this number, rounded up.
    pub fn divisor(self) -> u32 {
        match self {
            Self::Chars4 => 4,
            Self::O200k | Self::Cl100k | Self::O200kRef | Self::Cl100kRef => 1,
        }
    }

    /// An image has no text to count: 1200 tokens under every [`Tokenizer`].
    pub fn image_units(self) -> u32 {
        match self {
            Self::Chars4 => 4800,
            Self::O200k | Self::Cl100k | Self::O200kRef | Self::Cl100kRef => 1200,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown tokenizer {given:?}; known are {}", known_names())]
pub struct UnknownTokenizer {
    pub given: String,
}

impl UnknownTokenizer {
    fn from_name(given: &str) -> Self {
        Self { given: given.to_owned() }
    }
}

fn known_names() -> String {
    Tokenizer::ALL.iter().map(|tokenizer| tokenizer.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_read_back() {
        for &tokenizer in Tokenizer::ALL {
            assert_eq!(tokenizer.to_string().parse(), Ok(tokenizer), "a stored name must find its tokenizer");
        }
    }

    #[test]
    fn unknown_name_lists_the_known_ones() {
        let error = "o200k_base".parse::<Tokenizer>().unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"unknown tokenizer "o200k_base"; known are o200k, cl100k, chars4, o200k-ref, cl100k-ref"#
        );
        assert!("".parse::<Tokenizer>().is_err(), "no name is not the default");
        assert!("O200K".parse::<Tokenizer>().is_err(), "names are exact, since they are keys in the store");
    }

    #[test]
    fn an_image_costs_the_same_tokens_everywhere() {
        for &tokenizer in Tokenizer::ALL {
            assert_eq!(tokenizer.image_units() / tokenizer.divisor(), 1200, "{tokenizer}");
        }
    }

    #[test]
    fn implementations_are_the_locked_ones() {
        let lock = include_str!("../../../Cargo.lock");
        for &tokenizer in Tokenizer::ALL {
            let (name, version) = tokenizer.implementation().split_once(' ').unwrap();
            if tokenizer == Tokenizer::Chars4 {
                assert_eq!((name, version), ("utf16", "1"));
                continue;
            }
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(
                lock.contains(&entry),
                "{tokenizer} says {name} {version}, which is not the locked version"
            );
            let n_locked = lock.matches(&format!("name = \"{name}\"\n")).count();
            assert_eq!(n_locked, 1, "with two versions of {name} in the lock, the name would not tell which");
        }
    }
}
