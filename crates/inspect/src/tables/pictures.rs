//! The picture table: tokens a provider charges for a picture by size, and for a PDF page.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::figures::with_commas;
use crate::tables::patterns::best_fit;
use crate::tables::rows::{NamedRow, read_rows};

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureRow {
    pub name: String,
    /// Model names; `*` matches anything.
    models: Vec<String>,
    pub rule: PictureRule,
    /// Tokens per PDF page, if known.
    pub page: Option<u64>,
    pub as_of: String,
    pub source: String,
}

impl PictureRow {
    pub fn describe_rule(&self) -> String {
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

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PictureRule {
    /// Counts squares of `side` pixels, after scaling the picture down to `edge` pixels and `most` squares: to the
    /// largest size possible, or if `snapped` to a size with whole squares along one side. A square costs `per_mille` /
    /// 1000 tokens.
    Patches {
        side: u32,
        edge: u32,
        most: u64,
        per_mille: u64,
        #[serde(default)]
        snapped: bool,
    },
    /// Charges `base`, plus `each` per square of `side` pixels, after scaling the picture down until it fits a `square`
    /// and its shorter side is at most `shortest`.
    Tiles {
        side: u32,
        each: u64,
        base: u64,
        square: u32,
        shortest: u32,
    },
    /// Charges `each` per crop. Crops are squares of two thirds of the shorter side, between `least` and `largest`
    /// pixels. A picture up to `whole` pixels is one crop.
    Crops {
        each: u64,
        whole: u32,
        least: u32,
        largest: u32,
    },
    Flat(u64),
}

static ROWS: LazyLock<Vec<PictureRow>> = LazyLock::new(|| {
    // Faults are ignored: a test checks the built-in table.
    read_rows(include_str!("../../pictures.toml"), "row", "pictures").0
});

pub fn picture_rows() -> &'static [PictureRow] {
    &ROWS
}

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

/// A picture's sides in pixels, each at least 1.
#[derive(Debug, Clone, Copy)]
struct PictureSize {
    longer: u64,
    shorter: u64,
}

impl PictureSize {
    fn n_squares(self, side: u64) -> u64 {
        self.longer.div_ceil(side).saturating_mul(self.shorter.div_ceil(side))
    }

    fn with_longer(self, most: u64) -> Self {
        match self.longer > most {
            true => Self { longer: most, shorter: scale_side(self.shorter, most, self.longer) },
            false => self,
        }
    }

    fn with_shorter(self, most: u64) -> Self {
        match self.shorter > most {
            true => Self { longer: scale_side(self.longer, most, self.shorter), shorter: most },
            false => self,
        }
    }

    /// Counts the squares of the largest scaled picture covered by at most `most` squares.
    fn most_squares(self, side: u64, most: u64) -> u64 {
        let forms = (1..=self.longer).rev().map(|longer| self.with_longer(longer).n_squares(side));
        forms.into_iter().find(|squares| *squares <= most).unwrap_or(most)
    }

    /// Counts the squares of the picture scaled so that one side is whole squares: the side with fewer squares relative
    /// to its length, in the largest grid of at most `most` squares.
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
