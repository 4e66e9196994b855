import { createStore } from './store'

/** A row to be brought into view, and how far below the upper edge it shall begin, pixels. */
export interface ScrollWish {
  index: number
  below: number
  wish: number
}

interface RowsLook {
  /** The row that has the keyboard. */
  active: number | null
  /** The block in it; a row that holds another one now is not the active one. */
  block: string | null
  /** Blocks that are open: all of their text shows. */
  open: ReadonlySet<string>
  /** Blocks that show their JSON in the log. */
  raw: ReadonlySet<string>
  wish: ScrollWish | null
}

const toggled = (set: ReadonlySet<string>, one: string, on = !set.has(one)): ReadonlySet<string> => {
  const next = new Set(set)
  if (on) next.add(one)
  else next.delete(one)
  return next
}

/** The state of the rows of a list: the row with the keyboard, and the rows that are open. */
export class RowStates {
  readonly store = createStore<RowsLook>({
    active: null,
    block: null,
    open: new Set(),
    raw: new Set(),
    wish: null,
  })

  /** Gives a row the keyboard; `into` brings it into view. */
  activate(active: number, block: string | null, into = false): void {
    this.store.set({ active, block })
    if (into) this.show(active, null)
  }

  toggle(block: string, on?: boolean): void {
    this.store.set({ open: toggled(this.store.get().open, block, on) })
  }

  toggleRaw(block: string): void {
    this.store.set({ raw: toggled(this.store.get().raw, block) })
  }

  /** Brings a row into view; `below` is how far below the upper edge, `null` no farther than needed. */
  show(index: number, below: number | null = 8): void {
    const wish = (this.store.get().wish?.wish ?? 0) + 1
    this.store.set({ wish: { index, below: below ?? Number.NaN, wish } })
  }

  /** Another session. */
  clear(): void {
    this.store.set({ active: null, block: null, open: new Set(), raw: new Set(), wish: null })
  }
}
