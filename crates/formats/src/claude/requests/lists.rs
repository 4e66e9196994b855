//! All requests' message lists, as linked lists with shared beginnings.

use std::collections::BTreeMap;

use super::hash::Hash;

/// Stores each message once per list it continues.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestLists {
    links: Vec<Link>,
    /// `None` for a request without messages.
    by_request: BTreeMap<String, Option<usize>>,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    hash: Hash,
    before: Option<usize>,
    len: usize,
    n_unknown: usize,
}

impl RequestLists {
    /// Adds a request: the first `n_kept` messages of `base`, followed by `tail`.
    ///
    /// Returns how many of its messages are missing in the log, and how many it has. `None` if the log has no
    /// such base, or a shorter one.
    pub(super) fn add(
        &mut self,
        request: String,
        (base, n_kept): (Option<&str>, usize),
        tail: &[Hash],
        is_known: impl Fn(Hash) -> bool,
    ) -> Option<(usize, usize)> {
        let mut last = base.and_then(|base| self.by_request.get(base).copied()).flatten();
        while let Some(link) = last.map(|at| self.links[at]).filter(|link| link.len > n_kept) {
            last = link.before;
        }
        if self.len(last) != n_kept {
            return None;
        }
        for hash in tail {
            let before = last.map_or(0, |at| self.links[at].n_unknown);
            let n_unknown = before + usize::from(!is_known(*hash));
            let link = Link { hash: *hash, before: last, len: self.len(last) + 1, n_unknown };
            last = Some(self.links.len());
            self.links.push(link);
        }
        self.by_request.insert(request, last);
        Some((last.map_or(0, |at| self.links[at].n_unknown), self.len(last)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_request.is_empty()
    }

    pub(super) fn hashes_of(&self, request: &str) -> Option<Vec<Hash>> {
        let mut last = *self.by_request.get(request)?;
        let mut hashes = Vec::with_capacity(self.len(last));
        while let Some(link) = last.map(|at| self.links[at]) {
            hashes.push(link.hash);
            last = link.before;
        }
        hashes.reverse();
        Some(hashes)
    }

    fn len(&self, last: Option<usize>) -> usize {
        last.map_or(0, |at| self.links[at].len)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn hash(text: &str) -> Hash {
        Hash::of_json(&format!("\"{text}\"")).unwrap()
    }

    #[test]
    fn a_list_goes_on_from_the_beginning_of_another() {
        let [a, b, c] = ["a", "b", "c"].map(hash);
        let mut lists = RequestLists::default();
        let mut add = |request: &str, base, n_kept, tail: &[Hash]| {
            lists.add(request.to_owned(), (base, n_kept), tail, |hash| hash != b)
        };
        assert_eq!(add("1", None, 0, &[a, b]), Some((1, 2)));
        assert_eq!(add("2", Some("1"), 2, &[c]), Some((1, 3)));
        assert_eq!(add("3", Some("2"), 1, &[]), Some((0, 1)));
        assert_eq!(add("4", Some("3"), 2, &[b]), None, "the base has one message");
        assert_eq!(add("5", Some("9"), 1, &[b]), None, "there is no such base");
        assert_eq!(lists.hashes_of("2").unwrap(), [a, b, c]);
        assert_eq!(lists.hashes_of("3").unwrap(), [a]);
        assert_eq!((lists.hashes_of("4"), lists.hashes_of("9")), (None, None));
    }
}
