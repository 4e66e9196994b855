//! `cwl graph`: prints episodes and edges.

use cwl_api::commands;
use cwl_api::dto::{DocumentDto, GraphDto, ViewRequest};
use cwl_api::grouped;

use super::unmarked;
use crate::args::GraphArgs;
use crate::out::{Failure, Out, clean};
use crate::{picture, table};

pub(crate) fn run(args: &GraphArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    let request = ViewRequest { session: 0, view };
    let graph = commands::graph(&opened, &request)?;
    if args.json {
        out.json(&DocumentDto::new(graph).about(commands::about(&opened, &request.view)?))
    } else if args.dot {
        out.line(picture::dot(&graph))
    } else if args.mermaid {
        out.line(picture::mermaid(&graph))
    } else if graph.episodes.is_empty() {
        unmarked::instead_of_a_graph(&opened, &request, out)
    } else {
        text(&graph, out)
    }
}

fn text(graph: &GraphDto, out: &mut Out) -> Result<(), Failure> {
    let mut table = table::begin(&["#", "episode", "type", "turns", "#tokens", "draws on", "problems"]);
    for (place, episode) in graph.episodes.iter().enumerate() {
        let draws_on: Vec<String> = graph
            .edges
            .iter()
            .filter(|(_, to)| *to as usize == place)
            .filter_map(|(from, _)| graph.episodes.get(*from as usize))
            .map(|from| clean(&from.name))
            .collect();
        let last = if episode.open { "open".to_owned() } else { episode.last_turn.to_string() };
        table.add_row([
            place.to_string(),
            clean(&episode.name),
            episode.kind.to_string(),
            format!("{}–{last}", episode.first_turn),
            grouped(episode.tokens),
            draws_on.join(", "),
            if episode.problems.is_empty() { String::new() } else { episode.problems.len().to_string() },
        ]);
    }
    table::print(&table, out)
}
