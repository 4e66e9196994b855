//! `cwl reacquisitions`: prints what the agent read again after an eviction, with cause and remedy.

use cwl_host::api::{
    AnnotationSource, BlameClass, BlameEntry, Document, ReacquisitionCauseName, ReacquisitionStoriesAnswer,
    ReacquisitionStoryRow, StoryPlace, ViewRequest,
};
use cwl_host::{commands, count_noun, with_commas, write_dollars};
use owo_colors::Style;

use crate::args::{ReacquisitionsArgs, ReacquisitionsSort};
use crate::out::{Failure, Stdout, clean_text, one_line, paint_text, say_first};
use crate::progress::with_progress;
use crate::table;

/// Printed stories without `--limit`.
const PRINTED: usize = 20;
const BLAMED: usize = 5;
const NAME_CHARS: usize = 100;

pub(crate) fn run(args: &ReacquisitionsArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let about = commands::about(&opened, &view, source)?;
    let request = ViewRequest { view };
    let mut answer = with_progress("reading", |_| commands::reacquisition_stories(&opened, &request))?;
    say_first(answer.price.problems.iter().cloned(), " odd entries");
    match args.sort {
        ReacquisitionsSort::Cost => {}
        ReacquisitionsSort::Turn => answer.stories.sort_by_key(|story| story.again.turn),
        ReacquisitionsSort::Cause => {
            let causes = &answer.causes;
            answer.stories.sort_by_key(|story| causes.iter().position(|sum| sum.cause == story.cause));
        }
    }
    if args.json {
        answer.stories.truncate(args.limit.unwrap_or(usize::MAX));
        return out.write_json(&Document::new(answer).with_about(about));
    }
    print_stories(&answer, &about.policy, args.limit.unwrap_or(PRINTED), out)
}

fn print_stories(
    answer: &ReacquisitionStoriesAnswer,
    policy: &str,
    limit: usize,
    out: &mut Stdout,
) -> Result<(), Failure> {
    if answer.stories.is_empty() {
        return out.write_line(format!("nothing was read again after {policy} had evicted it"));
    }
    let times = if answer.n_stories == 1 { "time" } else { "times" };
    out.write_line(format!(
        "{} {times} the agent read again what {policy} had evicted: {}",
        with_commas(answer.n_stories.into()),
        write_whole(answer.tokens, answer.cost)
    ))?;
    if answer.from.source == AnnotationSource::Inferred {
        out.write_line(format!("the episodes are {}", answer.from.says))?;
    }
    out.write_line("")?;
    let mut sums = table::begin_table(&["likely cause", "#times", "#tokens"]);
    for sum in &answer.causes {
        sums.add_row([
            cause_title(sum.cause).to_owned(),
            with_commas(sum.n_stories.into()),
            with_commas(sum.tokens),
        ]);
    }
    table::print_table(&sums, out)?;
    print_blame(&answer.blame, out)?;
    for (number, story) in (1..).zip(answer.stories.iter().take(limit)) {
        print_story(number, story, out)?;
    }
    match (answer.n_stories as usize).saturating_sub(limit.min(answer.stories.len())) {
        0 => Ok(()),
        more => out.write_line(paint_text(
            format!("\n{} more; --limit prints them, --json has them all", with_commas(more as u64)),
            Style::new().dimmed(),
        )),
    }
}

fn print_blame(blame: &[BlameEntry], out: &mut Stdout) -> Result<(), Failure> {
    for of_class in blame.chunk_by(|one, other| one.class == other.class) {
        out.write_line("")?;
        let title = of_class.first().map_or("", |one| class_title(one.class));
        out.write_line(paint_text(title.to_owned(), Style::new().bold()))?;
        for one in of_class.iter().take(BLAMED) {
            out.write_line(format!("   {}", clean_text(&one.says)))?;
            if let Some(fix) = &one.fix {
                let what = if one.edits.is_empty() { "would help" } else { "fix" };
                out.write_line(format!("      {what}: {}", clean_text(fix)))?;
            }
        }
        if let more @ 1.. = of_class.len().saturating_sub(BLAMED) {
            let line = format!("   {} more; --json has them all", with_commas(more as u64));
            out.write_line(paint_text(line, Style::new().dimmed()))?;
        }
    }
    Ok(())
}

fn class_title(class: BlameClass) -> &'static str {
    match class {
        BlameClass::Mendable => "marks that can be mended",
        BlameClass::Reader => "marks that a reader must mend",
        BlameClass::NoMark => "no mark is to blame",
        BlameClass::Changed => "the content had changed",
    }
}

fn print_story(number: usize, story: &ReacquisitionStoryRow, out: &mut Stdout) -> Result<(), Failure> {
    let head = format!("{number}. {}", one_line(&story.name, NAME_CHARS));
    out.write_line("")?;
    out.write_line(format!(
        "{}  {}",
        paint_text(head, Style::new().bold()),
        count_noun(story.tokens, "token")
    ))?;
    let mut row = |what: &str, said: &str| {
        let what = paint_text(format!("{what:<12}"), Style::new().dimmed());
        out.write_line(format!("   {what}{}", clean_text(said)))
    };
    row("first", &describe_place(&story.first))?;
    let step = story.gone.step.map_or(String::new(), |step| format!(", step {}", with_commas(step.into())));
    let turn = with_commas(story.gone.turn.into());
    row("evicted", &format!("before turn {turn}{step}: {}", story.gone_says))?;
    row("read again", &describe_place(&story.again))?;
    row("why", &story.says)?;
    for evidence in &story.evidence {
        row("", evidence)?;
    }
    row("would help", &story.advice)
}

fn describe_place(place: &StoryPlace) -> String {
    let episode = place.episode_name.as_deref().map_or(String::new(), |name| format!(", in {name}"));
    format!("turn {}{episode} (line {})", with_commas(place.turn.into()), with_commas(place.line))
}

fn write_whole(tokens: u64, cost: Option<u64>) -> String {
    let cost = cost.map_or(String::new(), |cost| format!(", {} to send once", write_dollars(cost)));
    format!("{}{cost}", count_noun(tokens, "token"))
}

fn cause_title(cause: ReacquisitionCauseName) -> &'static str {
    match cause {
        ReacquisitionCauseName::Changed => "no mark's fault: it had changed",
        ReacquisitionCauseName::Policy => "the policy does not go by marks",
        ReacquisitionCauseName::TooSmall => "τ too small for the working set",
        ReacquisitionCauseName::Unmarked => "not marked",
        ReacquisitionCauseName::Undeclared => "dependency not declared",
        ReacquisitionCauseName::WrongKind => "episode of the wrong kind",
        ReacquisitionCauseName::ClosedEarly => "closed too early",
        ReacquisitionCauseName::ReadInAct => "read in an act",
        ReacquisitionCauseName::ThinDescription => "thin description",
        ReacquisitionCauseName::InDescription => "the description says it",
        ReacquisitionCauseName::StrippedBefore => "stripped before it was needed",
        ReacquisitionCauseName::NeededByExploration => "needed by an exploration",
    }
}
