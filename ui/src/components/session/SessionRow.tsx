import { ChevronRight, Pin, PinOff, StickyNote } from 'lucide-react'
import type { CSSProperties } from 'react'

import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { ago, bytes, count, short } from '../../lib/view/format'
import type { NodeEntry } from '../../lib/view/drawer'
import { canOpen } from '../../lib/view/sessions'
import { Button } from '../shared/Button'

/** How many levels of subagents are drawn as such; the drawer is narrow. */
const MOST_DEPTH = 8

/** One session, and below it the button that shows and hides its subagents. */
export function SessionRow({ entry, current }: { entry: NodeEntry; current: boolean }) {
  const app = useApp()
  const { node, open, level } = entry
  const apart = useStore(app.sessions.store, (state) => state.apart.get(entry.node.row.path))
  const { row, children } = node
  const label = text.drawer.subagents(children.length, row.children.length)
  const depth = Math.min(level - 2, MOST_DEPTH)
  return (
    <div
      className={`session-place relative ${depth > 0 ? 'nested' : ''}`}
      style={{ '--depth': depth } as CSSProperties}
    >
      <button
        type="button"
        className="session-row list-row display-block rounded-6 w-full p-6-8"
        data-testid={entry.recent ? 'recent-row' : 'session-row'}
        data-stop=""
        data-path={row.path}
        aria-current={current}
        title={hint(row)}
        disabled={!canOpen(row)}
        onClick={() => app.choose(row.path)}
      >
        <span className="row">
          <span
            className={`w-8 h-8 inline-block flex-none mr-6 live-dot ${row.gone ? 'gone' : row.live ? 'on' : ''}`}
            data-live={row.live}
            title={row.live ? text.top.liveHint : undefined}
          />
          <span className="clip">{row.title}</span>
          {apart !== undefined && (
            <span className="muted mono flex-none text-xs" data-testid="twin">
              {apart}
            </span>
          )}
        </span>
        <Figures row={row} />
      </button>
      <Button
        look="quiet"
        className={`row-pin absolute top-4 right-4 ${row.pinned ? 'on' : ''}`}
        label={row.pinned ? text.drawer.unpin(row.title) : text.drawer.pin(row.title)}
        testid="pin-session"
        aria-pressed={row.pinned}
        onClick={() => void app.attempt(app.notes.pin(row.path, !row.pinned))}
      >
        {row.pinned ? <PinOff size={13} /> : <Pin size={13} />}
      </Button>
      {children.length > 0 && (
        <button
          type="button"
          className="unfold muted row gap-4 text-s rounded-6 px-8 min-h-24 ml-4 hover-panel2 hover-text"
          data-testid="unfold"
          data-stop=""
          aria-expanded={open}
          aria-label={text.drawer.subagentsOf(label, row.title)}
          onClick={() => app.sessions.unfold(row.path, !open)}
        >
          <ChevronRight size={13} aria-hidden />
          {label}
        </button>
      )}
    </div>
  )
}

/** The figures of a session, in one line. */
export function Figures({ row }: { row: SessionListRow }) {
  const tokens = row.tokens === null ? null : text.drawer.tokens(short(row.tokens), row.tokenizer)
  return (
    <span className="muted flex flex-wrap text-s pl-12 gap-2-8">
      {row.harness !== '' && <span data-testid="harness">{row.harness}</span>}
      {row.subagent !== null && !row.title.includes(row.subagent) && (
        <span className="clip">{row.subagent}</span>
      )}
      {row.n_turns !== null && <span>{text.drawer.requests(count(row.n_turns))}</span>}
      {tokens ? (
        <span title={tokens.hint}>{tokens.label}</span>
      ) : (
        // A session in a database has no size of its own.
        row.size > 0 && <span>{bytes(row.size)}</span>
      )}
      {row.changed_at_ms !== null && <span>{ago(row.changed_at_ms, Date.now())}</span>}
      {row.annotation === 'annotated' && <span className="badge ok">{text.drawer.annotated}</span>}
      {row.annotation === 'none' && <span className="badge">{text.drawer.plain}</span>}
      {row.n_notes > 0 && (
        <span
          className="inline-row gap-4 text-active"
          data-testid="row-notes"
          title={text.notes.count(row.n_notes)}
        >
          <StickyNote size={11} aria-label={text.notes.count(row.n_notes)} /> {row.n_notes}
        </span>
      )}
      {row.archived && <span className="badge">{text.drawer.archived}</span>}
      {row.gone && <span className="badge warn">{text.drawer.gone}</span>}
    </span>
  )
}

/** Returns the tooltip of a row. */
function hint(row: SessionListRow): string {
  const lines = [row.path]
  if (row.format !== row.harness) lines.push(text.drawer.format(row.format))
  if (row.continues !== null) lines.push(text.drawer.continues(row.continues))
  return lines.join('\n')
}
