import { hostErrorOf, type HostError } from '../ipc/host'
import { createStore } from './store'

/** Something that was done and can be taken back. */
export interface Deed {
  /** The deed as a sentence without its full stop: `Note removed`. */
  what: string
  undo: () => Promise<void> | void
  redo: () => Promise<void> | void
}

/** News of a deed: it was done, taken back or done again, or it failed. */
export type Heard = { deed: Deed; how: 'done' | 'undone' | 'redone' } | { deed: Deed; how: HostError }

/** How many deeds can be taken back. */
const MOST = 200

/** Everything that people made in this window, in order, and what they took back of it. */
export class Undo {
  readonly store = createStore<{ done: readonly Deed[]; undone: readonly Deed[] }>({ done: [], undone: [] })
  private readonly hear: (heard: Heard) => void
  /** The chain of deeds: one runs after the other, even when keys are pressed faster. */
  private last: Promise<void> = Promise.resolve()

  constructor(hear: (heard: Heard) => void = () => undefined) {
    this.hear = hear
  }

  /** Notes a deed. What was taken back before can not be done again from then on. */
  did(deed: Deed): void {
    const { done } = this.store.get()
    this.store.set({ done: [...done, deed].slice(-MOST), undone: [] })
    this.hear({ deed, how: 'done' })
  }

  /**
   * Does something that takes a while and notes the deed; `null` notes none. What is taken back meanwhile waits for it: it
   * means this deed, whose effect may show before it is done. Answers whether there was a deed.
   */
  async doing(act: () => Promise<Deed | null>): Promise<boolean> {
    let deed: Deed | null = null
    await this.next(async () => {
      deed = await act()
      if (deed) this.did(deed)
    })
    return deed !== null
  }

  /** Takes back the last deed, or this one if it is still the last; one that fails stays, to be tried again. */
  undo(only?: Deed): Promise<void> {
    return this.next(async () => {
      const deed = this.store.get().done.at(-1)
      if (!deed || (only && only !== deed)) return
      if (!(await this.tried(deed, () => deed.undo()))) return
      const { done, undone } = this.store.get()
      this.store.set({ done: done.filter((one) => one !== deed), undone: [...undone, deed] })
      this.hear({ deed, how: 'undone' })
    })
  }

  /** Does again what was taken back last. */
  redo(): Promise<void> {
    return this.next(async () => {
      const deed = this.store.get().undone.at(-1)
      if (!deed) return
      if (!(await this.tried(deed, () => deed.redo()))) return
      const { done, undone } = this.store.get()
      // Something else may have been done meanwhile, and then there is nothing to go on with.
      this.store.set({ done: [...done, deed], undone: undone.filter((one) => one !== deed) })
      this.hear({ deed, how: 'redone' })
    })
  }

  private async tried(deed: Deed, act: () => Promise<void> | void): Promise<boolean> {
    try {
      await act()
      return true
    } catch (thrown) {
      this.hear({ deed, how: hostErrorOf(thrown) })
      return false
    }
  }

  private next(act: () => Promise<void>): Promise<void> {
    const next = this.last.then(act)
    this.last = next.catch(() => undefined)
    return next
  }
}
