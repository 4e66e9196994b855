//! Long outputs of the running service: logs, tables, JSON and feed documents.

use anyhow::{Result, bail};
use serde_json::json;

use super::clock::iso;
use super::puts::{put, put_line};
use super::rng::Rng;

/// `(host, path, title)` of the feeds in the household's list.
const FEEDS: [(&str, &str, &str); 36] = [
    ("harbour.example.org", "/feed.xml", "Harbour Radio"),
    ("notes.example.org", "/feed.atom", "Estuary notes"),
    ("slowbread.example.com", "/rss", "Slow bread"),
    ("kernel-digest.example.net", "/atom.xml", "Kernel digest"),
    ("city-council.example.org", "/news.rss", "City council: minutes"),
    ("papers.example.edu", "/recent.atom", "Recent papers: storage"),
    ("lighthouse.example.org", "/blog/index.xml", "Lighthouse keepers"),
    ("gardening.example.com", "/feed/", "Allotment 12b"),
    ("compilers.example.net", "/feed.json", "Notes on compilers"),
    ("trains.example.org", "/delays.rss", "Regional trains: delays"),
    ("maps.example.net", "/changes.atom", "Map changes nearby"),
    ("podcasts.example.com", "/longwave/rss", "Longwave"),
    ("typography.example.org", "/feed", "Small caps"),
    ("weather.example.org", "/warnings.xml", "Weather warnings"),
    ("museum.example.edu", "/exhibitions.rss", "Maritime museum"),
    ("databases.example.net", "/index.xml", "Pages and trees"),
    ("bicycles.example.com", "/rss.xml", "Winter cycling"),
    ("library.example.org", "/new.atom", "Library: new books"),
    ("security.example.net", "/advisories.rss", "Advisories"),
    ("comics.example.com", "/feed.xml", "Two gulls"),
    ("school.example.org", "/letters.rss", "School: letters home"),
    ("radio.example.net", "/schedule.json", "Schedule, channel 3"),
    ("woodwork.example.com", "/atom", "Dovetails"),
    ("rust-weekly.example.org", "/rss.xml", "A week of Rust"),
    ("choir.example.org", "/rehearsals.ics.rss", "Choir rehearsals"),
    ("birds.example.net", "/sightings.atom", "Sightings, north shore"),
    ("recipes.example.com", "/feed?format=rss", "Weeknight recipes"),
    ("economy.example.edu", "/working-papers.xml", "Working papers"),
    ("games.example.net", "/releases.rss", "Board game releases"),
    ("fonts.example.com", "/log.atom", "Foundry log"),
    ("clinic.example.org", "/notices.rss", "Clinic notices"),
    ("sewing.example.com", "/patterns.xml", "Patterns"),
    ("telescope.example.edu", "/tonight.atom", "Tonight's sky"),
    ("ferries.example.org", "/timetable.rss", "Ferry timetable"),
    ("translations.example.net", "/feed", "Words without borders of maps"),
    ("status.example.com", "/history.atom", "Hosting status"),
];

const HEADLINES: [&str; 40] = [
    "What the dredging report leaves out",
    "Release 4.2: smaller indexes, same queries",
    "Minutes of the meeting of {day} February",
    "A sourdough that survives a cold kitchen",
    "Why the {day}:40 is always late",
    "Write-ahead logs, drawn by hand",
    "Seven kinds of fog",
    "Closing the loop on register allocation",
    "New in the reading room this month",
    "Advisory {n}: path traversal in an archive tool",
    "Notes from the workshop on page caches",
    "Repairing a hub gear at minus four",
    "First lapwings on the north shore",
    "How we moved {n} rows without a lock",
    "The ferry will not run on {day} March",
    "A short history of the semicolon",
    "Café culture on the quay",
    "Pattern of the month: a sailor's smock",
    "Jupiter and four moons before midnight",
    "On naming things that are almost the same",
    "Episode {n}: Ground swell",
    "The map had it wrong for {day} years",
    "Incident review: elevated error rates",
    "Cutting a dovetail without a template",
    "What a tide table can not tell you",
    "Trait objects and the price of a pointer",
    "Rehearsal moved to the small hall",
    "Letter to parents: spring excursion",
    "A queue that forgets politely",
    "Über die Kunst, Nebel zu zeichnen",
    "Lentils, three ways",
    "Working paper {n}: harbour dues and trade",
    "An index is a promise",
    "Gulls, again",
    "Planned maintenance on {day} March",
    "Two thumbs: reviews of small games",
    "Kerning the numerals",
    "Measuring jitter with a kitchen timer",
    "Backpressure for beginners",
    "La marée et la lune",
];

fn headline(rng: &mut Rng) -> String {
    let day = rng.between(2, 29).to_string();
    let number = rng.between(12, 9_800).to_string();
    rng.pick(&HEADLINES).replace("{day}", &day).replace("{n}", &number)
}

/// Writes `count` lines or records of a kind, which may name a host as in
/// `rss@HOST`; `at_ms` is when the command ran.
pub(crate) fn generated(kind: &str, count: u64, at_ms: i64, rng: &mut Rng) -> Result<String> {
    let (kind, host) = kind.split_once('@').unwrap_or((kind, FEEDS[0].0));
    Ok(match kind {
        "poll-log" => poll_log(count, at_ms, rng),
        "retry-log" => retry_log(count, at_ms, rng),
        "http-log" => http_log(count, at_ms, rng),
        "feeds" => feed_rows(count, at_ms, rng),
        "duplicates" => duplicate_rows(count, rng),
        "entries-json" => entries_json(count, at_ms, rng),
        "rss" => rss_document(host, count, rng),
        "opml" => opml_document(count),
        "memory" => memory_samples(count, at_ms, rng),
        "queries" => query_times(count, rng),
        _ => bail!("no generated output of kind {kind}"),
    })
}

fn log_line(out: &mut String, at_ms: i64, level: &str, target: &str, message: &str) {
    put_line!(
        out,
        "{} {level:>5} tidewater::{target}: {message}",
        iso(at_ms).replace('Z', &format!("{:03}Z", (at_ms * 7_919).rem_euclid(1_000)))
    );
}

fn poll_log(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut at = at_ms - 90_000;
    while (out.lines().count() as u64) < count {
        at += rng.between(4, 900) as i64;
        let feed = rng.between(1, 214);
        match rng.between(0, 10) {
            0..=3 => log_line(
                &mut out,
                at,
                "DEBUG",
                "ingest::fetcher",
                &format!("fetched feed={feed} bytes={}", rng.between(2_100, 480_000)),
            ),
            4..=6 => log_line(
                &mut out,
                at,
                "TRACE",
                "ingest::fetcher",
                &format!("answered feed={feed} status=304"),
            ),
            7 => log_line(
                &mut out,
                at,
                "DEBUG",
                "ingest::scheduler",
                &format!("next poll feed={feed} secs={}", rng.between(900, 43_000)),
            ),
            8 => {
                let kind = *rng.pick(&[
                    "timed out",
                    "status 502",
                    "connect: tcp connect error: Connection refused (os error 111)",
                    "status 403",
                ]);
                let failures = rng.between(1, 9);
                let line = format!(
                    "backing off feed={feed} failures={failures} secs={} reason=\"{kind}\"",
                    rng.between(31, 60) << (failures - 1)
                );
                log_line(&mut out, at, "DEBUG", "ingest::scheduler", &line);
            }
            _ => log_line(
                &mut out,
                at,
                "WARN",
                "ingest",
                &format!("unreadable feed feed={feed} error=not a feed"),
            ),
        }
    }
    log_line(
        &mut out,
        at + 60,
        "INFO",
        "ingest",
        &format!("pass finished polled=200 not_modified=131 failed=17 new={}", rng.between(11, 90)),
    );
    out.trim_end().to_owned()
}

/// One host that keeps failing: the counter climbs, the wait collapses at 63 failures.
fn retry_log(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut at = at_ms - 3 * 86_400_000 + 1_234_000;
    for step in 0..count {
        let failures = 52 + step;
        let ceiling = 60_u64.wrapping_shl(failures as u32 - 1).min(21_600);
        let half = ceiling / 2;
        let secs = half + rng.between(0, half + 1);
        let reason = if rng.chance(800) { "rate limited" } else { "timed out" };
        log_line(
            &mut out,
            at,
            "TRACE",
            "ingest::fetcher",
            &format!("answered feed=87 status={}", if reason == "timed out" { 504 } else { 429 }),
        );
        let line = format!("backing off feed=87 failures={failures} secs={secs} reason=\"{reason}\"");
        log_line(&mut out, at + 2, "DEBUG", "ingest::scheduler", &line);
        at += secs.max(1) as i64 * 1_000 + rng.between(80, 900) as i64;
    }
    out.trim_end().to_owned()
}

fn http_log(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut at = at_ms - 240_000;
    for _ in 0..count {
        at += rng.between(20, 2_400) as i64;
        let id = rng.between(4_000, 61_000);
        let feed = rng.between(1, 214);
        let (request, status, top) = match rng.between(0, 8) {
            0 => ("GET /api/feeds".to_owned(), 200, 14),
            1 => ("GET /api/entries/counts".to_owned(), 200, 40),
            2 => (format!("GET /api/entries?feed_id={feed}"), 200, 60),
            3 => (format!("PUT /api/entries/{id}/read"), 200, 9),
            4 => (format!("GET /api/entries/{id}"), 200, 6),
            5 => ("GET /api/stream".to_owned(), 200, 2),
            6 => (format!("GET /api/entries?unread=true&before={id}"), 200, 90),
            _ => ("POST /api/login".to_owned(), if rng.chance(300) { 401 } else { 204 }, 180),
        };
        let line = format!(
            "finished processing request latency={} ms status={status} request=\"{request}\"",
            rng.between(1, top)
        );
        log_line(&mut out, at, "DEBUG", "tower_http::trace", &line);
    }
    out.trim_end().to_owned()
}

fn feed_rows(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let mut out =
        String::from("id   failures  next_poll_at              last_error                    url\n");
    out.push_str("---  --------  ------------------------  ----------------------------  ---------------------------------------------\n");
    for row in 0..count {
        let (host, path, _) = FEEDS[(row as usize * 7 + 2) % FEEDS.len()];
        let failures = if row == 0 { 76 } else { 61_u64.saturating_sub(row * 5 + rng.between(0, 5)) };
        let error = if failures == 0 {
            ""
        } else {
            *rng.pick(&["rate limited", "timed out", "status 503", "status 403", "connect: dns error"])
        };
        let next = iso(at_ms + rng.between(1, 60) as i64 * 1_000).replace(".000", "");
        put_line!(out, "{:<3}  {failures:<8}  {next:<24}  {error:<28}  https://{host}{path}", 87 + row * 3);
    }
    out.trim_end().to_owned()
}

fn duplicate_rows(count: u64, rng: &mut Rng) -> String {
    let mut out = String::from("feed_id|copies|title|guid|link\n");
    for row in 0..count {
        let (host, ..) = FEEDS[row as usize * 5 % FEEDS.len()];
        let title = headline(rng);
        let slug = slug(&title);
        let campaign = rng.between(100, 999);
        put_line!(
            out,
            "{}|{}|{title}|https://{host}/{slug}?utm_source=rss&utm_campaign=c{campaign}|https://{host}/{slug}?utm_source=rss&utm_campaign=c{campaign}",
            12 + row * 5,
            rng.between(2, 9)
        );
    }
    out.trim_end().to_owned()
}

fn slug(title: &str) -> String {
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

fn entries_json(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let first = rng.between(48_000, 61_000);
    let entries: Vec<serde_json::Value> = (0..count)
        .map(|row| {
            let title = headline(rng);
            let (host, ..) = FEEDS[rng.between(0, FEEDS.len() as u64) as usize];
            let published = iso(at_ms - (row as i64 * 37 + 5) * 60_000);
            json!({
                "id": first - row,
                "feed_id": rng.between(1, 214),
                "title": title,
                "link": format!("https://{host}/{}", slug(&title)),
                "author": null,
                "published_at": published,
                "summary": format!("<p>{} {}</p>", sentence(rng), sentence(rng)),
                "content": null,
                "read": rng.chance(400),
                "starred": rng.chance(60),
            })
        })
        .collect();
    format!("{:#}", json!({ "entries": entries, "next": first - count }))
}

fn rss_document(host: &str, count: u64, rng: &mut Rng) -> String {
    let title = FEEDS.iter().find(|feed| feed.0 == host).map_or(host, |feed| feed.2);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n  <channel>\n    <title>{title}</title>\n    <link>https://{host}/</link>\n"
    );
    for row in 0..count {
        let title = headline(rng);
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

fn opml_document(count: u64) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<opml version=\"1.1\">\n  <head><title>Abonnements de la maison</title></head>\n  <body>\n    <outline text=\"Maison\">\n      <outline text=\"Mer et marées\">\n",
    );
    for row in 0..count {
        let (host, path, title) = FEEDS[row as usize * 11 % FEEDS.len()];
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

fn memory_samples(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let mut out = String::from("time      rss_kb   fds  subscribers  pending_bytes\n");
    let (mut resident, mut subscribers, mut pending) = (41_200, 3, 0);
    for row in 0..count {
        let at = iso(at_ms - (count - row) as i64 * 600_000);
        subscribers += rng.between(2, 9);
        pending += subscribers * rng.between(90, 900);
        resident += rng.between(20, 60) + pending / 9_000;
        put_line!(
            out,
            "{}  {resident:>7}  {:>4}  {subscribers:>11}  {pending:>13}",
            &at[11..19],
            38 + rng.between(0, 4)
        );
    }
    out.trim_end().to_owned()
}

fn query_times(count: u64, rng: &mut Rng) -> String {
    let mut out = String::from("query                     rows  first_ms  p50_ms  p99_ms\n");
    let words = [
        "tide",
        "ferry",
        "compiler",
        "\"page cache\"",
        "lapwing",
        "minutes february",
        "fog",
        "\"write-ahead\"",
        "café",
        "moon OR jupiter",
        "sourdough -rye",
        "title:release",
        "gulls",
        "semicolon",
        "harbour dues",
    ];
    for row in 0..count {
        let word = words[row as usize % words.len()];
        let p50 = rng.between(4, 38);
        put_line!(
            out,
            "{word:<24}  {:>4}  {:>8}  0.{p50:02}    {:>2}.{}",
            rng.between(1, 900),
            rng.between(1, 6),
            rng.between(1, 4),
            rng.between(0, 10)
        );
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const KINDS: [&str; 10] = [
        "poll-log",
        "retry-log",
        "http-log",
        "feeds",
        "duplicates",
        "entries-json",
        "rss",
        "opml",
        "memory",
        "queries",
    ];

    #[test]
    fn every_kind_has_at_least_the_lines_asked_for() {
        for kind in KINDS {
            let text = generated(kind, 12, 1_772_440_000_000, &mut Rng::new(5)).unwrap();
            assert!(text.lines().count() >= 12, "{kind}");
            assert!(!text.contains('{') || kind == "entries-json", "{kind} leaves a hole");
        }
        assert!(generated("coffee", 1, 0, &mut Rng::new(5)).is_err());
    }

    #[test]
    fn hosts_are_reserved_names() {
        for (host, ..) in FEEDS {
            assert!(
                [".example.org", ".example.com", ".example.net", ".example.edu"]
                    .iter()
                    .any(|end| host.ends_with(end)),
                "{host}"
            );
        }
    }

    #[test]
    fn json_parses_back() {
        let text = generated("entries-json", 5, 1_772_440_000_000, &mut Rng::new(5)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["entries"].as_array().unwrap().len(), 5);
    }
}
