import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import type { NoteTarget } from '../../lib/ipc/generated/NoteTarget'
import type { App } from '../../lib/state/app'
import { SESSION } from '../../lib/view/notes'

/** Returns the element that has the keyboard, or the row that a list with the keyboard stands on. */
function standsOn(): Element | null {
  const focused = document.activeElement
  const active = focused?.getAttribute('aria-activedescendant')
  return (active ? document.getElementById(active) : null) ?? focused
}

/** Returns the subject of a new note: the block that has the keyboard, else the episode that has it or is selected, else the session. */
export function chosenSubject(app: App): NoteTarget {
  const at = standsOn()
  const article =
    at?.closest<HTMLElement>('[data-block]') ??
    at?.closest('.rows-place')?.querySelector<HTMLElement>('[data-block]')
  const block = article?.dataset.block
  const made = article?.classList.contains('made') ?? false
  if (block !== undefined && !made) return { on: 'block', block }
  const { selected, graph } = app.bench.bench
  const [, walked] = /^episode-(\d+)$/.exec(at?.id ?? '') ?? []
  const idx = walked === undefined ? selected : Number(walked)
  const name = idx === null ? undefined : graph?.episodes[idx]?.name
  return name === undefined ? SESSION : { on: 'episode', name }
}

const flat = (rows: readonly SessionListRow[]): SessionListRow[] =>
  rows.flatMap((row) => [row, ...flat(row.children)])

/** Returns the row of the list that has the keyboard, else the row of the open session. */
export function chosenRow(app: App): SessionListRow | null {
  if (typeof document === 'undefined') return null
  const path = standsOn()?.closest<HTMLElement>('.drawer [data-path]')?.dataset.path
  const { session } = app.bench.bench
  const wanted = path ?? session?.path
  if (wanted === undefined) return null
  const rows = flat(app.sessions.store.get().rows)
  return (
    rows.find((row) => row.path === wanted || (path === undefined && row.session === session?.session)) ??
    null
  )
}

/** Pins the chosen row to the top of the list, or unpins it. */
export function pinChosen(app: App): void {
  const row = chosenRow(app)
  if (row) void app.attempt(app.notes.pin(row.path, !row.pinned))
}
