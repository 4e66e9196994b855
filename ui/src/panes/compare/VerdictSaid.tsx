import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { capital } from '../../lib/view/format'
import { words } from './words'

/** The verdict on the session, as the engine words it, and what it is about. */
export function VerdictSaid() {
  const app = useApp()
  const { answer, failure } = useStore(app.verdict.store, (state) => state)
  return (
    <div className="verdict min-h-20 p-6-12" data-outcome={answer?.outcome ?? 'unknown'} aria-live="polite">
      {answer ? (
        <>
          <p className="semibold leading-tight" data-testid="verdict-said">
            {answer.says}.
          </p>
          <p className="muted text-s leading-tight mt-4" data-testid="verdict-scope">
            {answer.scope.says}.
          </p>
        </>
      ) : (
        <p className="muted">{failure ? `${capital(failure.message)}.` : words.judging}</p>
      )}
    </div>
  )
}
