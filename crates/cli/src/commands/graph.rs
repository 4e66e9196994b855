//! `cwl graph`: prints episodes and edges.

use cwl_api::commands;
use cwl_api::dto::{AnnotationSourceDto, DocumentDto, GraphDto, ViewRequest};
use cwl_api::grouped;

use super::unmarked;
use crate::args::GraphArgs;
use crate::out::{Failure, Out, clean};
use crate::{picture, table};

pub(crate) fn run(args: &GraphArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    args.view.annotation.say(&opened, &view)?;
    let request = ViewRequest { session: 0, view };
    let graph = commands::graph(&opened, &request)?;
    if args.json {
        out.json(&DocumentDto::new(graph).about(commands::about(&opened, &request.view)?))
    } else if args.dot {
        out.line(picture::dot(&graph))
    } else if args.mermaid {
        out.line(picture::mermaid(&graph))
    } else if graph.episodes.is_empty() {
        unmarked::instead_of_a_graph(&opened, &request, &graph, out)
    } else {
        text(&graph, out)
    }
}

fn text(graph: &GraphDto, out: &mut Out) -> Result<(), Failure> {
    let is_declared = graph.from.source == AnnotationSourceDto::Declared;
    let is_inferred = graph.from.source == AnnotationSourceDto::Inferred;
    let mut heads = vec!["#", "episode", "type", "turns", "#tokens", "draws on"];
    if is_declared {
        heads.push("problems");
    } else {
        out.line(format!("episodes {}", clean(&graph.from.says)))?;
        heads.push("lines");
    }
    if is_inferred {
        heads.push("why it begins there");
    }
    let mut table = table::begin(&heads);
    for (place, episode) in graph.episodes.iter().enumerate() {
        let draws_on: Vec<String> = graph
            .edges
            .iter()
            .filter(|(_, to)| *to as usize == place)
            .filter_map(|(from, _)| graph.episodes.get(*from as usize))
            .map(|from| clean(&from.name))
            .collect();
        let last = if episode.open { "open".to_owned() } else { episode.last_turn.to_string() };
        let mut row = vec![
            place.to_string(),
            clean(&episode.name),
            episode.kind.to_string(),
            format!("{}–{last}", episode.first_turn),
            grouped(episode.tokens),
            draws_on.join(", "),
        ];
        row.push(match (is_declared, episode.problems.len()) {
            (false, _) => format!("{}–{}", episode.line, episode.last_line),
            (true, 0) => String::new(),
            (true, n) => n.to_string(),
        });
        if is_inferred {
            row.push(episode.evidence.as_deref().map(clean).unwrap_or_default());
        }
        table.add_row(row);
    }
    table::print(&table, out)
}
