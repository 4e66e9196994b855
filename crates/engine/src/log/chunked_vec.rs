//! A list whose clones share its past: full chunks lie behind `Arc`, so a clone of a long list that then grows
//! copies the pointers to the chunks and the items of the last chunk.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::{Index, Range};
use core::slice;

/// Items per chunk. A clone that grows copies half a chunk on average.
const CHUNK: usize = 128;

/// A change of an item copies its chunk if a clone still holds the chunk.
pub struct ChunkedVec<T> {
    /// All chunks but the last are full.
    chunks: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T> ChunkedVec<T> {
    pub const fn new() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn get(&self, at: usize) -> Option<&T> {
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    pub fn last(&self) -> Option<&T> {
        self.chunks.last()?.last()
    }

    pub fn iter(&self) -> ChunkedIter<'_, T> {
        self.range(0..self.len)
    }

    pub fn range(&self, range: Range<usize>) -> ChunkedIter<'_, T> {
        let end = range.end.min(self.len);
        ChunkedIter { list: self, chunk: [].iter(), next: range.start.min(end), end }
    }
}

impl<T: Clone> ChunkedVec<T> {
    pub fn push(&mut self, item: T) {
        // A short list takes no more memory than a `Vec`.
        let capacity = if self.len < CHUNK { 1 } else { CHUNK };
        match self.chunks.last_mut().filter(|chunk| chunk.len() < CHUNK) {
            Some(chunk) => match Arc::get_mut(chunk) {
                Some(own) => own.push(item),
                None => {
                    let mut copy = Vec::with_capacity(capacity.max(chunk.len() + 1));
                    copy.extend(chunk.iter().cloned());
                    copy.push(item);
                    *chunk = Arc::new(copy);
                }
            },
            None => {
                let mut chunk = Vec::with_capacity(capacity);
                chunk.push(item);
                self.chunks.push(Arc::new(chunk));
            }
        }
        self.len += 1;
    }

    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        Arc::make_mut(self.chunks.get_mut(at / CHUNK)?).get_mut(at % CHUNK)
    }

    pub fn to_vec(&self) -> Vec<T> {
        self.iter().cloned().collect()
    }
}

impl<T> Clone for ChunkedVec<T> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks.clone(), len: self.len }
    }
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for ChunkedVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for ChunkedVec<T> {
    fn eq(&self, other: &Self) -> bool {
        // Equal lengths mean equal chunk bounds.
        self.len == other.len && self.chunks == other.chunks
    }
}

impl<T: Eq> Eq for ChunkedVec<T> {}

impl<T> Index<usize> for ChunkedVec<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.chunks[at / CHUNK][at % CHUNK]
    }
}

impl<T: Clone> core::ops::IndexMut<usize> for ChunkedVec<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.chunks[at / CHUNK])[at % CHUNK]
    }
}

impl<T: Clone> Extend<T> for ChunkedVec<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: Clone> FromIterator<T> for ChunkedVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::new();
        list.extend(items);
        list
    }
}

impl<'a, T> IntoIterator for &'a ChunkedVec<T> {
    type Item = &'a T;
    type IntoIter = ChunkedIter<'a, T>;

    fn into_iter(self) -> ChunkedIter<'a, T> {
        self.iter()
    }
}

pub struct ChunkedIter<'a, T> {
    list: &'a ChunkedVec<T>,
    /// Items of the chunk in progress, all before `next`.
    chunk: slice::Iter<'a, T>,
    next: usize,
    end: usize,
}

impl<'a, T> ChunkedIter<'a, T> {
    fn take_chunk(&mut self) -> Option<slice::Iter<'a, T>> {
        if self.next >= self.end {
            return None;
        }
        let chunk = &self.list.chunks[self.next / CHUNK];
        let first = self.next % CHUNK;
        let n_items = (chunk.len() - first).min(self.end - self.next);
        self.next += n_items;
        Some(chunk[first..first + n_items].iter())
    }
}

impl<'a, T> Iterator for ChunkedIter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        if let Some(item) = self.chunk.next() {
            return Some(item);
        }
        self.chunk = self.take_chunk()?;
        self.chunk.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n_items = self.chunk.len() + (self.end - self.next);
        (n_items, Some(n_items))
    }

    fn nth(&mut self, n: usize) -> Option<&'a T> {
        if n < self.chunk.len() {
            return self.chunk.nth(n);
        }
        self.next = self.end.min(self.next.saturating_add(n - self.chunk.len()));
        self.chunk = [].iter();
        self.next()
    }

    fn fold<B, F: FnMut(B, &'a T) -> B>(mut self, start: B, mut add: F) -> B {
        let mut sum = self.chunk.clone().fold(start, &mut add);
        while let Some(chunk) = self.take_chunk() {
            sum = chunk.fold(sum, &mut add);
        }
        sum
    }
}

impl<'a, T> DoubleEndedIterator for ChunkedIter<'a, T> {
    fn next_back(&mut self) -> Option<&'a T> {
        if self.next < self.end {
            self.end -= 1;
            return self.list.get(self.end);
        }
        self.chunk.next_back()
    }
}

impl<T> ExactSizeIterator for ChunkedIter<'_, T> {}

impl<T> FusedIterator for ChunkedIter<'_, T> {}

impl<T> Clone for ChunkedIter<'_, T> {
    fn clone(&self) -> Self {
        Self { list: self.list, chunk: self.chunk.clone(), next: self.next, end: self.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_like_a_vec_at_every_length_and_from_both_ends() {
        for n_items in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
            let plain: Vec<usize> = (0..n_items).collect();
            let list: ChunkedVec<usize> = plain.iter().copied().collect();
            assert_eq!(list.to_vec(), plain);
            assert!(list.iter().rev().eq(plain.iter().rev()));
            assert_eq!((list.len(), list.first(), list.last()), (n_items, plain.first(), plain.last()));
            assert_eq!(list.get(n_items), None);
            for from in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1] {
                let (mut ours, mut theirs) = (list.iter(), plain.iter());
                assert_eq!(ours.next(), theirs.next());
                assert_eq!(ours.nth(from), theirs.nth(from), "{n_items} items, skip {from}");
                assert_eq!(ours.next_back(), theirs.next_back());
                assert_eq!(ours.len(), theirs.len());
                assert_eq!(ours.clone().sum::<usize>(), theirs.clone().sum::<usize>());
                assert!(ours.eq(theirs));
                let range = from.min(n_items)..n_items.min(from + CHUNK);
                assert!(list.range(range.clone()).eq(&plain[range]));
            }
        }
    }

    #[test]
    fn a_clone_shares_full_chunks_and_neither_sees_changes_of_the_other() {
        let mut list: ChunkedVec<usize> = (0..2 * CHUNK + 3).collect();
        let before = list.clone();
        list.push(7);
        list[0] = 9;
        assert!(Arc::ptr_eq(&list.chunks[1], &before.chunks[1]));
        assert_eq!((before[0], before.len()), (0, 2 * CHUNK + 3));
        assert_eq!((list[0], list.last()), (9, Some(&7)));
        assert_ne!(list, before);
    }
}
