//! Model patterns in tables: `*` matches anything, and dots equal hyphens.

pub(crate) fn normalize_model(model: &str) -> String {
    model.to_lowercase().replace('.', "-")
}

/// Finds the row whose pattern matches `model` with most letters; returns its index, too. The first of equally good
/// rows wins, so the user's rows stand before the others.
pub(crate) fn best_fit<'a, R>(
    rows: &'a [R],
    patterns: impl Fn(&R) -> &[String],
    model: Option<&str>,
) -> Option<(usize, &'a R)> {
    let model = normalize_model(model.unwrap_or_default());
    let fitting =
        rows.iter().enumerate().filter_map(|(at, row)| Some((longest_fit(patterns(row), &model)?, at, row)));
    let best = fitting.reduce(|best, one| if one.0 > best.0 { one } else { best });
    best.map(|(_, at, row)| (at, row))
}

/// Counts the letters of the longest matching pattern; `None` if none matches. Both sides must be normalised by
/// [`normalize_model`].
pub(crate) fn longest_fit(patterns: &[String], model: &str) -> Option<usize> {
    let fitting = patterns.iter().filter(|pattern| fits_pattern(pattern, model));
    fitting.map(|pattern| pattern.len() - pattern.matches('*').count()).max()
}

fn fits_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits_pattern;

    #[test]
    fn patterns() {
        let check = |pattern: &str, text: &str, expected: bool| {
            assert_eq!(fits_pattern(pattern, text), expected, "{pattern} {text}")
        };
        check("a", "a", true);
        check("a", "ab", false);
        check("a*", "ab", true);
        check("*b", "ab", true);
        check("*a*b*", "xxaxxbxx", true);
        check("*a*b", "xba", false);
        check("*", "", true);
        check("ab*b", "ab", false);
        check("", "", true);
    }
}
