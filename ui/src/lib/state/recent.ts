import { createStore } from './store'
import { usualStorage } from './remembered'

/** A session that was opened. */
export interface Opened {
  path: string
  title: string
}

const KEY = 'cwl-inspector.recent'
/** How many sessions are remembered. */
export const MOST_RECENT = 12

const isOpened = (value: unknown): value is Opened =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Opened).path === 'string' &&
  typeof (value as Opened).title === 'string'

/** The sessions that were opened last, the last one first. */
export class Recent {
  readonly store = createStore<{ opened: readonly Opened[] }>({ opened: [] })
  private readonly storage: Pick<Storage, 'getItem' | 'setItem'> | null

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'> | null = usualStorage()) {
    this.storage = storage
    this.store.set({ opened: this.held() })
  }

  /** Puts a session first. */
  note(path: string, title: string): void {
    const [first] = this.store.get().opened
    if (first?.path === path && first.title === title) return
    this.keep([{ path, title }, ...this.held().filter((known) => known.path !== path)])
  }

  /** Takes a session out, as when its log is not there any more. */
  forget(path: string): void {
    const opened = this.held()
    if (opened.some((known) => known.path === path)) this.keep(opened.filter((known) => known.path !== path))
  }

  /** Reads the remembered sessions. Another window may have added to them, and the storage may hold anything. */
  private held(): Opened[] {
    if (this.storage === null) return [...this.store.get().opened]
    try {
      const value: unknown = JSON.parse(this.storage.getItem(KEY) ?? '[]')
      if (!Array.isArray(value)) return []
      return value.filter(isOpened).slice(0, MOST_RECENT)
    } catch {
      return []
    }
  }

  private keep(opened: readonly Opened[]): void {
    const kept = opened.slice(0, MOST_RECENT)
    this.store.set({ opened: kept })
    try {
      this.storage?.setItem(KEY, JSON.stringify(kept))
    } catch {
      // A window without storage works, it only forgets.
    }
  }
}
