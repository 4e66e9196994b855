import { isTexts, usualStorage } from './remembered'
import { createStore, type Store } from './store'

const KEY = 'cwl-inspector.used'
const MOST = 40

type Box = Pick<Storage, 'getItem' | 'setItem'> | null

/** Remembers the lines that were chosen in the palette, the latest first. */
export class Used {
  readonly store: Store<{ keys: readonly string[] }>
  private readonly box: Box

  constructor(box: Box = usualStorage()) {
    this.box = box
    this.store = createStore<{ keys: readonly string[] }>({ keys: load(box) })
  }

  add(key: string): void {
    const keys = [key, ...this.store.get().keys.filter((known) => known !== key)].slice(0, MOST)
    this.store.set({ keys })
    try {
      this.box?.setItem(KEY, JSON.stringify(keys))
    } catch {
      // A window without storage works, it only forgets.
    }
  }
}

function load(box: Box): string[] {
  try {
    const held: unknown = JSON.parse(box?.getItem(KEY) ?? '[]')
    return isTexts(held) ? held.slice(0, MOST) : []
  } catch {
    return []
  }
}
