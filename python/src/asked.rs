//! Parses arguments: budgets as numbers or texts, options as keywords, runs as on the command line.

use std::collections::BTreeMap;

use cwl_corpus::{CorpusKey, LogAsked, TextsAs};
use cwl_host::api::ViewSettings;
use cwl_host::commands::RunsAsked;
use cwl_host::{ApiError, ErrorCode};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::error::raise_error;

/// A budget: tokens, or a text such as `80k` or `50%`.
#[derive(Debug, Clone, FromPyObject)]
pub(crate) enum BudgetAsked {
    Tokens(u64),
    Text(String),
}

impl BudgetAsked {
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Tokens(tokens) => tokens.to_string(),
            Self::Text(text) => text,
        }
    }
}

pub(crate) fn options_of(options: Option<&Bound<'_, PyDict>>) -> PyResult<BTreeMap<String, String>> {
    let mut read = BTreeMap::new();
    for (key, value) in options.into_iter().flatten() {
        let text = match value.cast::<PyBool>() {
            Ok(switch) => switch.is_true().to_string(),
            Err(_) => value.str()?.extract()?,
        };
        read.insert(key.extract()?, text);
    }
    Ok(read)
}

/// Everything that tables depend on besides the logs.
pub(crate) fn log_asked(
    py: Python<'_>,
    view: ViewSettings,
    budget: Option<BudgetAsked>,
    runs: &[String],
    texts: &str,
    key: Option<&[u8]>,
) -> PyResult<LogAsked> {
    let runs = runs.iter().map(|text| RunsAsked::parse_runs(text)).collect::<Result<_, _>>();
    let all = [TextsAs::Hashed, TextsAs::Redacted, TextsAs::Plain];
    let texts = all.into_iter().find(|one| one.name() == texts).ok_or_else(|| {
        let error = ApiError::new(ErrorCode::BadRequest, format!("texts cannot be `{texts}`"));
        raise_error(py, error.with_hint("they are hashed, redacted or plain"))
    });
    Ok(LogAsked {
        view,
        budget: budget.map(BudgetAsked::into_text),
        runs: runs.map_err(|error| raise_error(py, error))?,
        texts: texts?,
        key: key_of(key)?,
    })
}

fn key_of(key: Option<&[u8]>) -> PyResult<CorpusKey> {
    let mut bytes = [0; 32];
    match key {
        Some(key) => {
            let fits = <[u8; 32]>::try_from(key);
            bytes = fits.map_err(|_other| PyValueError::new_err("a key has 32 bytes"))?;
        }
        None => getrandom::fill(&mut bytes)
            .map_err(|error| PyOSError::new_err(format!("the system gives no random bytes: {error}")))?,
    }
    Ok(CorpusKey(bytes))
}
