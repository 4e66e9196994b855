import type { Tab } from '../../panes'
import type { HostError } from '../ipc/host'
import type { Distance } from '../view/distance'

/** The parts of the window that are open, apart from the session itself. */
export interface Panes {
  tab: Tab
  /** The distance from which the graph is seen. */
  distance: Distance
  drawer: boolean
  dialog: 'open' | 'help' | 'palette' | 'settings' | 'export' | 'link' | 'reader' | null
  /** The words that the help begins with. */
  helpFind: string
  /** The name of a file that was dropped, of which the page does not know where it is. */
  dropped: string | null
  /** The session that could not be opened while another one is open, and why. */
  notOpened: { target: string; failure: HostError } | null
  /** True when the search field of the drawer wants the keyboard. */
  searchAsked: boolean
  /** Grows by one when the find field of the tab wants the keyboard. */
  findAsked: number
  /** Brings a line of the log, or a block of it, into view in the Context tab; grows by one per wish. */
  showInContext: {
    line: number
    wish: number
    step: { turn: number; step: number } | null
    block?: string
    /** The text to find from there on. */
    find?: string
  } | null
  /** The last thing that the host complained about. */
  trouble: string | null
  /** True when the list has the window: graph, timeline and episode pane are away. */
  reading: boolean
}

/** The state of the panes when the window opens. */
export const FIRST_PANES: Panes = {
  tab: 'overview',
  distance: 'session',
  drawer: false,
  dialog: null,
  helpFind: '',
  dropped: null,
  notOpened: null,
  searchAsked: false,
  findAsked: 0,
  showInContext: null,
  trouble: null,
  reading: false,
}
