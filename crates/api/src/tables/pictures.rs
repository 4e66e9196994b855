//! The table of pictures: how many tokens a provider makes of a picture by its size, and of a page of a PDF.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::figures::with_commas;
use crate::tables::patterns::best_fit;
use crate::tables::rows::{NamedRow, read_rows};

/// The rule of some models.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureRow {
    pub(crate) name: String,
    /// Names of models, `*` for anything.
    models: Vec<String>,
    pub(crate) rule: PictureRule,
    /// The tokens of a page of a PDF; `None` if they are not known.
    pub(crate) page: Option<u64>,
    /// The day on which the source said it.
    pub(crate) as_of: String,
    pub(crate) source: String,
}

impl PictureRow {
    pub(crate) fn describe_rule(&self) -> String {
        let picture = match self.rule {
            PictureRule::Patches { side, edge, most, per_mille: 1000, .. } => {
                format!("patches of {side} pixels, {} at most, up to {edge} a side", with_commas(most))
            }
            PictureRule::Patches { side, edge, most, per_mille, .. } => {
                let (whole, thousandths) = (per_mille / 1000, per_mille % 1000);
                let most = with_commas(most);
                format!(
                    "{whole}.{thousandths:03} for each patch of {side} pixels, {most} at most, up to {edge} a side"
                )
            }
            PictureRule::Tiles { side, each, base, .. } => {
                format!("{} and {} for each tile of {side} pixels", with_commas(base), with_commas(each))
            }
            PictureRule::Crops { each, whole, .. } => {
                format!("{each} up to {whole} pixels a side, else {each} for each crop")
            }
            PictureRule::Flat(tokens) => format!("{} for each", with_commas(tokens)),
        };
        match self.page {
            Some(page) => format!("{picture}; {} for a page", with_commas(page)),
            None => picture,
        }
    }
}

/// The tokens of a picture by its size in pixels.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum PictureRule {
    /// Squares of `side` pixels, after the picture was made to fit `edge` pixels and `most` squares: as large as these allow, or
    /// `snapped` to a size at which one side is whole squares.
    Patches {
        side: u32,
        edge: u32,
        most: u64,
        per_mille: u64,
        #[serde(default)]
        snapped: bool,
    },
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

/// Returns all rows, in the order of the file.
pub(crate) fn picture_rows() -> &'static [PictureRow] {
    &ROWS
}

/// Finds the rule that fits a model best; `None` if no rule is known.
pub(crate) fn picture_row(model: Option<&str>) -> Option<&'static PictureRow> {
    best_fit(&ROWS, |row| &row.models, model).map(|(_, row)| row)
}

impl PictureRule {
    pub(crate) fn picture_tokens(&self, width: u32, height: u32) -> u64 {
        let size = PictureSize {
            longer: u64::from(width.max(height).max(1)),
            shorter: u64::from(width.min(height).max(1)),
        };
        match *self {
            Self::Flat(tokens) => tokens,
            Self::Patches { side, edge, most, per_mille, snapped } => {
                let (side, size) = (u64::from(side), size.with_longer(edge.into()));
                let n_patches = match size.n_squares(side) {
                    fitting if fitting <= most => fitting,
                    _ if snapped => size.snapped_squares(side, most),
                    _ => size.most_squares(side, most),
                };
                n_patches.min(most).saturating_mul(per_mille).div_ceil(1000)
            }
            Self::Tiles { side, each, base, square, shortest } => {
                let size = size.with_longer(square.into()).with_shorter(shortest.into());
                base.saturating_add(size.n_squares(side.into()).saturating_mul(each))
            }
            Self::Crops { each, whole, .. } if size.longer <= u64::from(whole) => each,
            Self::Crops { each, least, largest, .. } => {
                let side = (size.shorter * 2 / 3).clamp(least.into(), largest.into());
                size.n_squares(side).saturating_mul(each)
            }
        }
    }
}

/// The sides of a picture, pixels, each at least 1.
#[derive(Debug, Clone, Copy)]
struct PictureSize {
    longer: u64,
    shorter: u64,
}

impl PictureSize {
    fn n_squares(self, side: u64) -> u64 {
        self.longer.div_ceil(side).saturating_mul(self.shorter.div_ceil(side))
    }

    /// Returns the picture made smaller so that its longer side is at most so long.
    fn with_longer(self, most: u64) -> Self {
        match self.longer > most {
            true => Self { longer: most, shorter: scale_side(self.shorter, most, self.longer) },
            false => self,
        }
    }

    /// Returns the picture made smaller so that its shorter side is at most so long.
    fn with_shorter(self, most: u64) -> Self {
        match self.shorter > most {
            true => Self { longer: scale_side(self.longer, most, self.shorter), shorter: most },
            false => self,
        }
    }

    /// Returns the squares of the largest form of the picture that `most` squares cover.
    fn most_squares(self, side: u64, most: u64) -> u64 {
        let forms = (1..=self.longer).rev().map(|longer| self.with_longer(longer).n_squares(side));
        forms.into_iter().find(|squares| *squares <= most).unwrap_or(most)
    }

    /// Returns the squares of the picture at the scale that makes one side whole squares: the side that then is the shorter
    /// part of what `most` squares would allow.
    fn snapped_squares(self, side: u64, most: u64) -> u64 {
        let columns = (most * self.longer / self.shorter).isqrt().max(1);
        let rows = (most * self.shorter / self.longer).isqrt().max(1);
        if columns * self.shorter <= rows * self.longer {
            columns * (columns * side * self.shorter / self.longer).div_ceil(side).max(1)
        } else {
            rows * (rows * side * self.longer / self.shorter).div_ceil(side).max(1)
        }
    }
}

/// Scales `side` as its neighbour is scaled from `from` to `to`: pixels, rounded to the nearest one.
fn scale_side(side: u64, to: u64, from: u64) -> u64 {
    ((side * to * 2 + from) / (from * 2)).max(1)
}

impl NamedRow for PictureRow {
    fn row_name(&self) -> &str {
        &self.name
    }

    fn row_fault(&self) -> Option<String> {
        let is_whole = [&self.name, &self.as_of, &self.source].iter().all(|field| !field.is_empty());
        (!is_whole).then(|| "it has no `name`, `as_of` or `source`".to_owned())
    }

    fn model_patterns(&mut self) -> &mut [String] {
        &mut self.models
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
        assert_eq!((rows.len(), problems), (13, Vec::new()));
    }

    #[test]
    fn pictures_count_as_their_providers_say() {
        let check = |model: &str, (width, height): (u32, u32), expected: u64| {
            let row = picture_row(Some(model)).unwrap();
            assert_eq!(row.rule.picture_tokens(width, height), expected, "{model} {width} x {height}");
        };
        check("claude-sonnet-4-5-20250929", (1000, 1000), 36 * 36);
        check("claude-sonnet-4-5-20250929", (1, 1), 1);
        check("claude-sonnet-4-5-20250929", (1920, 1080), 1560);
        check("anthropic/claude-opus-4.8", (320, 200), 12 * 8);
        check("claude-opus-4-6", (1568, 784), 56 * 28);
        check("claude-opus-4-6", (4000, 4000), 39 * 39);
        check("claude-opus-4-7", (2000, 1500), 72 * 54);
        check("claude-opus-4-7", (1080, 1920), 2691);
        check("claude-opus-4-7", (3024, 1964), 4760);
        check("claude-opus-4-7", (3840, 2160), 4784);
        check("claude-opus-4-7", (4032, 3024), 4740);
        check("gpt-4o", (1024, 1024), 765);
        check("gpt-4o", (2048, 4096), 1105);
        check("gpt-4o", (512, 512), 255);
        check("gpt-4.1", (2049, 513), 85 + 8 * 170);
        check("gpt-4.1", (2050, 513), 85 + 4 * 170);
        check("gpt-4.1-mini", (1024, 1024), 1659);
        check("gpt-4.1-mini", (4000, 1474), 2489);
        check("gpt-4.1-nano", (1800, 2400), 3572);
        check("openai/gpt-5-2025-08-07", (1024, 1024), 70 + 4 * 140);
        check("gpt-5.5", (2560, 1440), 4320);
        check("gpt-5.5", (4032, 3024), 11868);
        check("gpt-6-astra", (256, 256), 77);
        check("gpt-6-astra", (1080, 1920), 2448);
        check("gpt-5.6-sol", (4032, 3024), 14364);
        check("gemini-2.5-pro", (300, 384), 258);
        check("gemini-2.5-pro", (960, 540), 6 * 258);
        check("google/gemini-3-flash-preview", (960, 540), 1120);
        assert_eq!(picture_row(Some("gpt-5.2-codex")), None, "no rule is confirmed");
        assert_eq!(picture_row(Some("glm-5")), None);
        assert_eq!(picture_row(None), None);
    }

    proptest::proptest! {
        #[test]
        fn no_size_breaks_a_rule(width in 0u32.., height in 0u32..) {
            for row in ROWS.iter() {
                proptest::prop_assert!(row.rule.picture_tokens(width, height) > 0);
            }
        }
    }
}
