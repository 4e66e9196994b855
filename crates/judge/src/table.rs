//! The weight table, as a source file for the engine.

use cwl_engine::{EdgeFeature, StartFeature, TurnFeature, Weights};
use strum::VariantArray;

pub(crate) fn rust(weights: &Weights, n_sessions: usize, n_readings: usize) -> String {
    let mut text = format!(
        "//! The fitted weights. `make fit` writes this file, from {n_readings} readings of {n_sessions} sessions.\n\n\
         use super::weight::Weights;\n\n\
         /// The weights by which sessions are divided, sixteenths; labels are none, an exploration, an act.\n\
         #[rustfmt::skip]\npub const WEIGHTS: Weights = Weights {{\n    start: [\n"
    );
    for (feature, row) in StartFeature::VARIANTS.iter().zip(&weights.start) {
        text += &format!("        {row:?}, // {}\n", feature.name());
    }
    text += "    ],\n    turn: [\n";
    for (feature, row) in TurnFeature::VARIANTS.iter().zip(&weights.turn) {
        text += &format!("        {row:?}, // {}\n", feature.name());
    }
    text += "    ],\n    after: [\n";
    for (before, row) in ["none", "expl", "act", "the start"].iter().zip(&weights.after) {
        text += &format!("        {row:?}, // behind {before}\n");
    }
    text += "    ],\n    lengths: [\n";
    for (label, row) in ["none", "expl", "act"].iter().zip(&weights.lengths) {
        text += &format!("        {row:?}, // {label}\n");
    }
    text += "    ],\n    contents: [\n";
    for (label, row) in ["none", "expl", "act"].iter().zip(&weights.contents) {
        text += &format!("        {row:?}, // {label}\n");
    }
    text += "    ],\n    edge: [\n";
    for (feature, weight) in EdgeFeature::VARIANTS.iter().zip(&weights.edge) {
        text += &format!("        {weight}, // {}\n", feature.name());
    }
    text += "    ],\n};\n";
    text
}
