import { ChevronDown, DatabaseZap } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital } from '../../lib/view/format'
import { Button } from '../shared/Button'

/** Shows trouble with the store for as long as it lasts: the problem, the path, what works meanwhile, and the way out. */
export function StoreTrouble() {
  const app = useApp()
  const { trouble, retrying, folded } = useStore(app.health.store, (state) => state)
  return (
    <div role="status" aria-live="polite">
      {trouble && (
        <section
          className="store-trouble border-b border-error flex items-start gap-12 bg-panel relative p-4-12"
          aria-label={text.store.label}
          data-testid="store-trouble"
          data-kind={trouble.kind}
          data-in-memory={trouble.in_memory}
        >
          <DatabaseZap size={16} className="mt-6 text-error" aria-hidden />
          <div className="grow min-w-0">
            <p className="my-4">
              <strong>{text.store.title[trouble.kind]}.</strong> {capital(trouble.hint)}.{' '}
              <code className="muted break-anywhere">{trouble.path}</code>
            </p>
            {!folded && (
              <dl className="facts border-b border-error z-20 grid bg-panel shadow absolute left-0 right-0 gap-6-10">
                <dt>{text.store.works}</dt>
                <dd>{capital(trouble.effect)}.</dd>
                <dt>{text.store.exactly}</dt>
                <dd className="muted">{trouble.detail}</dd>
              </dl>
            )}
          </div>
          <Button testid="store-retry" disabled={retrying} onClick={() => void app.health.retry()}>
            {retrying ? text.store.retrying : text.store.retry}
          </Button>
          <Button
            look="quiet"
            label={folded ? text.store.unfold : text.store.fold}
            testid="store-fold"
            aria-expanded={!folded}
            onClick={() => app.health.fold(!folded)}
          >
            <ChevronDown size={14} className={folded ? '' : 'upside'} />
          </Button>
        </section>
      )}
    </div>
  )
}
