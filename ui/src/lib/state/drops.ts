import type { Drop } from '../ipc/drops'
import { createStore } from './store'

/** The effects of files that are dropped on the window. */
export interface DropActions {
  open(path: string): void
  /** Asks for the path of a file of which only the name is known. */
  ask(name: string): void
  /** More than one was dropped, and only the first is opened. */
  oneOf(n: number, name: string): void
}

/** Files over the window: while they are, it says so; the first that is dropped is opened. */
export class Drops {
  readonly store = createStore({ over: false })
  private readonly actions: DropActions

  constructor(actions: DropActions) {
    this.actions = actions
  }

  hear(drop: Drop): void {
    this.store.set({ over: drop.type === 'over' })
    if (drop.type !== 'dropped') return
    const { paths, names } = drop
    const [path, name = path] = [paths[0], names[0]]
    if (path === undefined) {
      if (name !== undefined) this.actions.ask(name)
      return
    }
    this.actions.open(path)
    if (name !== undefined && names.length > 1) this.actions.oneOf(names.length, name)
  }
}
