//! The unit of counts, as people type it: the provider's tokens, or those of a tokenizer.

use std::str::FromStr;

use cwl_tokens::Tokenizer;

use crate::{ApiError, ErrorCode};

const PROVIDER: &str = "provider";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenUnit {
    /// Tokens of the provider: those of the default tokenizer times a factor that the reported sizes tell.
    Provider,
    Tokenizer(Tokenizer),
}

impl TokenUnit {
    pub fn tokenizer(self) -> Tokenizer {
        match self {
            Self::Provider => Tokenizer::default(),
            Self::Tokenizer(tokenizer) => tokenizer,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Provider => PROVIDER,
            Self::Tokenizer(tokenizer) => tokenizer.name(),
        }
    }

    pub fn names() -> Vec<String> {
        let tokenizers = Tokenizer::ALL.iter().map(|tokenizer| tokenizer.name());
        std::iter::once(PROVIDER).chain(tokenizers).map(str::to_owned).collect()
    }
}

impl FromStr for TokenUnit {
    type Err = ApiError;

    fn from_str(name: &str) -> Result<Self, ApiError> {
        if name == PROVIDER {
            return Ok(Self::Provider);
        }
        name.parse().map(Self::Tokenizer).map_err(|_unknown: cwl_tokens::UnknownTokenizer| {
            let known = Self::names().join(", ");
            ApiError::new(ErrorCode::BadView, format!("unknown tokenizer {name:?}; known are {known}"))
        })
    }
}
