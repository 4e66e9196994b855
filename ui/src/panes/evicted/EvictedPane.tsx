import { RotateCcw } from 'lucide-react'
import { useEffect } from 'react'

import type { ItemDto } from '../../lib/ipc/generated/ItemDto'
import type { SortDto } from '../../lib/ipc/generated/SortDto'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { estimateRow, keyOfItem } from '../../lib/view/rows'
import { whyNothing } from '../../lib/view/steps'
import { BlockRow } from '../../components/blocks/BlockRow'
import { Rows } from '../../components/blocks/Rows'
import { ListFind, useStop } from '../../components/blocks/useFind'
import { useRowFacts } from '../../components/blocks/useRowFacts'
import { Choice } from '../../components/shared/Choice'
import { Empty } from '../../components/shared/Empty'
import { words } from './words'

const ORDERS: readonly SortDto[] = ['log', 'size', 'turn']
const SORTS = ORDERS.map((value) => ({ value, label: text.evicted.sorts[value] }))

/** The Evicted tab: the blocks that the model would not receive at the cut, to search and to copy. */
export function EvictedPane() {
  const app = useApp()
  const { sort, tokens } = useStore(app.evicted.store, (state) => state)
  const { n, ready, failure } = useStore(app.evicted.pages.store, (state) => state)
  const query = useStore(app.evicted.find.store, (find) => find.wanted.query)
  const badPattern = useStore(app.evicted.find.store, (find) => find.failure !== null)
  const { pages, rows, find } = app.evicted
  const stop = useStop(find, rows)
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
        {app.can('find') && <ListFind find={find} label={text.evicted.find} testid="evicted-find" />}
      </div>
      {failure && !badPattern ? (
        <Empty title={failure.message}>{failure.hint}</Empty>
      ) : ready && n === 0 ? (
        <Empty title={query === '' ? text.evicted.none : text.evicted.noMatch}>
          {query === '' ? <WhyNothing /> : null}
        </Empty>
      ) : (
        <Rows
          pages={pages}
          states={rows}
          label={words.tab}
          testid="evicted-list"
          keyOf={keyOfItem}
          estimate={estimateRow}
          onEnter={() => app.reading.toggle()}
          row={(item, idx) => (
            <BlockRow
              item={item}
              states={rows}
              find={find}
              stop={stop?.row === idx ? stop.nth : null}
              {...facts(item)}
            >
              <Absence item={item} />
            </BlockRow>
          )}
        />
      )}
    </div>
  )
}

/** Tells why nothing is evicted at the cut. */
function WhyNothing() {
  const app = useApp()
  const steps = useStore(app.bench.calm, (bench) => bench.steps)
  const budget = useStore(app.bench.calm, (bench) => bench.replay?.budget ?? 0)
  useStore(app.bench.calm, (bench) => bench.cut)
  const { turn, step } = app.bench.position(app.bench.calm.get())
  return steps?.turn === turn ? whyNothing(steps, step, budget) : null
}

/** Tells when a block was first evicted, and when the agent got the same content again. */
function Absence({ item }: { item: ItemDto }) {
  const app = useApp()
  const { first_turn, again_turn } = item
  const tells = app.can('regret_stories')
  return (
    <>
      {first_turn !== null && (
        <button
          type="button"
          className="badge go-turn"
          title={text.evicted.firstHint}
          onClick={() => app.bench.moveTo({ turn: first_turn, step: Number.MAX_SAFE_INTEGER })}
        >
          {text.evicted.first(count(first_turn))}
        </button>
      )}
      {again_turn !== null && (
        <button
          type="button"
          className="badge warn go-turn"
          data-testid="again"
          title={tells ? text.evicted.againWhy : text.evicted.againHint}
          onClick={() =>
            tells
              ? app.navigation.showStory({ by: 'block', block: item.block })
              : app.bench.moveTo({ turn: again_turn, step: Number.MAX_SAFE_INTEGER })
          }
        >
          <RotateCcw size={11} /> {text.evicted.again(count(again_turn))}
        </button>
      )}
    </>
  )
}
