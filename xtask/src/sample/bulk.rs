//! Long outputs from the running service: logs, tables, JSON and feed documents.

use super::clock::{Clock, iso};
use super::household::{self, FEEDS, Feed};
use super::puts::put_line;
use super::rng::Rng;
use anyhow::{Result, bail};

/// Generates `count` lines or records; `kind` says which.
///
/// A kind may have a suffix `@` with a feed's host, or with a log's end time. Without it, a log ends at
/// `at_ms` (Unix milliseconds), when the command ran.
pub(crate) fn generated(kind: &str, count: u64, at_ms: i64, rng: &mut Rng) -> Result<String> {
    let (kind, place) = kind.split_once('@').map_or((kind, None), |(kind, place)| (kind, Some(place)));
    let ends_ms = || place.map_or(Ok(at_ms), |at| Clock::starting(at).map(Clock::now_ms));
    Ok(match kind {
        "poll-log" => poll_log(count, ends_ms()?, rng),
        "retry-log" => retry_log(count, at_ms, rng),
        "http-log" => http_log(count, ends_ms()?, rng),
        "feeds" => feed_rows(count, at_ms, rng),
        "duplicates" => duplicate_rows(count, rng),
        "entries-json" => household::entries_json(count, at_ms, rng),
        "rss" => household::rss_document(place.unwrap_or_default(), count, rng),
        "opml" => household::opml_document(count),
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

/// Feeds whose servers answer with something else than a feed, by id.
const UNREADABLE: [u32; 6] = [41, 58, 102, 103, 166, 190];

fn poll_log(count: u64, ends_ms: i64, rng: &mut Rng) -> String {
    let gaps: Vec<i64> = (0..count).map(|_| rng.between(4, 900) as i64).collect();
    let mut at = ends_ms - gaps.iter().sum::<i64>();
    let mut out = String::new();
    for gap in gaps {
        at += gap;
        let feed = rng.between(1, 214);
        let (level, target, message) = match rng.between(0, 40) {
            0..=15 => (
                "DEBUG",
                "ingest::fetcher",
                format!("fetched feed={feed} bytes={}", rng.between(2_100, 480_000)),
            ),
            16..=27 => ("TRACE", "ingest::fetcher", format!("answered feed={feed} status=304")),
            28..=33 => (
                "DEBUG",
                "ingest::scheduler",
                format!("next poll feed={feed} secs={}", rng.between(900, 43_000)),
            ),
            34..=37 => {
                let reasons = [
                    "timed out",
                    "status 502",
                    "connect: tcp connect error: Connection refused (os error 111)",
                    "status 403",
                ];
                let (reason, failures) = (rng.pick(&reasons), rng.between(1, 9));
                let secs = rng.between(31, 60) << (failures - 1);
                let message =
                    format!("backing off feed={feed} failures={failures} secs={secs} reason=\"{reason}\"");
                ("DEBUG", "ingest::scheduler", message)
            }
            38 => {
                ("WARN", "ingest", format!("unreadable feed feed={} error=not a feed", rng.pick(&UNREADABLE)))
            }
            _ => {
                let (not_modified, failed, new) =
                    (rng.between(104, 149), rng.between(4, 19), rng.between(3, 90));
                let message =
                    format!("pass finished polled=200 not_modified={not_modified} failed={failed} new={new}");
                ("INFO", "ingest", message)
            }
        };
        log_line(&mut out, at, level, target, &message);
    }
    out.trim_end().to_owned()
}

/// A log about a host that keeps failing: the counter climbs, and the wait collapses at 63 failures.
fn retry_log(count: u64, at_ms: i64, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut at = at_ms - 4 * 86_400_000 - 39_600_000;
    for failures in (52..).take(count as usize) {
        let ceiling = 60_u64.wrapping_shl(failures - 1).min(21_600);
        let secs = ceiling / 2 + rng.between(0, ceiling / 2 + 1);
        let (status, reason) = if rng.chance(850) { (429, "rate limited") } else { (504, "status 504") };
        log_line(&mut out, at, "TRACE", "ingest::fetcher", &format!("answered feed=87 status={status}"));
        let line = format!("backing off feed=87 failures={failures} secs={secs} reason=\"{reason}\"");
        log_line(&mut out, at + 2, "DEBUG", "ingest::scheduler", &line);
        at += secs.max(1) as i64 * 1_000 + rng.between(80, 900) as i64;
    }
    out.trim_end().to_owned()
}

fn http_log(count: u64, ends_ms: i64, rng: &mut Rng) -> String {
    let gaps: Vec<i64> = (0..count).map(|_| rng.between(20, 2_400) as i64).collect();
    let mut at = ends_ms - gaps.iter().sum::<i64>();
    let mut out = String::new();
    for gap in gaps {
        at += gap;
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
    let mut out = String::from("id   failures  next_poll_at          last_error          url\n");
    out.push_str("---  --------  --------------------  ------------------  ---------------------------------------------\n");
    for row in 0..count {
        let Feed { id, host, path, .. } = FEEDS[(row as usize * 7 + 2) % FEEDS.len()];
        let failures = if row == 0 { 86 } else { 61_u64.saturating_sub(row * 5 + rng.between(0, 5)) };
        let errors = ["rate limited", "timed out", "status 503", "status 403", "connect: dns error"];
        let error = if failures == 0 { "" } else { *rng.pick::<&str>(&errors) };
        // The more often a feed fails, the longer the service leaves it alone.
        let wait = if failures > 8 { rng.between(1_200, 19_000) } else { rng.between(20, 3_000) };
        let next = iso(at_ms + wait as i64 * 1_000);
        put_line!(out, "{id:<3}  {failures:<8}  {:.19}Z  {error:<18}  https://{host}{path}", next);
    }
    out.trim_end().to_owned()
}

fn duplicate_rows(count: u64, rng: &mut Rng) -> String {
    let mut out = String::from("feed_id|copies|title|guid|link\n");
    // Harbour Radio, the first feed, is left out: it has another kind of doubles.
    for row in 0..count.min(FEEDS.len() as u64 - 1) {
        let feed = FEEDS[1 + (row as usize + 3) % (FEEDS.len() - 1)];
        let (id, host, title) = (feed.id, feed.host, household::headline(&feed, rng));
        let slug = household::slug(&title);
        let link = format!("https://{host}/{slug}?utm_source=rss&utm_campaign=c{}", rng.between(100, 999));
        put_line!(out, "{id}|{}|{title}|{link}|{link}", 9 - row * 8 / count.max(1));
    }
    out.trim_end().to_owned()
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
}
