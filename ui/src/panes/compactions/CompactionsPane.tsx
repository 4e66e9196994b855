import { useEffect } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { count } from '../../lib/view/format'
import { Empty } from '../../components/shared/Empty'
import { CompactionCard } from './CompactionCard'
import { words } from './words'
import { pane } from './pane'
import './compactions.css'

/** The Compactions tab: every compaction that the log records, audited. */
export function CompactionsPane() {
  const app = useApp()
  const { answer, failure } = useStore(app.stateOf(pane).store, (state) => state)
  const nClearings = useStore(app.bench.store, (bench) => bench.history?.clearings.length ?? 0)
  useEffect(() => app.stateOf(pane).look(), [app])
  if (failure) return <Empty title={failure.message}>{failure.hint}</Empty>
  if (!answer) return <Empty title={words.waiting} />
  const { compactions } = answer
  if (compactions.length === 0) {
    const { noneHint, clearedHint } = words
    const hint = nClearings === 0 ? noneHint : clearedHint(count(nClearings))
    return <Empty title={words.none}>{hint}</Empty>
  }
  return (
    <div className="pane">
      <div className="pane-bar">
        <span className="pane-sum clip" data-testid="compactions-sum" data-compactions={compactions.length}>
          {words.sum(count(compactions.length))}
        </span>
        <span className="muted clip">{words.basis(answer.counted_by)}</span>
      </div>
      <div className="compactions report scroll" tabIndex={0} role="region" aria-label={words.tab}>
        {compactions.map((one) => (
          <CompactionCard key={one.number} one={one} />
        ))}
        <div className="basis max-w-96ch muted grid gap-4 text-s p-8-12">
          <p>{answer.price.says}</p>
          {!answer.is_annotated && <p>{words.noEpisodes}</p>}
          {answer.price.problems.map((problem, at) => (
            <p key={at} className="text-error">
              {problem}
            </p>
          ))}
        </div>
      </div>
    </div>
  )
}
