import { ChevronDown, ChevronUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { count } from '../../lib/view/format'
import { Button } from '../shared/Button'
import { Empty } from '../shared/Empty'
import { BlockRow } from '../blocks/BlockRow'
import { Rows, type ScrollWish } from '../blocks/Rows'
import { useRowFacts } from '../blocks/useRowFacts'
import { FindingsCard } from './FindingsCard'
import { Watched } from './Watched'

/** The message list as the model would get it; what went stays as ghosts. */
export function ContextPane() {
  const app = useApp()
  const { asSent, find, matches, match, searching, summary } = useStore(app.context.store, (state) => state)
  const { n, ready, failure } = useStore(app.context.pages.store, (state) => state)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const wanted = useStore(app.panes, (panes) => panes.showInContext)
  const facts = useRowFacts()
  const [wish, setWish] = useState<ScrollWish | null>(null)
  const wishes = useRef(0)
  const scrollTo = (index: number) => setWish({ index, wish: ++wishes.current })

  useEffect(() => {
    if (wanted === null) return
    let live = true
    const { line, step, block } = wanted
    const found = step
      ? app.context.placeOfStep(line, step.turn, step.step)
      : block === undefined
        ? app.context.placeOfLine(line)
        : app.context.placeOfBlock(line, block)
    void found.then((place) => live && scrollTo(place))
    return () => {
      live = false
    }
    // Each wish scrolls once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted?.wish])
  const place = matches[match]
  useEffect(() => {
    if (place !== undefined && find !== '') scrollTo(Math.max(0, place))
  }, [place, find])

  const over = summary?.over_budget
  return (
    <div className="pane">
      <div className="pane-bar">
        <span className="pane-sum" data-testid="context-total" data-total={summary?.total ?? ''}>
          {summary && (
            <>
              <b>{count(summary.total)}</b> {text.context.tokens}{' '}
              <span className="muted" title={text.context.overhead[replay?.overhead_source ?? 'unknown']}>
                {summary.overhead > 0 &&
                  text.context.unlogged(
                    count(summary.overhead),
                    text.context.overhead[replay?.overhead_source ?? 'unknown'] ?? '',
                  )}
              </span>
              {summary.reported !== null && (
                <span className="muted" data-testid="reported" title={replay?.drift?.says}>
                  {' '}
                  {text.context.reported(count(summary.reported))}
                </span>
              )}
            </>
          )}
        </span>
        <span className="grow" />
        <label className="check">
          <input
            type="checkbox"
            checked={asSent}
            data-testid="as-sent"
            onChange={(event) => app.context.setAsSent(event.target.checked)}
          />
          <span title={text.context.asSentHint}>{text.context.asSent}</span>
        </label>
        <Watched />
        <span className="find">
          <input
            className="input"
            type="search"
            data-find=""
            placeholder={text.context.find}
            aria-label={text.context.find}
            title={text.context.findNote}
            value={find}
            onChange={(event) => void app.context.setFind(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') app.context.moveMatch(event.shiftKey ? -1 : 1)
            }}
          />
          {find !== '' && (
            <>
              <span className="muted find-count" aria-live="polite">
                {text.context.matches(match + 1, matches.length)}
                {searching && text.context.searching}
              </span>
              <Button look="quiet" label={text.context.previous} onClick={() => app.context.moveMatch(-1)}>
                <ChevronUp size={14} />
              </Button>
              <Button look="quiet" label={text.context.next} onClick={() => app.context.moveMatch(1)}>
                <ChevronDown size={14} />
              </Button>
            </>
          )}
        </span>
      </div>
      {over && (
        <div className="notice error" role="status">
          <b>{text.context.overBudget(count(over.above))}</b> {text.context.heldBy}{' '}
          {over.held_by.map(([what, tokens]) => `${what} ${count(tokens)}`).join(' · ')}
        </div>
      )}
      {summary && <FindingsCard findings={summary.findings} />}
      {failure && n === 0 && <Empty title={failure.message}>{failure.hint}</Empty>}
      {ready && !failure && n === 0 ? (
        <Empty title={text.context.empty} />
      ) : (
        <Rows
          pages={app.context.pages}
          label={text.tabs.context}
          testid="context-list"
          stick
          wish={wish}
          row={(item, idx) => (
            <BlockRow item={item} find={find} current={find !== '' && idx === place} {...facts(item)} />
          )}
        />
      )}
    </div>
  )
}
