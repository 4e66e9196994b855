import { useEffect } from 'react'

import type { FindingRow } from '../../lib/ipc/generated/FindingRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { isAsItHappened } from '../../lib/view/happened'
import { estimateRow, keyOfItem } from '../../lib/view/rows'
import { Empty } from '../../components/shared/Empty'
import { BlockRow } from '../../components/blocks/BlockRow'
import { Rows } from '../../components/blocks/Rows'
import { ListFind, useStop } from '../../components/blocks/useFind'
import { useRowFacts } from '../../components/blocks/useRowFacts'
import { AsMarkdown, AsSent } from './AsSent'
import { FindingsCard } from './FindingsCard'
import { OverBudget } from './OverBudget'
import { Watched } from './Watched'
import { words } from './words'

/** The code of a request above τ. */
const OVER_BUDGET = 'V002'

/** The findings that are about what happened: without a policy no τ is in force. */
const ofLog = (findings: readonly FindingRow[]) => findings.filter(({ code }) => code !== OVER_BUDGET)

/** The message list as the model would get it; what went stays as ghosts. */
export function ContextPane() {
  const app = useApp()
  const summary = useStore(app.context.store, (state) => state.summary)
  const { pages, rows, find } = app.context
  const { n, ready, failure } = useStore(app.context.pages.store, (state) => state)
  const history = useStore(app.bench.store, (bench) => bench.history)
  const wanted = useStore(app.panes, (panes) => panes.showInContext)
  const facts = useRowFacts()
  const stop = useStop(find, rows)

  useEffect(() => {
    if (wanted === null) return
    let live = true
    const { line, step, block, find: sought } = wanted
    const found = step
      ? app.context.placeOfStep(line, step.turn, step.step)
      : block === undefined
        ? app.context.placeOfLine(line)
        : app.context.placeOfBlock(line, block)
    void found.then((place) => {
      if (!live) return
      rows.show(place)
      if (sought !== undefined) find.set({ query: sought, regex: false, case: false }, place)
    })
    return () => {
      live = false
    }
    // Each wish scrolls once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted?.wish])
  const isFact = useStore(app.bench.store, (bench) => isAsItHappened(bench.view))
  const over = isFact ? null : summary?.over_budget
  const turn = summary?.turn ?? 0
  const stretch = history?.stretches.find(({ from, to }) => from <= turn && turn <= to)
  const unlogged = history?.overhead_source === 'inferred' ? stretch && capital(stretch.says) : undefined
  return (
    <div className="pane">
      <div className="pane-bar">
        <span className="pane-sum clip" data-testid="context-total" data-total={summary?.total ?? ''}>
          {summary && (
            <>
              <b>{count(summary.total)}</b> {text.context.tokens}{' '}
              <span
                className="muted"
                title={unlogged ?? text.context.overhead[history?.overhead_source ?? 'unknown']}
              >
                {summary.overhead > 0 &&
                  text.context.unlogged(
                    count(summary.overhead),
                    text.context.overhead[history?.overhead_source ?? 'unknown'] ?? '',
                  )}
              </span>
              {summary.reported !== null && (
                <span className="muted" data-testid="reported" title={history?.drift?.says}>
                  {' '}
                  {text.context.reported(count(summary.reported))}
                </span>
              )}
            </>
          )}
        </span>
        <span className="grow" />
        <AsMarkdown />
        <AsSent />
        <Watched />
        <ListFind find={find} label={text.context.find} testid="context-find" />
      </div>
      {over && <OverBudget over={over} />}
      {summary && <FindingsCard findings={isFact ? ofLog(summary.findings) : summary.findings} />}
      {failure && n === 0 && <Empty title={failure.message}>{failure.hint}</Empty>}
      {ready && !failure && n === 0 ? (
        <Empty title={text.context.empty} />
      ) : (
        <Rows
          pages={pages}
          states={rows}
          label={words.tab}
          testid="context-list"
          keyOf={keyOfItem}
          estimate={estimateRow}
          onEnter={() => app.reading.toggle()}
          stick
          row={(item, idx) => (
            <BlockRow
              item={item}
              states={rows}
              find={find}
              stop={stop?.row === idx ? stop.nth : null}
              {...facts(item)}
            />
          )}
        />
      )}
    </div>
  )
}
