import { createStore } from './store'

/** A name is over when nothing was typed for so long, milliseconds. */
const OVER_MS = 1600
const START = "'"

/** The beginning of a name that is being typed to go to it: opened by a quote, for letters alone are commands. */
export class Spelling {
  readonly store = createStore<{ typed: string | null }>({ typed: null })
  private timer: ReturnType<typeof setTimeout> | undefined

  /** Takes a key press; answers what is typed by now, or `null` where the key is not for a name. */
  press(key: string): string | null {
    const { typed } = this.store.get()
    if (typed === null) return key === START ? this.set('') : null
    if (key === 'Escape' || key === 'Enter') {
      this.end()
      return ''
    }
    if (key === 'Backspace') return this.set(typed.slice(0, -1))
    if (key.length > 1) {
      this.end()
      return null
    }
    return this.set(typed + key)
  }

  end(): void {
    clearTimeout(this.timer)
    this.store.set({ typed: null })
  }

  private set(typed: string): string {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.end(), OVER_MS)
    this.store.set({ typed })
    return typed
  }
}
