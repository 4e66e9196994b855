import { useSyncExternalStore } from 'react'

/** A value that can be read, replaced and listened to. Plain TypeScript: canvases use it without React. */
export interface Store<T> {
  get(): T
  /** Merges `change` in and tells all listeners; nothing is told when nothing differs. */
  set(change: Partial<T>): void
  subscribe(listen: () => void): () => void
}

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(change) {
      const keys = Object.keys(change) as (keyof T)[]
      if (keys.every((key) => Object.is(value[key], change[key]))) return
      value = { ...value, ...change }
      for (const listen of [...listeners]) listen()
    },
    subscribe(listen) {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
  }
}

/** A part of a store to listen to: it tells only when one of the values that `pick` gives is another one. */
export function partOf<T>(
  store: Pick<Store<T>, 'get' | 'subscribe'>,
  pick: (value: T) => readonly unknown[],
): Pick<Store<T>, 'subscribe'> {
  return {
    subscribe(listen) {
      let seen = pick(store.get())
      return store.subscribe(() => {
        const now = pick(store.get())
        const same = now.every((value, at) => Object.is(value, seen[at]))
        seen = now
        if (!same) listen()
      })
    },
  }
}

/** Reads a part of a store. `pick` must give the same value (by identity) while the store is unchanged. */
export function useStore<T, R>(store: Pick<Store<T>, 'get' | 'subscribe'>, pick: (value: T) => R): R {
  const read = () => pick(store.get())
  return useSyncExternalStore(store.subscribe, read, read)
}
