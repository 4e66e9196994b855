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

/**
 * A store as calm parts of the page read it: while `isBusy`, its value changes at most every `ms` milliseconds. People do
 * not read figures that change with every frame, and to write them takes the time of the picture that changes them.
 */
export function calmed<T>(
  store: Pick<Store<T>, 'get' | 'subscribe'>,
  isBusy: () => boolean,
  ms: number,
): Pick<Store<T>, 'get' | 'subscribe'> {
  let value = store.get()
  let since = -Infinity
  let waiting: ReturnType<typeof setTimeout> | undefined
  const listeners = new Set<() => void>()
  const pass = () => {
    clearTimeout(waiting)
    waiting = undefined
    value = store.get()
    since = performance.now()
    for (const listen of [...listeners]) listen()
  }
  store.subscribe(() => {
    const early = since + ms - performance.now()
    if (!isBusy() || early <= 0) pass()
    else waiting ??= setTimeout(pass, early)
  })
  return {
    get: () => value,
    subscribe(listen) {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
  }
}

/** Reads a part of a store. `pick` must give the same value (by identity) while the store is unchanged. */
export function useStore<T, R>(store: Pick<Store<T>, 'get' | 'subscribe'>, pick: (value: T) => R): R {
  const read = () => pick(store.get())
  return useSyncExternalStore(store.subscribe, read, read)
}
