import { useEffect } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { count } from '../../lib/view/format'
import { Choice } from '../shared/Choice'
import { Empty } from '../shared/Empty'
import { BlockRow } from '../blocks/BlockRow'
import { Rows } from '../blocks/Rows'
import { useRowFacts } from '../blocks/useRowFacts'

const SORTS = Object.entries(text.evicted.sorts).map(([value, label]) => ({ value, label }))

/** What the model would not receive at the cursor, to search and to copy back. */
export function EvictedPane() {
  const app = useApp()
  const { grep, sort, tokens } = useStore(app.evicted.store, (state) => state)
  const { n, ready, failure } = useStore(app.evicted.pages.store, (state) => state)
  const facts = useRowFacts()
  useEffect(() => {
    app.evicted.setShown(true)
    return () => app.evicted.setShown(false)
  }, [app])
  return (
    <div className="pane">
      <div className="pane-bar">
        <span className="pane-sum" data-testid="evicted-total" data-items={n}>
          {ready && text.evicted.total(count(n), count(tokens))}
        </span>
        <span className="grow" />
        <Choice
          label={text.evicted.sort}
          value={sort}
          options={SORTS}
          onChange={(value) => app.evicted.setSort(value)}
        />
        <input
          className={`input mono ${failure ? 'bad' : ''}`}
          type="search"
          data-find=""
          data-testid="evicted-grep"
          placeholder={text.evicted.find}
          aria-label={text.evicted.find}
          value={grep}
          onChange={(event) => app.evicted.setGrep(event.target.value)}
        />
      </div>
      {failure ? (
        <Empty title={failure.message}>{failure.hint}</Empty>
      ) : ready && n === 0 ? (
        <Empty title={grep === '' ? text.evicted.none : text.evicted.noMatch}>
          {grep === '' ? text.evicted.noneHint : null}
        </Empty>
      ) : (
        <Rows
          pages={app.evicted.pages}
          label={text.tabs.evicted}
          testid="evicted-list"
          row={(item) => <BlockRow item={item} find="" {...facts(item)} />}
        />
      )}
    </div>
  )
}
