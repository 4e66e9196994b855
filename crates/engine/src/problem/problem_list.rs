//! Short problem lists: the first hundred per code keep their places, the rest are counted.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{Place, Problem, ProblemKind, Rule};

const LISTED: u64 = 100;

/// Problems in the order found, at most 100 per code, and the number of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProblemList {
    listed: Vec<Problem>,
    tallies: BTreeMap<&'static str, Tally>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    n_listed: u64,
    n_more: u64,
}

impl ProblemList {
    pub fn push(&mut self, problem: Problem) {
        self.listed.extend(admit_problem(&mut self.tallies, problem));
    }

    /// Returns what `problems` would add to the list: the problems that still fit, then a
    /// [`ProblemKind::MoreOfCode`] for each code with more.
    pub fn additions(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let mut tallies = self.tallies.clone();
        tallies.values_mut().for_each(|tally| tally.n_more = 0);
        let listed =
            problems.into_iter().filter_map(|problem| admit_problem(&mut tallies, problem)).collect();
        Self { listed, tallies }.into_problems()
    }

    /// Returns the listed problems, then a [`ProblemKind::MoreOfCode`] for each code with more.
    pub fn into_problems(self) -> Vec<Problem> {
        let Self { mut listed, tallies } = self;
        let more = tallies.into_iter().filter(|(_, tally)| tally.n_more > 0);
        listed.extend(more.map(|(code, tally)| {
            let kind = ProblemKind::MoreOfCode { code: code.into(), n_more: tally.n_more };
            Problem { place: Place::default(), kind }
        }));
        listed
    }
}

impl Extend<Problem> for ProblemList {
    fn extend<T: IntoIterator<Item = Problem>>(&mut self, problems: T) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl FromIterator<Problem> for ProblemList {
    fn from_iter<T: IntoIterator<Item = Problem>>(problems: T) -> Self {
        let mut list = Self::default();
        list.extend(problems);
        list
    }
}

fn admit_problem(tallies: &mut BTreeMap<&'static str, Tally>, problem: Problem) -> Option<Problem> {
    if let ProblemKind::MoreOfCode { code, n_more } = &problem.kind {
        let Some(rule) = Rule::find(code) else { return Some(problem) };
        let tally = tallies.entry(rule.code).or_default();
        tally.n_more = tally.n_more.saturating_add(*n_more);
        return None;
    }
    let tally = tallies.entry(problem.kind.code()).or_default();
    if tally.n_listed < LISTED {
        tally.n_listed += 1;
        return Some(problem);
    }
    tally.n_more = tally.n_more.saturating_add(1);
    None
}

/// Counts listed problems and those behind [`ProblemKind::MoreOfCode`].
pub fn count_problems(problems: &[Problem]) -> u64 {
    let n_of = |problem: &Problem| match problem.kind {
        ProblemKind::MoreOfCode { n_more, .. } => n_more,
        _ => 1,
    };
    problems.iter().map(n_of).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    fn odd(line: u64) -> Problem {
        Problem { place: Place::at_line(line), kind: ProblemKind::OddField { field: "type".into() } }
    }

    fn no_header() -> Problem {
        Problem { place: Place::at_line(1), kind: ProblemKind::NoHeader }
    }

    #[track_caller]
    fn check(list: ProblemList, n_listed: usize, more: &[&str], n: u64) {
        let problems = list.into_problems();
        assert_eq!(count_problems(&problems), n);
        let (counted, listed): (Vec<Problem>, Vec<Problem>) =
            problems.into_iter().partition(|problem| problem.kind.code() == "L030");
        let told: Vec<String> = counted.iter().map(|problem| problem.kind.to_string()).collect();
        assert_eq!(
            (listed.len(), &told[..]),
            (n_listed, &more.iter().map(ToString::to_string).collect::<Vec<String>>()[..])
        );
    }

    #[test]
    fn the_first_hundred_of_a_code_keep_their_places() {
        check((1..=100).map(odd).collect(), 100, &[], 100);
        let long: ProblemList = (1..=1000).map(odd).chain([no_header()]).collect();
        check(long.clone(), 101, &["900 more problems L009, which are counted and not listed"], 1001);
        assert_eq!(long.listed[99], odd(100));
    }

    #[test]
    fn lists_add_up_in_any_pieces() {
        let whole: ProblemList = (1..=777).map(odd).collect();
        for step in [1, 7, 150, 400] {
            let mut stored = ProblemList::default();
            let problems: Vec<Problem> = (1..=777).map(odd).collect();
            for piece in problems.chunks(step) {
                let of_piece: ProblemList = piece.iter().cloned().collect();
                let fresh = stored.additions(of_piece.into_problems());
                assert!(fresh.len() <= 101, "{}", fresh.len());
                stored.extend(fresh);
            }
            assert_eq!(stored, whole, "in pieces of {step}");
        }
    }
}
