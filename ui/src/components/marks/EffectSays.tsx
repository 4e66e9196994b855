import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { Said } from '../shared/Said'

/** Maximum number of named items that are no longer read again. */
const MOST_SPARED = 3

const LOOKS: Record<string, string> = { better: 'text-ok semibold', worse: 'text-error semibold' }

/** Tells in words what the last change of marks does: the verdict, memory, and apart from it the cost. */
export function EffectSays() {
  const app = useApp()
  const { answer, failure } = useStore(app.marking.told, (state) => state)
  if (failure) return <p className="text-error">{failure.message}</p>
  if (!answer) return <p className="muted">{text.marks.effectWait}</p>
  const { kind, says, memory_says: memory, cost_says: cost, spared } = answer
  return (
    <div data-testid="effect-says" data-kind={kind}>
      <p className={`break-anywhere ${LOOKS[kind] ?? 'semibold'}`}>
        <Said text={says} />
      </p>
      {kind === 'better' && spared.length > 0 && (
        <p className="muted break-anywhere" data-testid="effect-spared">
          {spared
            .slice(0, MOST_SPARED)
            .map(({ name, turn, tokens }) => text.marks.sparedOne(name, count(turn), count(tokens)))
            .join('; ')}
          {spared.length > MOST_SPARED && ` ${text.reacquisitions.more(count(spared.length - MOST_SPARED))}`}
        </p>
      )}
      <dl className="facts grid gap-2-12">
        <dt className="muted">{text.marks.memory}</dt>
        <dd data-testid="effect-memory">
          <Said text={memory} />
        </dd>
        <dt className="muted">{text.marks.cost}</dt>
        <dd data-testid="effect-cost">
          <Said text={cost} />
        </dd>
      </dl>
    </div>
  )
}
