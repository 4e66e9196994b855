//! An annotation's quality figures in words, each with its components.

use cwl_engine::{
    AnnotationFigures, AnnotationSource, EarlyEviction, EdgeFigures, LateRetention, MarkingCost,
};

use crate::api::{FigurePart, FigureUnit, QualityFigure};
use crate::figures::{count_noun, with_commas};

const OF_INFERENCE: &str =
    "the episodes are inferred by this program: these figures judge the inference, not the agent";

pub fn figures_note(source: AnnotationSource) -> Option<String> {
    match source {
        AnnotationSource::Inferred => Some(OF_INFERENCE.to_owned()),
        AnnotationSource::Filled => Some(
            "in the stretches between the agent's own episodes this program inferred others: there these figures judge the inference"
                .to_owned(),
        ),
        AnnotationSource::Written => Some("the episodes were marked afterwards, not by the agent".to_owned()),
        AnnotationSource::Declared => None,
    }
}

pub fn figures_of(of: &AnnotationFigures, policy: &str) -> Vec<QualityFigure> {
    if of.n_episodes == 0 {
        return Vec::new();
    }
    let mut all = vec![sound_figure(of), breaches_figure(of)];
    all.extend(edge_figures(of.edges));
    all.extend(of.spent.map(spent_figure));
    all.push(early_figure(of.early, policy));
    all.push(late_figure(of.late));
    all
}

fn sound_figure(of: &AnnotationFigures) -> QualityFigure {
    let AnnotationFigures { n_episodes, n_sound, n_stretches, sound, doubtful, unmarked, .. } = *of;
    let says = format!(
        "{} of {} tokens stand in the {} that no warning speaks against; {} in {} with a warning, {} in {} without an episode",
        with_commas(sound),
        with_commas(sound + doubtful + unmarked),
        count_noun(n_sound, "episode"),
        with_commas(doubtful),
        count_noun(n_episodes - n_sound, "episode"),
        with_commas(unmarked),
        count_noun(n_stretches, "stretch"),
    );
    make_figure(
        "sound",
        "under sound annotation",
        write_share(of.sound_share()),
        says,
        &[
            ("sound", sound, FigureUnit::Tokens),
            ("doubtful", doubtful, FigureUnit::Tokens),
            ("unmarked", unmarked, FigureUnit::Tokens),
            ("episodes", n_episodes.into(), FigureUnit::Count),
            ("sound_episodes", n_sound.into(), FigureUnit::Count),
            ("stretches", n_stretches.into(), FigureUnit::Count),
        ],
    )
}

fn breaches_figure(of: &AnnotationFigures) -> QualityFigure {
    let AnnotationFigures { n_episodes, n_breaches, .. } = *of;
    let value = of.breaches_per_hundred().map_or("–".to_owned(), write_tenths);
    let says = format!(
        "{} of the protocol in {}",
        count_noun(n_breaches, "breach"),
        count_noun(n_episodes, "episode")
    );
    make_figure(
        "breaches",
        "breaches per 100 episodes",
        value,
        says,
        &[
            ("breaches", n_breaches.into(), FigureUnit::Count),
            ("episodes", n_episodes.into(), FigureUnit::Count),
        ],
    )
}

fn edge_figures(of: EdgeFigures) -> [QualityFigure; 2] {
    let EdgeFigures { used, unused, untold, forgotten } = of;
    let parts = [
        ("used", used.into(), FigureUnit::Count),
        ("unused", unused.into(), FigureUnit::Count),
        ("untold", untold.into(), FigureUnit::Count),
        ("forgotten", forgotten.into(), FigureUnit::Count),
    ];
    let named = match untold {
        0 => String::new(),
        n => format!("; {} more cannot be judged", with_commas(n.into())),
    };
    let precise = format!(
        "acts use {} of the {} that they name{named}",
        with_commas(used.into()),
        count_noun(used + unused, "dependency"),
    );
    let complete = format!(
        "acts name {} of the {} that they use; {} are forgotten",
        with_commas(used.into()),
        count_noun(used + forgotten, "dependency"),
        with_commas(forgotten.into())
    );
    [
        make_figure("precision", "dependencies: precision", write_share(of.precision()), precise, &parts),
        make_figure("recall", "dependencies: recall", write_share(of.recall()), complete, &parts),
    ]
}

fn spent_figure(of: MarkingCost) -> QualityFigure {
    let MarkingCost { n_calls, calls, results, of } = of;
    let says = format!(
        "{} of {} tokens, and {} tokens of results, of {} tokens in all",
        count_noun(n_calls, "mark"),
        with_commas(calls),
        with_commas(results),
        with_commas(of)
    );
    make_figure(
        "spent",
        "tokens spent on annotating",
        with_commas(calls + results),
        says,
        &[
            ("calls", calls, FigureUnit::Tokens),
            ("results", results, FigureUnit::Tokens),
            ("of", of, FigureUnit::Tokens),
            ("marks", n_calls.into(), FigureUnit::Count),
        ],
    )
}

fn early_figure(of: EarlyEviction, policy: &str) -> QualityFigure {
    let EarlyEviction { n, tokens, n_changed } = of;
    let changed = match n_changed {
        0 => String::new(),
        n => format!("; {} more had changed meanwhile", with_commas(n.into())),
    };
    let says = format!("{} read again after {policy} had evicted it{changed}", count_noun(n, "thing"));
    make_figure(
        "early",
        "tokens evicted too early",
        with_commas(tokens),
        says,
        &[
            ("tokens", tokens, FigureUnit::Tokens),
            ("times", n.into(), FigureUnit::Count),
            ("changed", n_changed.into(), FigureUnit::Count),
        ],
    )
}

fn late_figure(of: LateRetention) -> QualityFigure {
    let LateRetention { unused, open } = of;
    let says = format!(
        "{} tokens are kept for acts that use nothing of them, {} by episodes that were left open",
        with_commas(unused),
        with_commas(open)
    );
    make_figure(
        "late",
        "tokens kept too long",
        with_commas(unused + open),
        says,
        &[("unused", unused, FigureUnit::Tokens), ("open", open, FigureUnit::Tokens)],
    )
}

fn make_figure(
    name: &str,
    title: &str,
    value: String,
    says: String,
    parts: &[(&str, u64, FigureUnit)],
) -> QualityFigure {
    let part = |(name, n, unit): &(&str, u64, FigureUnit)| FigurePart {
        name: (*name).to_owned(),
        n: *n,
        unit: *unit,
    };
    QualityFigure {
        name: name.to_owned(),
        title: title.to_owned(),
        value,
        says,
        parts: parts.iter().map(part).collect(),
    }
}

fn write_tenths(tenths: u32) -> String {
    format!("{}.{}", with_commas((tenths / 10).into()), tenths % 10)
}

fn write_share(per_mille: Option<u32>) -> String {
    per_mille.map_or("–".to_owned(), |per_mille| format!("{} %", write_tenths(per_mille)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_its_parts() {
        let of = AnnotationFigures {
            n_episodes: 4,
            n_sound: 3,
            n_stretches: 1,
            sound: 600,
            doubtful: 300,
            unmarked: 100,
            n_breaches: 1,
            edges: EdgeFigures { used: 3, unused: 1, untold: 1, forgotten: 2 },
            spent: Some(MarkingCost { n_calls: 8, calls: 80, results: 20, of: 1000 }),
            early: EarlyEviction { n: 1, tokens: 50, n_changed: 2 },
            late: LateRetention { unused: 10, open: 0 },
        };
        let told: Vec<(String, String)> =
            figures_of(&of, "cwl").into_iter().map(|one| (one.value, one.says)).collect();
        let expected = [
            (
                "60.0 %",
                "600 of 1,000 tokens stand in the 3 episodes that no warning speaks against; 300 in 1 episode with a \
                 warning, 100 in 1 stretch without an episode",
            ),
            ("25.0", "1 breach of the protocol in 4 episodes"),
            ("75.0 %", "acts use 3 of the 4 dependencies that they name; 1 more cannot be judged"),
            ("60.0 %", "acts name 3 of the 5 dependencies that they use; 2 are forgotten"),
            ("100", "8 marks of 80 tokens, and 20 tokens of results, of 1,000 tokens in all"),
            ("50", "1 thing read again after cwl had evicted it; 2 more had changed meanwhile"),
            ("10", "10 tokens are kept for acts that use nothing of them, 0 by episodes that were left open"),
        ];
        let expected: Vec<(String, String)> =
            expected.iter().map(|(value, says)| ((*value).to_owned(), (*says).to_owned())).collect();
        assert_eq!(told, expected);
        assert!(figures_of(&AnnotationFigures::default(), "cwl").is_empty());
        assert!(
            figures_of(&AnnotationFigures { spent: None, ..of }, "cwl").iter().all(|one| one.name != "spent")
        );
    }
}
