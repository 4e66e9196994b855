import { createStore } from './store'

/** Something that the window says in passing, and what can be done about it. */
export interface Said {
  id: number
  text: string
  action: { label: string; run: () => void } | null
}

/** How long it stays, milliseconds: long enough to read it and to reach its button. */
const STAYS_MS = 6000

/** The last message. A newer one takes its place; it goes by itself unless the user is at it. */
export class SaidOnce {
  readonly store = createStore<{ said: Said | null }>({ said: null })
  private timer: ReturnType<typeof setTimeout> | undefined
  private n = 0

  say(text: string, action: Said['action'] = null): void {
    this.n += 1
    this.store.set({ said: { id: this.n, text, action } })
    this.go()
  }

  /** The pointer is on it or the keyboard in it. */
  hold(): void {
    clearTimeout(this.timer)
  }

  /** It may go by itself again. */
  go(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.dismiss(), STAYS_MS)
  }

  dismiss(): void {
    clearTimeout(this.timer)
    this.store.set({ said: null })
  }

  /** Runs what was offered, once. */
  act(): void {
    const { said } = this.store.get()
    this.dismiss()
    said?.action?.run()
  }
}
