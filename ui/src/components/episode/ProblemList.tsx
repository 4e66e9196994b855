import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { capital, count } from '../../lib/view/format'
import { Empty } from '../shared/Empty'
import { Severity } from '../shared/Severity'

/** What is odd about the log and its marks; a click selects the episode. */
export function ProblemList() {
  'use no memo'
  const app = useApp()
  const problems = useStore(app.bench.store, (bench) => bench.session?.problems)
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const scroller = useRef<HTMLDivElement>(null)
  const items = problems ?? []
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 34,
    overscan: 12,
  })
  if (items.length === 0) return <Empty title={text.problems.none} />
  return (
    <div className="pane">
      <div ref={scroller} className="rows" tabIndex={0} role="region" aria-label={text.tabs.problems}>
        <div className="rows-inner" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((place) => {
            const problem = items[place.index]
            if (!problem) return null
            const episode = problem.episode === null ? undefined : graph?.episodes[problem.episode]
            return (
              <div
                key={place.key}
                ref={list.measureElement}
                data-index={place.index}
                className="rows-place"
                style={{ transform: `translateY(${place.start}px)` }}
              >
                <button
                  type="button"
                  className={`problem ${problem.severity}`}
                  data-testid="problem"
                  data-code={problem.code}
                  disabled={!episode}
                  onClick={() => app.bench.select(problem.episode, problem.block)}
                >
                  <Severity severity={problem.severity} />
                  <code>{problem.code}</code>
                  <span className="problem-text">{capital(problem.message)}</span>
                  {episode && <span className={`chip ${episode.kind}`}>{episode.name}</span>}
                  {problem.line !== null && (
                    <span className="muted">{text.problems.line(count(problem.line))}</span>
                  )}
                </button>
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
