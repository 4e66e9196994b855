//! `cwl regrets`: prints what the agent got again after the policy had evicted it, with its cause and what would have
//! helped.

use cwl_api::dto::{
    AnnotationSourceDto, DocumentDto, RegretCauseDto, RegretStoriesDto, RegretStoryDto, StoryPlaceDto,
    ViewRequest,
};
use cwl_api::{commands, counted, dollars, grouped};
use owo_colors::Style;

use crate::args::{RegretsArgs, RegretsSort};
use crate::out::{Failure, Out, clean, one_line, paint, say_first};
use crate::progress::during;
use crate::table;

/// How many stories are printed without `--limit`.
const PRINTED: usize = 20;
/// The most characters of a name in a headline.
const NAME_CHARS: usize = 100;

pub(crate) fn run(args: &RegretsArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    let (view, source) = args.view.said(view, &opened);
    args.view.annotation.say(&opened, &view)?;
    let about = commands::about(&opened, &view, source)?;
    let request = ViewRequest { session: 0, view };
    let mut told = during("reading", |_| commands::regret_stories(&opened, &request))?;
    say_first(told.price.problems.iter().cloned(), " odd entries");
    match args.sort {
        RegretsSort::Cost => {}
        RegretsSort::Turn => told.stories.sort_by_key(|story| story.again.turn),
        RegretsSort::Cause => {
            let causes = &told.causes;
            told.stories.sort_by_key(|story| causes.iter().position(|sum| sum.cause == story.cause));
        }
    }
    if args.json {
        told.stories.truncate(args.limit.unwrap_or(usize::MAX));
        return out.json(&DocumentDto::new(told).about(about));
    }
    text(&told, &about.policy, args.limit.unwrap_or(PRINTED), out)
}

fn text(told: &RegretStoriesDto, policy: &str, limit: usize, out: &mut Out) -> Result<(), Failure> {
    if told.stories.is_empty() {
        return out.line(format!("nothing was got again after {policy} had evicted it"));
    }
    let times = if told.n_stories == 1 { "time" } else { "times" };
    out.line(format!(
        "{} {times} the agent got again what {policy} had evicted: {}",
        grouped(told.n_stories.into()),
        whole(told.tokens, told.cost)
    ))?;
    if told.from.source == AnnotationSourceDto::Inferred {
        out.line(format!("the episodes are {}", told.from.says))?;
    }
    out.line("")?;
    let mut sums = table::begin(&["likely cause", "#times", "#tokens"]);
    for sum in &told.causes {
        sums.add_row([title(sum.cause).to_owned(), grouped(sum.n_stories.into()), grouped(sum.tokens)]);
    }
    table::print(&sums, out)?;
    for (number, story) in (1..).zip(told.stories.iter().take(limit)) {
        one(number, story, out)?;
    }
    match (told.n_stories as usize).saturating_sub(limit.min(told.stories.len())) {
        0 => Ok(()),
        more => out.line(paint(
            format!("\n{} more; --limit prints them, --json has them all", grouped(more as u64)),
            Style::new().dimmed(),
        )),
    }
}

fn one(number: usize, story: &RegretStoryDto, out: &mut Out) -> Result<(), Failure> {
    let head = format!("{number}. {}", one_line(&story.name, NAME_CHARS));
    out.line("")?;
    out.line(format!("{}  {}", paint(head, Style::new().bold()), counted(story.tokens, "token")))?;
    let mut row = |what: &str, said: &str| {
        let what = paint(format!("{what:<12}"), Style::new().dimmed());
        out.line(format!("   {what}{}", clean(said)))
    };
    row("first", &place(&story.first))?;
    let step = story.gone.step.map_or(String::new(), |step| format!(", step {}", grouped(step.into())));
    let turn = grouped(story.gone.turn.into());
    row("evicted", &format!("before turn {turn}{step}: {}", story.gone_says))?;
    row("read again", &place(&story.again))?;
    row("why", &story.says)?;
    for evidence in &story.evidence {
        row("", evidence)?;
    }
    row("would help", &story.advice)
}

fn place(place: &StoryPlaceDto) -> String {
    let episode = place.episode_name.as_deref().map_or(String::new(), |name| format!(", in {name}"));
    format!("turn {}{episode} (line {})", grouped(place.turn.into()), grouped(place.line))
}

fn whole(tokens: u64, cost: Option<u64>) -> String {
    let cost = cost.map_or(String::new(), |cost| format!(", {} to send once", dollars(cost)));
    format!("{}{cost}", counted(tokens, "token"))
}

/// Returns a cause in a few words.
fn title(cause: RegretCauseDto) -> &'static str {
    match cause {
        RegretCauseDto::Changed => "no mark's fault: it had changed",
        RegretCauseDto::Policy => "the policy does not go by marks",
        RegretCauseDto::TooSmall => "τ too small for the working set",
        RegretCauseDto::Unmarked => "not marked",
        RegretCauseDto::Undeclared => "dependency not declared",
        RegretCauseDto::WrongKind => "episode of the wrong kind",
        RegretCauseDto::ClosedEarly => "closed too early",
        RegretCauseDto::ReadInAct => "read in an act",
        RegretCauseDto::ThinDescription => "thin description",
        RegretCauseDto::StrippedBefore => "stripped before it was needed",
        RegretCauseDto::NeededByExploration => "needed by an exploration",
    }
}
