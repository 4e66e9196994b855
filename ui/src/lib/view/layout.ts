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
const USUAL = { top: 47, steps: 41, legend: 32, strip: 38, graph: 152, timeline: 84, line: 38 }
const COMPACT = { top: 43, steps: 37, legend: 32, strip: 18, graph: 150, timeline: 84, line: 25 }
const TROUBLE = 44
const STEERED = 37

/** The shares of the window that graph and timeline have at first: strip and graph a third of it. */
const SHARE_GRAPH = 1 / 3
/** In a low window tabs need the room to show a whole answer. */
const SHARE_GRAPH_LOW = 0.23
const SHARE_TIMELINE = 0.117
/** Tabs and list have at least this much, as far as the panes above them do not need it. */
const LIST = 240
const LEAST_BELOW = 200

/**
 * Lays a session out in a window of `tall` pixels, with text `scale` times its normal size. The graph has a third of the
 * window (a quarter of a low one), the timeline stands below it on the same axis, and tabs and list have the rest. `measured` is the room without the
 * bars at the top and the bar of steps, which have more lines in a narrow window.
 */
export function layoutOf(
  tall: number,
  scale: number,
  wishes: LayoutWishes,
  bars: { trouble?: boolean; steered?: boolean },
  measured: number | null = null,
): Layout {
  const compact = tall / scale < LOW
  const part = compact ? COMPACT : USUAL
  const graph: Fold = (wishes.graph ?? true) ? 'open' : 'folded'
  const timeline: Fold = (wishes.timeline ?? tall / scale >= LOWEST) ? 'open' : 'folded'
  const both = graph === 'folded' && timeline === 'folded'
  const legend = both ? 0 : part.legend * scale
  const heightOf = (isOpen: boolean, least: number, wanted = 0) =>
    isOpen ? Math.max(least * scale, wanted) : part.line * scale
  const heights = (graphWanted: number, timelineWanted: number) =>
    legend +
    heightOf(graph === 'open', part.strip + part.graph, graphWanted) +
    heightOf(timeline === 'open', part.timeline, timelineWanted)
  const above = heights(0, 0)
  const more = (bars.trouble ? TROUBLE : 0) + (bars.steered ? STEERED : 0)
  const room = measured ?? tall - scale * (part.top + part.steps + more)
  const most = Math.max(LEAST_BELOW * scale, Math.floor(room - above))
  const share = compact ? SHARE_GRAPH_LOW : SHARE_GRAPH
  const rest = Math.floor(room - heights(tall * share, tall * SHARE_TIMELINE))
  const wanted = wishes.below ?? Math.max(LIST * scale, rest)
  return { compact, graph, timeline, above, below: both ? most : Math.min(Math.round(wanted), most), most }
}
