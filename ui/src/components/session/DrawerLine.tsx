import type { SessionAnswer } from '../../lib/ipc/generated/SessionAnswer'
import { useApp, type App } from '../../lib/state/app'
import { text } from '../../lib/text'
import type { DrawerEntry, MoreEntry } from '../../lib/view/drawer'
import { count } from '../../lib/view/format'
import { isRowOf } from '../../lib/view/sessions'
import { HitRow } from './HitRow'
import { SessionRow } from './SessionRow'

/** One line of the drawer, of any kind. */
export function DrawerLine({ entry, shown }: { entry: DrawerEntry; shown: SessionAnswer | null }) {
  const app = useApp()
  switch (entry.kind) {
    case 'head':
      return (
        <h3 className="drawer-group p-8-6-4 bg-panel text-main" data-testid={`head-${entry.what}`}>
          {text.drawer.heads[entry.what]}
          {entry.n !== null && (
            <span className="muted flex-none weight-400">
              {text.drawer.headCount(count(entry.n), entry.more)}
            </span>
          )}
        </h3>
      )
    case 'group':
      return (
        <h3 className="drawer-group p-8-6-4 bg-panel" title={entry.group.path ?? ''}>
          {entry.group.pinned
            ? text.drawer.pinned
            : entry.group.name === ''
              ? text.drawer.elsewhere
              : entry.group.name}
        </h3>
      )
    case 'found':
      return (
        <h3
          className="drawer-group p-8-6-4 bg-panel"
          title={entry.found.path}
          data-testid="found"
          data-path={entry.found.path}
        >
          <span className="clip">{entry.found.title}</span>
          <span className="muted flex-none weight-400">{count(entry.found.hits.length)}</span>
        </h3>
      )
    case 'session':
      return <SessionRow entry={entry} current={shown !== null && isRowOf(entry.node.row, shown)} />
    case 'hit':
      return <HitRow entry={entry} />
    case 'more':
      return (
        <button
          type="button"
          className="display-block rounded-6 w-full p-4-8 hover-panel2 text-s muted hover-text"
          data-testid="more"
          data-stop=""
          onClick={() => showMore(app, entry)}
        >
          {moreLabel(entry)}
        </button>
      )
    case 'note':
      return (
        <div
          className={entry.note.bad ? 'drawer-note bad text-s p-8' : 'drawer-note text-s p-8'}
          data-testid="drawer-note"
        >
          <p>{entry.note.what}</p>
          {entry.note.hint && <p className="muted">{entry.note.hint}</p>}
        </div>
      )
  }
}

function moreLabel({ of, n }: MoreEntry): string {
  if (of === 'sessions') return text.drawer.moreSessions(count(n ?? 0))
  if (of === 'texts') return text.drawer.moreTexts
  return text.drawer.moreHits(count(n ?? 0))
}

/** Shows the rest of a part of the drawer. */
function showMore(app: App, { of }: MoreEntry): void {
  if (of === 'sessions') app.sessions.showAllNamed()
  else if (of === 'texts') app.search.showMore()
  else app.search.showWhole(of)
}
