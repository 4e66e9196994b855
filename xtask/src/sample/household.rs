//! Feeds that the invented household reads, and documents made from them.

use serde_json::json;

use super::clock::iso;
use super::puts::{put, put_line};
use super::rng::Rng;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    Code,
    Sea,
    Town,
    Home,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feed {
    pub(crate) id: u32,
    pub(crate) theme: Theme,
    pub(crate) host: &'static str,
    pub(crate) path: &'static str,
    pub(crate) title: &'static str,
}

impl Feed {
    const fn new(id: u32, theme: Theme, host: &'static str, path: &'static str, title: &'static str) -> Self {
        Self { id, theme, host, path, title }
    }
}

pub(crate) const FEEDS: [Feed; 36] = [
    Feed::new(3, Theme::Sea, "harbour.example.org", "/feed.xml", "Harbour Radio"),
    Feed::new(8, Theme::Sea, "notes.example.org", "/feed.atom", "Estuary notes"),
    Feed::new(87, Theme::Home, "slowbread.example.com", "/rss", "Slow bread"),
    Feed::new(14, Theme::Code, "kernel-digest.example.net", "/atom.xml", "Kernel digest"),
    Feed::new(12, Theme::Town, "city-council.example.org", "/news.rss", "City council: minutes"),
    Feed::new(199, Theme::Code, "papers.example.edu", "/recent.atom", "Recent papers: storage"),
    Feed::new(19, Theme::Sea, "lighthouse.example.org", "/blog/index.xml", "Lighthouse keepers"),
    Feed::new(71, Theme::Home, "gardening.example.com", "/feed/", "Allotment 12b"),
    Feed::new(24, Theme::Code, "compilers.example.net", "/feed.json", "Notes on compilers"),
    Feed::new(41, Theme::Town, "trains.example.org", "/delays.rss", "Regional trains: delays"),
    Feed::new(46, Theme::Sea, "maps.example.net", "/changes.atom", "Map changes nearby"),
    Feed::new(52, Theme::Home, "podcasts.example.com", "/longwave/rss", "Longwave"),
    Feed::new(55, Theme::Home, "typography.example.org", "/feed", "Small caps"),
    Feed::new(166, Theme::Sea, "weather.example.org", "/warnings.xml", "Weather warnings"),
    Feed::new(58, Theme::Sea, "museum.example.edu", "/exhibitions.rss", "Maritime museum"),
    Feed::new(63, Theme::Code, "databases.example.net", "/index.xml", "Pages and trees"),
    Feed::new(77, Theme::Home, "bicycles.example.com", "/rss.xml", "Winter cycling"),
    Feed::new(82, Theme::Town, "library.example.org", "/new.atom", "Library: new books"),
    Feed::new(91, Theme::Code, "security.example.net", "/advisories.rss", "Advisories"),
    Feed::new(95, Theme::Home, "comics.example.com", "/feed.xml", "Two gulls"),
    Feed::new(118, Theme::Town, "school.example.org", "/letters.rss", "School: letters home"),
    Feed::new(121, Theme::Town, "radio.example.net", "/schedule.json", "Schedule, channel 3"),
    Feed::new(127, Theme::Home, "woodwork.example.com", "/atom", "Dovetails"),
    Feed::new(133, Theme::Code, "rust-weekly.example.org", "/rss.xml", "A week of Rust"),
    Feed::new(190, Theme::Town, "choir.example.org", "/rehearsals.ics.rss", "Choir rehearsals"),
    Feed::new(139, Theme::Sea, "birds.example.net", "/sightings.atom", "Sightings, north shore"),
    Feed::new(144, Theme::Home, "recipes.example.com", "/feed?format=rss", "Weeknight recipes"),
    Feed::new(149, Theme::Town, "economy.example.edu", "/working-papers.xml", "Working papers"),
    Feed::new(153, Theme::Home, "games.example.net", "/releases.rss", "Board game releases"),
    Feed::new(158, Theme::Home, "fonts.example.com", "/log.atom", "Foundry log"),
    Feed::new(102, Theme::Town, "clinic.example.org", "/notices.rss", "Clinic notices"),
    Feed::new(171, Theme::Home, "sewing.example.com", "/patterns.xml", "Patterns"),
    Feed::new(177, Theme::Sea, "telescope.example.edu", "/tonight.atom", "Tonight's sky"),
    Feed::new(183, Theme::Town, "ferries.example.org", "/timetable.rss", "Ferry timetable"),
    Feed::new(187, Theme::Home, "translations.example.net", "/feed", "Words without borders of maps"),
    Feed::new(205, Theme::Code, "status.example.com", "/history.atom", "Hosting status"),
];

const CODE: [&str; 11] = [
    "Release {day}.2: smaller indexes, same queries",
    "Write-ahead logs, drawn by hand",
    "Closing the loop on register allocation",
    "Advisory {n}: path traversal in an archive tool",
    "Notes from the workshop on page caches",
    "How we moved {n} rows without a lock",
    "On naming things that are almost the same",
    "Incident review: elevated error rates on {day} February",
    "Trait objects and the price of a pointer",
    "A queue that forgets politely, part {day}",
    "Backpressure for beginners",
];

const SEA: [&str; 10] = [
    "What the dredging report leaves out",
    "{day} kinds of fog",
    "First lapwings on the north shore",
    "What a tide table can not tell you",
    "Episode {day}: Ground swell",
    "Jupiter and four moons before midnight",
    "Über die Kunst, Nebel zu zeichnen",
    "La marée et la lune",
    "Gulls, again",
    "The map had it wrong for {day} years",
];

const TOWN: [&str; 9] = [
    "Minutes of the meeting of {day} February",
    "Why the {day}:40 is always late",
    "New in the reading room this month",
    "The ferry will not run on {day} March",
    "Rehearsal moved to the small hall on {day} March",
    "Letter to parents: spring excursion",
    "Working paper {n}: harbour dues and trade",
    "Planned maintenance on {day} March",
    "Road works on the quay until {day} April",
];

const HOME: [&str; 10] = [
    "A sourdough that survives a cold kitchen",
    "Repairing a hub gear at minus {day}",
    "A short history of the semicolon",
    "Café culture on the quay",
    "Pattern {n}: a sailor's smock",
    "Cutting a dovetail without a template",
    "Lentils, {day} ways",
    "Two thumbs: {day} small games",
    "Kerning the numerals",
    "Measuring jitter with a kitchen timer",
];

pub(crate) fn headline(feed: &Feed, rng: &mut Rng) -> String {
    let day = rng.between(2, 29).to_string();
    let number = rng.between(112, 9_800).to_string();
    let titles: &[&str] = match feed.theme {
        Theme::Code => &CODE,
        Theme::Sea => &SEA,
        Theme::Town => &TOWN,
        Theme::Home => &HOME,
    };
    rng.pick(titles).replace("{day}", &day).replace("{n}", &number)
}

pub(crate) fn slug(title: &str) -> String {
    let words = title.to_lowercase();
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.take(5).collect::<Vec<_>>().join("-")
}

fn sentence(rng: &mut Rng) -> &'static str {
    const SENTENCES: [&str; 10] = [
        "The short version is in the second table; the long version took a winter.",
        "Nobody had looked at the gauge since it was moved to the other pier.",
        "We kept the old path for a week and compared both, row by row.",
        "If you only read one section, read the one about what went wrong.",
        "There is a photograph, and it explains more than the next four paragraphs.",
        "It turns out that the two clocks were never meant to agree.",
        "Bring boots, a torch and patience.",
        "The numbers are from one machine, on one evening, with the heating on.",
        "Readers wrote in with three better ways, all of them shorter.",
        "This is a correction to last week's note, which had the sign reversed.",
    ];
    rng.pick::<&'static str>(&SENTENCES)
}

pub(crate) fn entries_json(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let first = rng.between(48_000, 61_000);
    let entries: Vec<serde_json::Value> = (0..count)
        .map(|row| {
            let feed = rng.pick(&FEEDS);
            let title = headline(feed, rng);
            json!({
                "id": first - row,
                "feed_id": feed.id,
                "title": title,
                "link": format!("https://{}/{}", feed.host, slug(&title)),
                "author": null,
                "published_at": iso(at_ms - (row as i64 * 37 + 5) * 60_000),
                "summary": format!("<p>{} {}</p>", sentence(rng), sentence(rng)),
                "content": null,
                "read": rng.chance(400),
                "starred": rng.chance(60),
            })
        })
        .collect();
    format!("{:#}", json!({ "entries": entries, "next": first - count }))
}

pub(crate) fn rss_document(host: &str, count: u64, rng: &mut Rng) -> String {
    let feed = FEEDS.iter().find(|feed| feed.host == host).unwrap_or(&FEEDS[0]);
    let title = feed.title;
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n  <channel>\n    <title>{title}</title>\n    <link>https://{host}/</link>\n"
    );
    for row in 0..count {
        let title = headline(feed, rng);
        let slug = slug(&title);
        let campaign = rng.between(100, 999);
        put!(
            out,
            "    <item>\n      <title>{title}</title>\n      <guid isPermaLink=\"true\">https://{host}/{slug}?utm_source=rss&amp;utm_campaign=c{campaign}</guid>\n      <link>https://{host}/{slug}?utm_source=rss&amp;utm_campaign=c{campaign}</link>\n      <pubDate>{:02} Feb 2026 06:{:02}:00 GMT</pubDate>\n      <description>{} {}</description>\n    </item>\n",
            27_u64.saturating_sub(row).max(1),
            rng.between(0, 60),
            sentence(rng),
            sentence(rng)
        );
    }
    out.push_str("  </channel>\n</rss>");
    out
}

pub(crate) fn opml_document(count: u64) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<opml version=\"1.1\">\n  <head><title>Abonnements de la maison</title></head>\n  <body>\n    <outline text=\"Maison\">\n      <outline text=\"Mer et marées\">\n",
    );
    for row in 0..count {
        let Feed { host, path, title, .. } = FEEDS[row as usize * 11 % FEEDS.len()];
        if row > 0 && row % 6 == 0 {
            let name = ["Atelier", "Quartier", "Lecture", "École", "Divers"][row as usize / 6 % 5];
            put_line!(out, "      </outline>\n      <outline text=\"{name}\">");
        }
        put_line!(
            out,
            "        <outline type=\"rss\" text=\"{title}\" xmlUrl=\"https://{host}{path}\" htmlUrl=\"https://{host}/\"/>"
        );
    }
    out.push_str("      </outline>\n    </outline>\n  </body>\n</opml>");
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hosts_are_reserved_names() {
        let reserved = [".example.org", ".example.com", ".example.net", ".example.edu"];
        for feed in FEEDS {
            assert!(reserved.iter().any(|end| feed.host.ends_with(end)), "{}", feed.host);
        }
    }

    #[test]
    fn json_parses_back() {
        let text = entries_json(5, 1_772_440_000_000, &mut Rng::new(5));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["entries"].as_array().unwrap().len(), 5);
    }
}
