import { scrollByRow } from '../blocks/Rows'
import type { App } from '../../lib/state/app'
import { TABS } from '../../lib/state/app'
import { nextAxis } from '../../lib/state/settings'
import { fit, zoomCentre } from '../../lib/state/viewport'
import { text } from '../../lib/text/en'
import { nudge } from '../../lib/view/budget'

/** A key and what it does; the help lists the same table. */
export interface Binding {
  /** As `KeyboardEvent.key`, with `Ctrl+` or `Shift+` before it. */
  keys: string[]
  /** What the help shows; none for a twin of the binding before it. */
  shown?: [string, string]
  run: (app: App, key: string) => void
  /** True for keys that also work while a field has the keyboard. */
  anywhere?: boolean
}

const tau = (direction: 1 | -1) => (app: App) => {
  const budget = app.bench.bench.replay?.budget
  if (budget !== undefined) app.bench.setView({ budget: String(nudge(budget, direction)) }, true)
}

export const BINDINGS: Binding[] = [
  { keys: ['ArrowLeft'], shown: ['← →', text.keys.step], run: (app) => app.step(-1) },
  { keys: ['ArrowRight'], run: (app) => app.step(1) },
  { keys: ['Shift+ArrowLeft'], shown: ['Shift ← →', text.keys.turn], run: (app) => app.bench.turnBy(-1) },
  { keys: ['Shift+ArrowRight'], run: (app) => app.bench.turnBy(1) },
  { keys: ['PageUp', ','], shown: [', .', text.keys.pass], run: (app) => app.bench.passBy(-1) },
  { keys: ['PageDown', '.'], run: (app) => app.bench.passBy(1) },
  {
    keys: ['Home'],
    shown: ['Home End', text.keys.now],
    run: (app) => app.bench.moveTo({ turn: 1, step: 0 }),
  },
  { keys: ['End'], run: (app) => app.bench.toNow() },
  { keys: [' '], shown: ['Space', text.keys.play], run: (app) => app.player.toggle() },
  { keys: ['['], shown: ['[ ]', text.keys.tau], run: tau(-1) },
  { keys: [']'], run: tau(1) },
  { keys: ['j'], shown: ['j k', text.keys.list], run: () => scrollByRow(document, 1) },
  { keys: ['k'], run: () => scrollByRow(document, -1) },
  { keys: ['/'], shown: ['/', text.keys.find], run: find },
  { keys: ['Ctrl+f'], run: find, anywhere: true },
  {
    keys: ['Ctrl+b'],
    shown: ['Ctrl B', text.keys.sessions],
    run: (app) => app.panes.set({ drawer: !app.panes.get().drawer }),
    anywhere: true,
  },
  {
    keys: ['Ctrl+o'],
    shown: ['Ctrl O', text.keys.open],
    run: (app) => app.panes.set({ dialog: 'open' }),
    anywhere: true,
  },
  {
    keys: ['f', 'F'],
    shown: ['F', text.keys.follow],
    run: (app) => app.bench.setFollow(app.bench.bench.cut.turn !== null),
  },
  {
    keys: ['1', '2', '3', '4', '5', '6'],
    shown: ['1 – 6', text.keys.tabs],
    run: (app, key) => app.setTab(TABS[Number(key) - 1] ?? 'context'),
  },
  { keys: ['-'], shown: ['− + 0', text.keys.zoom], run: () => zoomCentre(1.5) },
  { keys: ['+', '='], run: () => zoomCentre(1 / 1.5) },
  { keys: ['0'], run: fit },
  { keys: ['x', 'X'], shown: ['X', text.keys.axis], run: nextAxis },
  { keys: ['?'], shown: ['?', text.keys.help], run: (app) => app.panes.set({ dialog: 'help' }) },
  { keys: ['Escape'], shown: ['Esc', text.keys.escape], run: escape, anywhere: true },
]

function find(): void {
  document.querySelector<HTMLInputElement>('[data-find]')?.focus()
}

function escape(app: App): void {
  const focused = document.activeElement
  if (focused instanceof HTMLInputElement) focused.blur()
  else if (app.panes.get().trouble !== null) app.panes.set({ trouble: null })
  else app.bench.select(null)
}

/** Where typing comes first. */
const TYPING =
  'input:not([type=range], [type=checkbox]), textarea, [role=combobox], [role=option], [role=dialog]'
/** Where arrows have a meaning of their own. */
const ARROWS = 'input[type=range], [role=slider], [role=separator], [role=tab]'
const OWN_SPACE = 'button, summary, a, input, [role=tab]'

function nameOf(event: KeyboardEvent): string {
  const control = event.ctrlKey || event.metaKey
  const shift = event.shiftKey && event.key.length > 1
  return `${control ? 'Ctrl+' : ''}${shift ? 'Shift+' : ''}${control ? event.key.toLowerCase() : event.key}`
}

/** Runs the binding of a key press, if it has one here. */
export function handleKey(app: App, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return
  if (app.panes.get().dialog !== null) return
  const name = nameOf(event)
  const binding = BINDINGS.find((candidate) => candidate.keys.includes(name))
  if (!binding) return
  const target = event.target instanceof Element ? event.target : null
  if (!binding.anywhere && target?.closest(TYPING)) return
  if (/Arrow|Home|End|Page/.test(name) && target?.closest(ARROWS)) return
  if (name === ' ' && target?.closest(OWN_SPACE)) return
  const scrolls = name === 'PageUp' || name === 'PageDown' || name === 'Home' || name === 'End'
  if (scrolls && target?.closest('.rows, .inspector, .drawer')) return
  event.preventDefault()
  binding.run(app, name)
}
