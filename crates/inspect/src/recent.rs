//! Small caches that never compute a value twice at once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, ignoring poisoning. Guarded values are valid at every moment, so a panic elsewhere does no harm.
pub fn lock_unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type CacheSlot<V> = Arc<Mutex<Option<Arc<V>>>>;

/// A cache of the last `capacity` values by key; drops the least recently used.
pub struct LruCache<K, V> {
    capacity: usize,
    slots: Mutex<VecDeque<(K, CacheSlot<V>)>>,
}

impl<K: PartialEq + Clone, V> LruCache<K, V> {
    /// A `capacity` of 0 counts as 1.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), slots: Mutex::new(VecDeque::new()) }
    }

    /// Returns the value for `key`, computing it with `make` if missing. Concurrent callers wait for the same value.
    pub fn get_or_make<E>(&self, key: &K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let slot = self.key_slot(key);
        let mut value = lock_unpoisoned(&slot);
        if let Some(known) = &*value {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        *value = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Returns the value for `key` if present, and marks it as used.
    pub(crate) fn get_known(&self, key: &K) -> Option<Arc<V>> {
        if !lock_unpoisoned(&self.slots).iter().any(|(known, _)| known == key) {
            return None;
        }
        let slot = self.key_slot(key);
        let value = slot.try_lock().ok()?;
        value.clone()
    }

    fn key_slot(&self, key: &K) -> CacheSlot<V> {
        let mut slots = lock_unpoisoned(&self.slots);
        let known = slots.iter().position(|(known, _)| known == key).and_then(|at| slots.remove(at));
        let entry = known.unwrap_or_else(|| (key.clone(), CacheSlot::default()));
        let slot = Arc::clone(&entry.1);
        slots.push_back(entry);
        while slots.len() > self.capacity {
            slots.pop_front();
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn makes_each_value_once_and_forgets_the_oldest() {
        let cache = LruCache::<u32, u32>::new(2);
        let mut made = Vec::new();
        for key in [1, 1, 2, 1, 3, 1, 2] {
            let value = cache.get_or_make::<()>(&key, || {
                made.push(key);
                Ok(key * 10)
            });
            assert_eq!(*value.unwrap(), key * 10);
        }
        assert_eq!(made, [1, 2, 3, 2], "2 was the oldest when 3 came");
    }

    #[test]
    fn a_value_is_known_once_it_was_made() {
        let cache = LruCache::<u32, u32>::new(2);
        assert_eq!(cache.get_known(&1), None);
        assert_eq!(*cache.get_or_make::<()>(&1, || Ok(10)).unwrap(), 10);
        assert_eq!(cache.get_known(&1).as_deref(), Some(&10));
        assert_eq!(cache.get_known(&2), None);
    }

    #[test]
    fn a_failure_is_not_remembered() {
        let cache = LruCache::<u32, u32>::new(2);
        assert_eq!(cache.get_or_make(&1, || Err::<u32, _>("no")).unwrap_err(), "no");
        assert_eq!(*cache.get_or_make::<&str>(&1, || Ok(7)).unwrap(), 7);
    }
}
