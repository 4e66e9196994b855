import type { MarksEffectKind } from '../../lib/ipc/generated/MarksEffectKind'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { MEASURES } from '../../lib/view/comparison'
import { shownBy } from '../../lib/view/happened'
import { Button } from '../shared/Button'
import { Said } from '../shared/Said'
import { EffectSays } from './EffectSays'

/** The measures of the card, all of the whole session, in their order. */
const SHOWN = ['mean', 'cost', 'hits', 'reacquired', 'over', 'steps'].flatMap(
  (key) => MEASURES.find((measure) => measure.key === key) ?? [],
)

/** Tells what the last change of marks does: the differences, and the figures before and after. */
export function EffectCard() {
  const app = useApp()
  const last = useStore(app.marking.store, (marking) => marking.last)
  const annotation = useStore(app.bench.store, (bench) => bench.view.annotation)
  const view = useStore(app.bench.store, (bench) => bench.view)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const undoable = useStore(app.undo.store, ({ done }) => done.length > 0)
  const { answer, busy, failure } = useStore(app.marking.effect, (state) => state)
  const told = useStore(app.marking.told, (state) => state.answer)
  if (!last || last.name !== annotation) return null
  return (
    <section
      className="marks-effect text-s bg-panel2 rounded-8 p-8-12 mt-10"
      data-testid="marks-effect"
      data-busy={busy}
      aria-live="polite"
    >
      <header className="row">
        <h3>{text.marks.effect}</h3>
        <span className="badge simulated ml-6">{shownBy({ ...view, ...app.bench.simulation }, replay)}</span>
        <span className="grow" />
        {undoable && (
          <Button look="quiet" onClick={() => void app.undo.undo()}>
            {text.notes.undo}
          </Button>
        )}
      </header>
      <ul className="m-2-0-6 break-anywhere">
        {last.changes.slice(0, MOST_CHANGES).map((change) => (
          <li key={change}>
            <Said text={change} end="" />
          </li>
        ))}
        {last.changes.length > MOST_CHANGES && (
          <li className="muted">+{last.changes.length - MOST_CHANGES}</li>
        )}
      </ul>
      {failure && <p className="text-error">{failure.message}</p>}
      <EffectSays />
      {answer && (
        <table className="w-full">
          <thead>
            <tr>
              <td />
              {answer.map(({ label, name }) => (
                <th key={label} scope="col" className="clip muted text-left weight-400" title={name}>
                  {text.marks.effectOf[label](name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {SHOWN.map((measure) => {
              const [label, hint] = text.compare.measures[measure.key] ?? [measure.key, '']
              const values = answer.map(({ column }) => measure.value(column))
              const now = values.at(-1) ?? 0
              const before = values.at(-2) ?? now
              // A cost that only the cache moved is neither better nor worse.
              const isCache = measure.key === 'cost' && told !== null && isOfCache(told.kind)
              const [was, is] = [answer.at(-2), answer.at(-1)].map((one) => one && measure.shown(one.column))
              const sign =
                was === is || measure.better === null || isCache
                  ? ''
                  : now < before === (measure.better === 'less')
                    ? 'text-ok semibold'
                    : 'text-error semibold'
              return (
                <tr key={measure.key} data-measure={measure.key}>
                  <th className="muted text-left weight-400" scope="row" title={hint}>
                    {label}
                  </th>
                  {answer.map(({ label: of, column }) => (
                    <td key={of} className={of === 'now' ? sign : undefined} data-column={of}>
                      {measure.shown(column)}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}

const isOfCache = (kind: MarksEffectKind) => kind === 'cache_only' || kind === 'words_only'

/** The most differences that the card lists. */
const MOST_CHANGES = 4
