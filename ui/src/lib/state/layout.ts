import { textScale } from '../canvas/drawn'
import { layoutOf, type Layout } from '../view/layout'
import type { App } from './app'
import { settings } from './settings'

/** Returns the layout of an open session in the window as it is now. */
export function layoutNow(app: App): Layout {
  const set = settings.get()
  const trouble = app.health.store.get().trouble !== null
  const steered = app.steering.store.get().process !== null
  return layoutOf(window.innerHeight, textScale(), set, { trouble, steered })
}

/** Folds an open pane to a line, and opens a folded one. In the reading mode the pane comes back, open. */
export function turnFold(app: App, pane: 'graph' | 'timeline'): void {
  const reading = app.panes.get().reading
  settings.set({ [pane]: reading || layoutNow(app)[pane] === 'folded' })
  if (reading) app.panes.set({ reading: false })
}

/** In a window that is narrower than this the drawer lies over the page (`styles/topbar.css`), pixels at the normal size of text. */
const DRAWER_OVER_PX = 1240

/** Tells whether the drawer has a place of its own beside the page. */
export const hasRoomForDrawer = (): boolean => window.innerWidth > DRAWER_OVER_PX * textScale()
