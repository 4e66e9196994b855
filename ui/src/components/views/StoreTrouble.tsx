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
          className="store-trouble"
          aria-label={text.store.label}
          data-testid="store-trouble"
          data-kind={trouble.kind}
          data-in-memory={trouble.in_memory}
        >
          <DatabaseZap size={16} aria-hidden />
          <div className="store-trouble-text">
            <p>
              <strong>{text.store.title[trouble.kind]}.</strong> {capital(trouble.hint)}.{' '}
              <code className="muted">{trouble.path}</code>
            </p>
            {!folded && (
              <dl className="facts">
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
