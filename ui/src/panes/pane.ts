import type { ComponentType } from 'react'

import type { Host } from '../lib/ipc/host'
import type { App } from '../lib/state/app'
import type { Command } from '../lib/state/command'
import type { Workbench } from '../lib/state/workbench'

/** A pane of the window: a tab with all that is its own. A folder holds it, and `index.ts` lists it. */
export interface Pane<S = unknown> {
  /** The name on its tab. */
  title: string
  /** The keys that open it; without them, the number of its tab among those without. */
  keys?: readonly string[]
  /** Makes its state when the window opens; `App.stateOf` gives it. */
  makeState?: (host: Host, bench: Workbench) => S
  /** Reads the figure on its tab, as a hook; 0 is not shown. */
  useCount?: (app: App) => number
  /** The commands of the pane, for keys, help and palette. */
  commands?: readonly Command[]
  /** Loads what it shows, with its styles. */
  load: () => Promise<{ default: ComponentType }>
}
