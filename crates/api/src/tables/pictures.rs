//! The table of pictures: how many tokens a provider makes of a picture by its size, and of a page of a PDF.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::tables::patterns::{best_fit, spelled};
use crate::tables::rows::{NamedRow, read_rows};

/// The rule of some models.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureRow {
    name: String,
    /// Names of models, `*` for anything.
    models: Vec<String>,
    pub(crate) rule: PictureRule,
    /// The tokens of a page of a PDF; `None` where they are not known.
    pub(crate) page: Option<u64>,
    /// The day on which the source said it.
    as_of: String,
    /// The source of the row.
    source: String,
}

/// The tokens of a picture by its size in pixels.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum PictureRule {
    /// Squares of `side` pixels, after the picture was made to fit `edge` pixels and `most` squares.
    Patches { side: u32, edge: u32, most: u64, per_mille: u64 },
    /// `base`, and `each` for every square of `side` pixels, after the picture was made to fit a `square` and the `shortest` side.
    Tiles { side: u32, each: u64, base: u64, square: u32, shortest: u32 },
    /// `each` for every crop of two thirds of the shorter side; a picture up to `whole` pixels is one crop.
    Crops { each: u64, whole: u32, least: u32, largest: u32 },
    /// The same for all.
    Flat(u64),
}

static ROWS: LazyLock<Vec<PictureRow>> = LazyLock::new(|| {
    // A test reads the table, which comes with the program.
    read_rows(include_str!("../../pictures.toml"), "row", "pictures").0
});

/// Finds the rule of a model; `None` where none is known.
pub(crate) fn picture_row(model: Option<&str>) -> Option<&'static PictureRow> {
    best_fit(&ROWS, |row| &row.models, model).map(|(_, row)| row)
}

impl PictureRule {
    /// Returns the tokens of a picture of so many pixels.
    pub(crate) fn tokens(&self, width: u32, height: u32) -> u64 {
        let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
        let squares = |scale: f64, side: f64| {
            let along = |pixels: f64| (pixels * scale / side).ceil().max(1.0) as u64;
            along(width).saturating_mul(along(height))
        };
        let (longer, shorter) = (width.max(height), width.min(height));
        match *self {
            Self::Flat(tokens) => tokens,
            Self::Patches { side, edge, most, per_mille } => {
                let side = f64::from(side);
                let whole = (f64::from(edge) / longer).min(1.0);
                let mut scale = (most as f64 * side * side / (width * height)).sqrt().min(whole);
                if squares(whole, side) <= most {
                    scale = whole;
                }
                // Sides are rounded up, so that a few squares too many are left.
                while squares(scale, side) > most && scale > f64::EPSILON {
                    scale *= 0.999;
                }
                let n = squares(scale, side).min(most);
                n.saturating_mul(per_mille) / 1000
            }
            Self::Tiles { side, each, base, square, shortest } => {
                let fits = (f64::from(square) / longer).min(1.0);
                let scale = fits * (f64::from(shortest) / (shorter * fits)).min(1.0);
                base.saturating_add(squares(scale, f64::from(side)).saturating_mul(each))
            }
            Self::Crops { each, whole, .. } if longer <= f64::from(whole) => each,
            Self::Crops { each, least, largest, .. } => {
                let side = (shorter / 1.5).floor().clamp(f64::from(least), f64::from(largest));
                squares(1.0, side).saturating_mul(each)
            }
        }
    }
}

impl NamedRow for PictureRow {
    fn name(&self) -> &str {
        &self.name
    }

    fn fault(&self) -> Option<String> {
        let is_whole = [&self.name, &self.as_of, &self.source].iter().all(|field| !field.is_empty());
        (!is_whole).then(|| "it has no `name`, `as_of` or `source`".to_owned())
    }

    fn normal(mut self) -> Self {
        self.models.iter_mut().for_each(|pattern| *pattern = spelled(pattern));
        self
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_row_is_understood() {
        let (rows, problems) =
            read_rows::<PictureRow>(include_str!("../../pictures.toml"), "row", "pictures");
        assert_eq!((rows.len(), problems), (7, Vec::new()));
    }

    #[test]
    fn pictures_count_as_their_providers_say() {
        let check = |model: &str, (width, height): (u32, u32), expected: u64| {
            let row = picture_row(Some(model)).unwrap();
            assert_eq!(row.rule.tokens(width, height), expected, "{model} {width} x {height}");
        };
        check("claude-sonnet-4-5-20250929", (1000, 1000), 36 * 36);
        check("claude-sonnet-4-5-20250929", (1, 1), 1);
        check("anthropic/claude-opus-4.8", (320, 200), 12 * 8);
        check("claude-opus-4-6", (1568, 784), 56 * 28);
        check("claude-opus-4-6", (4000, 4000), 39 * 39);
        check("claude-opus-4-7", (2000, 1500), 72 * 54);
        check("gpt-4o", (1024, 1024), 765);
        check("gpt-4o", (2048, 4096), 1105);
        check("openai/gpt-5-codex", (1024, 1024), 70 + 4 * 140);
        check("gemini-2.5-pro", (300, 384), 258);
        check("gemini-2.5-pro", (960, 540), 6 * 258);
        check("google/gemini-3-flash-preview", (960, 540), 1120);
        assert_eq!(picture_row(Some("glm-5")), None);
        assert_eq!(picture_row(None), None);
    }

    proptest::proptest! {
        #[test]
        fn no_size_breaks_a_rule(width in 0u32.., height in 0u32..) {
            for row in ROWS.iter() {
                proptest::prop_assert!(row.rule.tokens(width, height) > 0);
            }
        }
    }
}
