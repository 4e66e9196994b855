//! Models and token counts, as reported by providers.

use std::borrow::Cow;

use cwl_engine::Usage;

use crate::bounds::MOST_DOLLARS;
use crate::json::Value;
use crate::notes::Notes;

pub(crate) fn counts_in<'a>(
    value: Option<Value<'a>>,
    field: &str,
    notes: &mut Notes<'_>,
) -> Option<Value<'a>> {
    let value = value.filter(|value| !value.is_null())?;
    if value.object().is_none() {
        notes.odd(field);
    }
    value.object()
}

/// Reads the counts at the last names of `paths`; a missing count is 0.
pub(crate) fn count_paths<const N: usize>(
    value: Value<'_>,
    paths: [&str; N],
    notes: &mut Notes<'_>,
) -> [u64; N] {
    let values = value.path_ends(paths);
    std::array::from_fn(|at| notes.tokens(values[at], paths[at]).unwrap_or(0))
}

pub(crate) fn usage_with_cache(prompt: u64, cached: u64, output: u64, reasoning: u64) -> Usage {
    Usage {
        input: prompt.saturating_sub(cached),
        output,
        reasoning: reasoning.min(output),
        cache_read: cached.min(prompt),
        ..Usage::default()
    }
}

pub(crate) fn model_name(provider: Option<Cow<'_, str>>, model: Option<Cow<'_, str>>) -> Option<String> {
    let names: Vec<_> = [provider, model].into_iter().flatten().filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then(|| names.join("/"))
}

/// Reads dollars as millionths of a dollar.
pub(crate) fn read_dollars(value: Option<Value<'_>>, field: &str, notes: &mut Notes<'_>) -> Option<u64> {
    let value = value.filter(|value| !value.is_null())?;
    let dollars = value.number().filter(|dollars| (0.0..=MOST_DOLLARS).contains(dollars));
    if dollars.is_none() {
        notes.odd(field);
    }
    dollars.map(|dollars| (dollars * 1_000_000.0).round() as u64)
}
