//! Pictures as text: sparklines, DOT and Mermaid.

use std::fmt::Write;

use cwl_host::api::{AnnotationSource, EpisodeKind, EpisodeNode, GraphAnswer};
use petgraph::dot::{Config, Dot, RankDir};
use petgraph::graph::DiGraph;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws up to `width` bars. If several values share a bar, the largest counts.
pub(crate) fn draw_sparkline(values: &[u64], top: u64, width: usize) -> String {
    let n_bars = values.len().min(width.max(1));
    (0..n_bars)
        .map(|at| {
            let bucket = &values[at * values.len() / n_bars..(at + 1) * values.len() / n_bars];
            let value = bucket.iter().copied().max().unwrap_or(0).min(top);
            let height = u128::from(value) * (BARS.len() as u128 - 1);
            let height = (height * 2 + u128::from(top)) / (u128::from(top.max(1)) * 2);
            let height = usize::try_from(height).unwrap_or(0);
            BARS[height.min(BARS.len() - 1)]
        })
        .collect()
}

fn episode_shape(episode: &EpisodeNode) -> &'static str {
    match episode.kind {
        EpisodeKind::Action => "box",
        EpisodeKind::Exploratory => "ellipse",
        EpisodeKind::Unannotated => "plaintext",
    }
}

pub(crate) fn graph_as_dot(graph: &GraphAnswer) -> String {
    let mut picture: DiGraph<&EpisodeNode, ()> = DiGraph::new();
    let nodes: Vec<_> = graph.episodes.iter().map(|episode| picture.add_node(episode)).collect();
    for (from, to) in &graph.edges {
        if let (Some(from), Some(to)) = (nodes.get(*from as usize), nodes.get(*to as usize)) {
            picture.add_edge(*from, *to, ());
        }
    }
    let config = [Config::NodeNoLabel, Config::EdgeNoLabel, Config::RankDir(RankDir::LR)];
    let no_attributes = |_, _| String::new();
    let attributes = |_, (_, episode): (_, &&EpisodeNode)| {
        let label = format!("{}\\n{} tokens", dot_text(&episode.name), episode.tokens);
        let open = match (episode.source, episode.open) {
            (AnnotationSource::Inferred, _) => ", style=dotted",
            (_, true) => ", style=bold",
            (_, false) => "",
        };
        format!("label=\"{label}\", shape={}, fontname=\"sans-serif\"{open} ", episode_shape(episode))
    };
    let dot = Dot::with_attr_getters(&picture, &config, &no_attributes, &attributes);
    format!("{}{}", source_comment(graph, "//"), format!("{dot:?}").trim_end())
}

fn source_comment(graph: &GraphAnswer, comment: &str) -> String {
    match graph.from.source {
        AnnotationSource::Declared => String::new(),
        AnnotationSource::Inferred | AnnotationSource::Filled | AnnotationSource::Written => {
            format!("{comment} episodes {}\n", crate::out::one_line(&graph.from.says, 200))
        }
    }
}

fn dot_text(text: &str) -> String {
    crate::out::clean_text(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}

pub(crate) fn graph_as_mermaid(graph: &GraphAnswer) -> String {
    let mut text = format!("{}flowchart LR\n", source_comment(graph, "%%"));
    for (place, episode) in graph.episodes.iter().enumerate() {
        let label = format!("{}<br/>{} tokens", mermaid_text(&episode.name), episode.tokens);
        let (open, close) = match episode.kind {
            EpisodeKind::Action => ("[", "]"),
            EpisodeKind::Exploratory => ("([", "])"),
            EpisodeKind::Unannotated => (">", "]"),
        };
        push_line(&mut text, format_args!("  e{place}{open}\"{label}\"{close}"));
    }
    for (from, to) in &graph.edges {
        push_line(&mut text, format_args!("  e{from} --> e{to}"));
    }
    for (place, _) in of_inferred(graph) {
        push_line(&mut text, format_args!("  style e{place} stroke-dasharray: 2 3"));
    }
    text.truncate(text.trim_end().len());
    text
}

fn of_inferred(graph: &GraphAnswer) -> impl Iterator<Item = (usize, &EpisodeNode)> {
    let all = graph.episodes.iter().enumerate();
    all.filter(|(_, episode)| episode.source == AnnotationSource::Inferred)
}

/// Escapes everything but word characters, since names come from the agent.
fn mermaid_text(text: &str) -> String {
    let mut safe = String::new();
    for c in crate::out::clean_text(text).chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '~' | '/') {
            safe.push(c);
        } else {
            safe.push_str(&format!("#{};", u32::from(c)));
        }
    }
    safe
}

fn push_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("writing to a String cannot fail");
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines() {
        assert_eq!(draw_sparkline(&[0, 1, 4, 8], 8, 10), "▁▂▅█");
        assert_eq!(draw_sparkline(&[1, 8, 0, 0], 8, 2), "█▁");
        assert_eq!(draw_sparkline(&[], 8, 2), "");
        assert_eq!(draw_sparkline(&[5], 0, 2), "▁");
        assert_eq!(draw_sparkline(&[u64::MAX, 0], u64::MAX, 2), "█▁");
    }

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(dot_text("a\"b\\c\nd"), "a\\\"b\\\\c d");
        assert_eq!(mermaid_text("a\"];click"), "a#34;#93;#59;click");
    }
}
