//! Factors between counted and reported tokens, fitted once and shared by all revisions.

use crate::recent::LruCache;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FittedFactor {
    /// Tokens of the provider for each of the tokenizer's.
    pub factor: f64,
    /// The turn after which `factor` was fitted; `None` if too few requests report usage, or their sizes do not follow it.
    pub since: Option<usize>,
    pub replaced: Option<f64>,
}

/// Factors by the hash of all requests that they were fitted to.
pub type KnownFits = LruCache<u64, FittedFactor>;

pub(crate) const FITS_KEPT: usize = 16;
