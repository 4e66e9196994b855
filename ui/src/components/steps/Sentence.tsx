import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { limitOf } from '../../lib/view/happened'
import { saidAt } from '../../lib/view/steps'

/** The sentence of the step at the cut. */
export function Sentence() {
  const app = useApp()
  const steps = useStore(app.bench.calm, (bench) => bench.steps)
  const limit = useStore(app.bench.calm, ({ view, replay }) => limitOf(view, replay))
  useStore(app.bench.calm, (bench) => bench.cut)
  const { turn, step } = app.bench.position(app.bench.calm.get())
  if (!steps || steps.turn !== turn)
    return <span className="sentence row grow gap-12 min-w-0 border-l nowrap px-12" />
  const { words, taken, over } = saidAt(steps, step, limit)
  const episode = taken?.episode ?? null
  return (
    <span
      className="sentence row grow gap-12 min-w-0 border-l nowrap px-12"
      data-testid="sentence"
      title={words}
    >
      {taken && (
        <span className="muted tabular leading-15 flex-none text-s">{`${count(taken.before)} → ${count(taken.after)}`}</span>
      )}
      {taken && episode !== null ? (
        <button type="button" className="link min-w-0 flex-shrinks" onClick={() => app.bench.select(episode)}>
          <span className="words lines lines-2">{words}</span>
        </button>
      ) : (
        <span className="words lines lines-2">{words}</span>
      )}
      {over && <span className="text-error lines lines-2">{text.transport.overBudget}</span>}
    </span>
  )
}
