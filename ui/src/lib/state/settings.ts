import type { AxisKind } from '../view/scale'
import { createStore } from './store'

/** What the window remembers. */
export interface Settings {
  theme: 'system' | 'light' | 'dark'
  /** Height of the panes below, pixels; `null` until somebody chose one. */
  below: number | null
  /** Width of the inspector, pixels. */
  aside: number
  /** What the time axis counts. */
  axis: AxisKind
}

const KEY = 'cwl-inspector.settings'
const DEFAULTS: Settings = { theme: 'system', below: null, aside: 360, axis: 'turns' }

function load(): Settings {
  try {
    const held: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    const known = held as Partial<Settings>
    return {
      theme: known.theme === 'light' || known.theme === 'dark' ? known.theme : 'system',
      below: typeof known.below === 'number' ? known.below : DEFAULTS.below,
      aside: typeof known.aside === 'number' ? known.aside : DEFAULTS.aside,
      axis: known.axis === 'tokens' ? 'tokens' : DEFAULTS.axis,
    }
  } catch {
    return DEFAULTS
  }
}

export const settings = createStore<Settings>(typeof localStorage === 'undefined' ? DEFAULTS : load())

/** Keeps the theme of the page, and what is remembered, in step with the settings. */
export function applySettings(): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const { theme } = settings.get()
    const resolved = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
    document.documentElement.dataset.theme = resolved
  }
  apply()
  dark.addEventListener('change', apply)
  settings.subscribe(() => {
    apply()
    try {
      localStorage.setItem(KEY, JSON.stringify(settings.get()))
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

/** Exchanges turns and tokens on the time axis. */
export function nextAxis(): void {
  settings.set({ axis: settings.get().axis === 'turns' ? 'tokens' : 'turns' })
}
