import type { AxisKind } from '../view/scale'
import { usualStorage } from './remembered'
import { createStore } from './store'

/** The settings with a few values each; the first value is the default. */
export const CHOICES = {
  theme: ['system', 'light', 'dark'],
  contrast: ['system', 'normal', 'high'],
  motion: ['system', 'reduced', 'full'],
  /** Where the episode pane stands when something is selected: beside the tabs, under them, or nowhere. */
  inspector: ['right', 'below', 'hidden'],
  /** The unit of the time axis. */
  axis: ['turns', 'tokens'],
  /** How requests are divided into bands: by where a block belongs, or by what it is. */
  bands: ['episode', 'content'],
  /** Texts in Markdown: laid out, or as they were written. */
  markdown: ['rendered', 'written'],
  /** The height scale of the timeline: large values in a band of their own, or all on one scale. */
  scale: ['band', 'all'],
} as const

type Chosen = { [K in keyof typeof CHOICES]: (typeof CHOICES)[K][number] }

/** How large text and everything around it is, from the smallest on. */
export const TEXT_SCALES = [0.875, 1, 1.125, 1.25, 1.5] as const

/** The settings that the window remembers. */
export interface Settings extends Chosen {
  axis: AxisKind
  /** A place in `TEXT_SCALES`. */
  textSize: number
  /** True when the pane is open, false when it is folded to a line, `null` when that goes by the room there is. */
  graph: boolean | null
  timeline: boolean | null
  /** The height of the panes below, pixels; `null` until the user sets it. */
  below: number | null
  /** Width of the episode pane beside the tabs, and its height under them; pixels. */
  aside: number
  under: number
}

const KEY = 'cwl-inspector.settings'

export const LAYOUT = {
  inspector: 'right',
  graph: null,
  timeline: null,
  below: null,
  aside: 360,
  under: 140,
} as const satisfies Partial<Settings>

export const DEFAULTS: Settings = {
  theme: 'system',
  contrast: 'system',
  motion: 'system',
  axis: 'turns',
  bands: 'episode',
  markdown: 'rendered',
  scale: 'band',
  textSize: 1,
  ...LAYOUT,
}

/** The settings in what was stored, which may be anything; what does not fit is as if it were not there. */
export function settingsOf(stored: unknown): Settings {
  const held: Record<string, unknown> = typeof stored === 'object' && stored !== null ? { ...stored } : {}
  const chosen = <K extends keyof Chosen>(name: K): Chosen[K] => {
    const values: readonly unknown[] = CHOICES[name]
    return values.includes(held[name]) ? (held[name] as Chosen[K]) : DEFAULTS[name]
  }
  const size = <T>(name: string, usual: T): number | T => {
    const value = held[name]
    return typeof value === 'number' && value >= 1 && value <= 10_000 ? Math.round(value) : usual
  }
  const { textSize, graph, timeline } = held
  const known = typeof textSize === 'number' && TEXT_SCALES[textSize] !== undefined
  return {
    theme: chosen('theme'),
    contrast: chosen('contrast'),
    motion: chosen('motion'),
    inspector: chosen('inspector'),
    axis: chosen('axis'),
    bands: chosen('bands'),
    markdown: chosen('markdown'),
    scale: chosen('scale'),
    textSize: known ? textSize : DEFAULTS.textSize,
    graph: typeof graph === 'boolean' ? graph : DEFAULTS.graph,
    timeline: typeof timeline === 'boolean' ? timeline : DEFAULTS.timeline,
    below: size('below', null),
    aside: size('aside', DEFAULTS.aside),
    under: size('under', DEFAULTS.under),
  }
}

function load(): Settings {
  try {
    return settingsOf(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
  } catch {
    return DEFAULTS
  }
}

export const settings = createStore<Settings>(typeof localStorage === 'undefined' ? DEFAULTS : load())

/** The wishes of the operating system. */
interface Wishes {
  dark: boolean
  contrast: boolean
  still: boolean
  /** The system has its own colours, and says whether they are dark. */
  forced: boolean
}

/** Returns the attributes of the page's root, which styles and canvases go by. */
export function looksOf({ theme, contrast, motion, textSize }: Settings, system: Wishes) {
  return {
    theme: theme === 'system' || system.forced ? (system.dark ? 'dark' : 'light') : theme,
    contrast: contrast === 'high' || (contrast === 'system' && system.contrast) ? 'high' : 'normal',
    motion: motion === 'reduced' || (motion === 'system' && system.still) ? 'reduced' : 'full',
    scale: TEXT_SCALES[textSize] ?? 1,
  }
}

/** Keeps the look of the page, and what is remembered, in step with the settings. */
export function applySettings(): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)')
  const contrast = window.matchMedia('(prefers-contrast: more), (forced-colors: active)')
  const still = window.matchMedia('(prefers-reduced-motion: reduce)')
  const forced = window.matchMedia('(forced-colors: active)')
  const apply = () => {
    const system = {
      dark: dark.matches,
      contrast: contrast.matches,
      still: still.matches,
      forced: forced.matches,
    }
    const looks = looksOf(settings.get(), system)
    const root = document.documentElement
    root.dataset.contrast = looks.contrast
    root.dataset.motion = looks.motion
    root.style.setProperty('--text-scale', String(looks.scale))
    // Last, as canvases read all of it anew when it is set.
    root.dataset.theme = looks.theme
  }
  apply()
  for (const wish of [dark, contrast, still, forced]) wish.addEventListener('change', apply)
  settings.subscribe(() => {
    apply()
    try {
      usualStorage()?.setItem(KEY, JSON.stringify(settings.get()))
    } catch {
      // A window without storage works, it only forgets.
    }
  })
}

export function nextTheme(): void {
  const { theme } = settings.get()
  const shownDark = document.documentElement.dataset.theme === 'dark'
  settings.set({
    theme: theme === 'system' ? (shownDark ? 'light' : 'dark') : theme === 'dark' ? 'light' : 'dark',
  })
}

/** Makes text larger or smaller; it stays where there is no more. */
export function textBy(steps: number): void {
  const next = settings.get().textSize + steps
  if (TEXT_SCALES[next] !== undefined) settings.set({ textSize: next })
}

/** The settings of two values. */
export type Pair = 'axis' | 'bands' | 'markdown' | 'scale'

/** Takes the other value of a setting of two. */
export function exchange(setting: Pair): void {
  const [first, second] = CHOICES[setting]
  settings.set({ [setting]: settings.get()[setting] === first ? second : first })
}
