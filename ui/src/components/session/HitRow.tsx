import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { hitName, type HitEntry } from '../../lib/view/drawer'
import { capital, count } from '../../lib/view/format'

/** A text that was found: its speaker, its turn, and the words around the match. */
export function HitRow({ entry }: { entry: HitEntry }) {
  const app = useApp()
  const { found, hit } = entry
  const current = useStore(
    app.bench.store,
    ({ session, block }) => session?.session === found.session && block === hit.block,
  )
  return (
    <button
      type="button"
      className="hit-row list-row display-block rounded-6 w-full p-4-8"
      data-testid="hit"
      data-stop=""
      data-block={hit.block}
      data-turn={hit.turn ?? ''}
      aria-current={current}
      onClick={() => void app.navigation.openHit(found, hit)}
    >
      <span className="hit-head muted flex gap-8 text-s">
        <span className="clip flex-shrinks">{hitName(hit)}</span>
        {hit.turn !== null && <span>{text.drawer.hitTurn(count(hit.turn))}</span>}
        {hit.held !== null && (
          <span
            className={hit.held ? 'badge ok' : 'badge'}
            title={`${capital(hit.held_says)}.`}
            data-testid="held"
            data-held={hit.held}
          >
            {hit.held ? text.drawer.held : text.drawer.notHeld}
          </span>
        )}
        {hit.branch !== null && <span className="badge">{text.drawer.otherBranch}</span>}
        {hit.turn === null && <span className="badge">{text.drawer.noBranch}</span>}
        {hit.n_blocks > 1 && (
          <span title={text.drawer.hitCopiesHint}>{text.drawer.hitCopies(count(hit.n_blocks))}</span>
        )}
      </span>
      <span className="hit-text lines lines-3 text-s overflow-hidden break-anywhere isolate" dir="auto">
        {hit.before}
        {hit.matched !== '' && <mark className="rounded-2 text-inherit">{hit.matched}</mark>}
        {hit.after}
      </span>
    </button>
  )
}
