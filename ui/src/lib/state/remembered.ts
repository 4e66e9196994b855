/** How many sessions are remembered; the latest ones stay. */
const MOST_SESSIONS = 60

type Held = [session: string, value: unknown][]

let isGuest = false

/** Tells that the page is read in another person's browser: it remembers nothing there, and forgets when it is closed. */
export function beGuest(): void {
  isGuest = true
}

/** The storage of the window; `null` where there is none, as in tests, and where the page is a guest. */
export const usualStorage = (): Storage | null =>
  isGuest || typeof localStorage === 'undefined' ? null : localStorage

/** Tells whether a value has the right form: any program may have written the storage. */
function held(storage: Pick<Storage, 'getItem'>, key: string): Held {
  try {
    const value: unknown = JSON.parse(storage.getItem(key) ?? '[]')
    if (!Array.isArray(value)) return []
    return value.filter(
      (entry): entry is Held[number] =>
        Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string',
    )
  } catch {
    return []
  }
}

/** Returns the remembered value of a session; `null` where there is none that `fits`. */
export function recall<T>(
  storage: Pick<Storage, 'getItem'> | null,
  key: string,
  session: string,
  fits: (value: unknown) => value is T,
): T | null {
  const value = storage && held(storage, key).find(([known]) => known === session)?.[1]
  return fits(value) ? value : null
}

/** Remembers something of a session. */
export function remember(
  storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  key: string,
  session: string,
  value: unknown,
): void {
  if (!storage) return
  const others = held(storage, key).filter(([known]) => known !== session)
  try {
    storage.setItem(key, JSON.stringify([...others, [session, value]].slice(-MOST_SESSIONS)))
  } catch {
    // A window without storage works, it only forgets.
  }
}

export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
