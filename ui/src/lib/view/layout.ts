/** Whether a pane above the tabs is drawn in full, or folded to one line. */
export type Fold = 'open' | 'folded'

/** The wishes for the parts of the window that a layout goes by. */
export interface LayoutWishes {
  /** `null`: as there is room. */
  graph: boolean | null
  timeline: boolean | null
  /** The height of tabs and list, pixels at the normal size of text; `null` until the user sets it. */
  below: number | null
}

/** The layout of a session, all lengths in pixels of the screen. */
export interface Layout {
  /** True in a low window: bars are thinner. */
  compact: boolean
  graph: Fold
  timeline: Fold
  /** The least height of everything above the bar of steps. */
  above: number
  /** The height of tabs and list, and the most that it may be. */
  below: number
  most: number
}

/** In a window that is lower than this the bars are thinner. */
const LOW = 820
/** In a window that is lower than this the timeline is folded until the user opens it. */
const LOWEST = 640

/** Heights of the parts, pixels at the normal size of text. `styles/frame.css` and `styles/graph.css` hold the same. */
const USUAL = { top: 47, steps: 41, strip: 38, graph: 152, timeline: 84, line: 38 }
const COMPACT = { top: 43, steps: 37, strip: 18, graph: 150, timeline: 84, line: 25 }
const TROUBLE = 44
const STEERED = 37

/** The list itself, with the bar of its tab and the tabs: the height that a list gets before the panes above it get more. */
const LIST = 454
/** Of a higher window, tabs and list get this share. */
const SHARE_BELOW = 0.46
const LEAST_BELOW = 200

/**
 * Lays a session out in a window of `tall` pixels, with text `scale` times its normal size. The list has 320 pixels in a
 * window of 720, and about half of a higher one; graph and timeline share the rest.
 */
export function layoutOf(
  tall: number,
  scale: number,
  wishes: LayoutWishes,
  bars: { trouble?: boolean; steered?: boolean },
): Layout {
  const compact = tall / scale < LOW
  const part = compact ? COMPACT : USUAL
  const graph: Fold = (wishes.graph ?? true) ? 'open' : 'folded'
  const timeline: Fold = (wishes.timeline ?? tall / scale >= LOWEST) ? 'open' : 'folded'
  const above =
    scale *
    ((graph === 'open' ? part.strip + part.graph : part.line) +
      (timeline === 'open' ? part.timeline : part.line))
  const more = (bars.trouble ? TROUBLE : 0) + (bars.steered ? STEERED : 0)
  const taken = scale * (part.top + part.steps + more)
  const most = Math.max(LEAST_BELOW * scale, Math.floor(tall - taken - above))
  const wanted = wishes.below ?? Math.max(LIST * scale, Math.round(tall * SHARE_BELOW))
  const both = graph === 'folded' && timeline === 'folded'
  return { compact, graph, timeline, above, below: both ? most : Math.min(Math.round(wanted), most), most }
}
