//! `cwl graph`: prints episodes and edges.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cwl_host::api::{AnnotationSource, Document, GraphAnswer, ViewRequest};
use cwl_host::commands;
use cwl_host::with_commas;

use super::unmarked;
use crate::args::{GraphArgs, GraphSort};
use crate::out::{Failure, Stdout, clean_text, keep_first};
use crate::{picture, table};

pub(crate) fn run(args: &GraphArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let request = ViewRequest { view };
    let graph = commands::graph(&opened, &request)?;
    if args.json {
        out.write_json(&Document::new(graph).with_about(commands::about(&opened, &request.view, source)?))
    } else if args.dot {
        out.write_line(picture::graph_as_dot(&graph))
    } else if args.mermaid {
        out.write_line(picture::graph_as_mermaid(&graph))
    } else if graph.episodes.is_empty() {
        unmarked::instead_of_a_graph(&opened, &request, &graph, out)
    } else {
        print_graph(&graph, &listed_episodes(&graph, args), out)
    }
}

/// Places in `graph.episodes`, in display order.
fn listed_episodes(graph: &GraphAnswer, args: &GraphArgs) -> Vec<usize> {
    let mut places: Vec<usize> = (0..graph.episodes.len()).collect();
    match args.sort {
        GraphSort::Turn => {}
        GraphSort::Tokens => places.sort_by_key(|place| Reverse(graph.episodes[*place].tokens)),
        GraphSort::Name => {
            places.sort_by(|one, other| graph.episodes[*one].name.cmp(&graph.episodes[*other].name));
        }
    }
    keep_first(&mut places, args.limit);
    places
}

fn print_graph(graph: &GraphAnswer, listed: &[usize], out: &mut Stdout) -> Result<(), Failure> {
    let is_declared = graph.from.source == AnnotationSource::Declared;
    let is_inferred = graph.from.source == AnnotationSource::Inferred;
    let mut heads = vec!["#", "episode", "type", "turns", "#tokens", "draws on"];
    if is_declared {
        heads.push("problems");
    } else {
        out.write_line(format!("episodes {}", clean_text(&graph.from.says)))?;
        heads.push("lines");
    }
    if is_inferred {
        heads.push("why it begins there");
    }
    let mut drawn_on: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (from, to) in &graph.edges {
        let from = graph.episodes.get(*from as usize).map(|from| clean_text(&from.name));
        drawn_on.entry(*to as usize).or_default().extend(from);
    }
    let mut table = table::begin_table(&heads);
    for (place, episode) in listed.iter().filter_map(|place| Some((*place, graph.episodes.get(*place)?))) {
        let draws_on = drawn_on.remove(&place).unwrap_or_default();
        let last = if episode.open { "open".to_owned() } else { episode.last_turn.to_string() };
        let mut row = vec![
            place.to_string(),
            clean_text(&episode.name),
            episode.kind.to_string(),
            format!("{}–{last}", episode.first_turn),
            with_commas(episode.tokens),
            draws_on.join(", "),
        ];
        row.push(match (is_declared, episode.problems.len()) {
            (false, _) => format!("{}–{}", episode.line, episode.last_line),
            (true, 0) => String::new(),
            (true, n) => n.to_string(),
        });
        if is_inferred {
            row.push(episode.evidence.as_deref().map(clean_text).unwrap_or_default());
        }
        table.add_row(row);
    }
    table::print_table(&table, out)
}
