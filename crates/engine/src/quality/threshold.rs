//! Thresholds: the numbers at which a quality rule applies, as a table.

use strum::{EnumCount, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray)]
#[allow(missing_docs)]
pub enum Threshold {
    Edits,
    Mutations,
    Looks,
    Points,
    NamesElsewhere,
    StrippedShare,
    StrippedTokens,
    AgainTokens,
    MissingNames,
    MissingShare,
    CoarseShare,
    FineTokens,
    StretchTurns,
    StretchShare,
    OpenTurns,
    OpenShare,
    FilesBefore,
    FilesAfter,
    HumanBytes,
    NameChars,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThresholdRow {
    pub threshold: Threshold,
    pub code: &'static str,
    pub key: &'static str,
    pub default: u32,
    pub about: &'static str,
}

/// In the order of [`Threshold`].
pub const THRESHOLDS: [ThresholdRow; Threshold::COUNT] = {
    use Threshold as T;
    const fn threshold_row(
        threshold: Threshold,
        code: &'static str,
        key: &'static str,
        default: u32,
        about: &'static str,
    ) -> ThresholdRow {
        ThresholdRow { threshold, code, key, default, about }
    }
    [
        threshold_row(
            T::Edits,
            "Q001",
            "edits",
            1,
            "edits of files and commits from which on an exploration changes things",
        ),
        threshold_row(
            T::Mutations,
            "Q001",
            "mutations",
            2,
            "other changing commands from which on an exploration changes things",
        ),
        threshold_row(
            T::Looks,
            "Q002",
            "looks",
            1,
            "calls of an act from which on it should have changed something",
        ),
        threshold_row(
            T::Points,
            "Q003",
            "points",
            10,
            "points of evidence: 16 a path, 20 a command, 5 an identifier or a rare number, 1 a word, 5 less for each episode between",
        ),
        threshold_row(
            T::NamesElsewhere,
            "Q004",
            "names_elsewhere",
            2,
            "names that an act takes from elsewhere before a dependency counts as unused",
        ),
        threshold_row(
            T::StrippedShare,
            "Q005",
            "stripped_share",
            300,
            "share of an exploration that is gone when its act opens, per mille",
        ),
        threshold_row(
            T::StrippedTokens,
            "Q005",
            "stripped_tokens",
            500,
            "size of what is gone of it, tokens",
        ),
        threshold_row(
            T::AgainTokens,
            "Q006",
            "again_tokens",
            200,
            "size of a result that is acquired again, tokens",
        ),
        threshold_row(
            T::MissingNames,
            "Q007",
            "missing_names",
            4,
            "names that later turns used after it had gone, and the description lacks",
        ),
        threshold_row(
            T::MissingShare,
            "Q007",
            "missing_share",
            700,
            "share of the used names that the description lacks, per mille",
        ),
        threshold_row(
            T::CoarseShare,
            "Q008",
            "coarse_share",
            500,
            "size of an episode that is too coarse, per mille of τ",
        ),
        threshold_row(
            T::FineTokens,
            "Q008",
            "fine_tokens",
            60,
            "size of a whole episode that is too fine, tokens",
        ),
        threshold_row(
            T::StretchTurns,
            "Q009",
            "stretch_turns",
            8,
            "length of a long stretch without annotation, turns",
        ),
        threshold_row(
            T::StretchShare,
            "Q009",
            "stretch_share",
            150,
            "size of a long stretch without annotation, per mille of τ",
        ),
        threshold_row(
            T::OpenTurns,
            "Q010",
            "open_turns",
            25,
            "length of an episode that was left open, turns",
        ),
        threshold_row(
            T::OpenShare,
            "Q010",
            "open_share",
            250,
            "size of an episode that was left open, per mille of τ",
        ),
        threshold_row(
            T::FilesBefore,
            "Q011",
            "files_before",
            2,
            "files of an episode before the human's words",
        ),
        threshold_row(T::FilesAfter, "Q011", "files_after", 1, "other files of the episode after them"),
        threshold_row(T::HumanBytes, "Q011", "human_bytes", 20, "length of the human's words, bytes"),
        threshold_row(
            T::NameChars,
            "Q012",
            "name_chars",
            3,
            "length of a name that says something, characters",
        ),
    ]
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thresholds([u32; Threshold::COUNT]);

impl Default for Thresholds {
    fn default() -> Self {
        Self(THRESHOLDS.map(|row| row.default))
    }
}

impl Thresholds {
    pub fn value(&self, threshold: Threshold) -> u64 {
        self.0[threshold as usize].into()
    }

    /// Sets a threshold by rule code and key; returns `false` if there is none.
    pub fn set_value(&mut self, code: &str, key: &str, value: u32) -> bool {
        let row = THRESHOLDS.iter().find(|row| row.code == code && row.key == key);
        row.map(|row| self.0[row.threshold as usize] = value).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rule;

    #[test]
    fn the_table_is_whole() {
        for (row, threshold) in THRESHOLDS.iter().zip(Threshold::VARIANTS) {
            assert_eq!(row.threshold, *threshold, "in the order of the enum");
            assert!(Rule::find(row.code).is_some(), "{}", row.code);
            assert_eq!(THRESHOLDS.iter().filter(|other| other.key == row.key).count(), 1, "{}", row.key);
        }
    }

    #[test]
    fn a_threshold_is_set_by_code_and_key() {
        let mut thresholds = Thresholds::default();
        assert!(thresholds.set_value("Q008", "coarse_share", 250));
        assert_eq!(thresholds.value(Threshold::CoarseShare), 250);
        assert!(!thresholds.set_value("Q001", "coarse_share", 1), "the key of another rule");
        assert!(!thresholds.set_value("Q999", "edits", 1));
    }
}
