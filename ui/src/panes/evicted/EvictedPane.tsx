import { ArrowDown, RotateCcw } from 'lucide-react'
import { useEffect } from 'react'

import type { EpisodeNode } from '../../lib/ipc/generated/EpisodeNode'
import type { ContextItem } from '../../lib/ipc/generated/ContextItem'
import type { EvictedOrder } from '../../lib/ipc/generated/EvictedOrder'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { limitOf } from '../../lib/view/happened'
import { blockName, estimateRow, keyOfItem, shortReason } from '../../lib/view/rows'
import { whyNothing } from '../../lib/view/steps'
import { BlockLabel, BlockRow } from '../../components/blocks/BlockRow'
import { EpisodeChip } from '../../components/blocks/EpisodeChip'
import { Rows } from '../../components/blocks/Rows'
import { ListFind, useStop } from '../../components/blocks/useFind'
import { useRowFacts } from '../../components/blocks/useRowFacts'
import { Empty } from '../../components/shared/Empty'
import { words } from './words'
import './evicted.css'

/** The columns, each with the order of the list that its head gives. */
const COLUMNS: readonly { name: keyof typeof words.columns; sort?: EvictedOrder }[] = [
  { name: 'block', sort: 'log' },
  { name: 'episode' },
  { name: 'gone', sort: 'turn' },
  { name: 'again' },
  { name: 'tokens', sort: 'size' },
]

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
        <span className="pane-sum clip" data-testid="evicted-total" data-items={n}>
          {ready && text.evicted.total(count(n), count(tokens))}
        </span>
        <span className="grow" />
        <ListFind find={find} label={text.evicted.find} testid="evicted-find" />
      </div>
      {failure && !badPattern ? (
        <Empty title={failure.message}>{failure.hint}</Empty>
      ) : ready && n === 0 ? (
        <Empty title={query === '' ? text.evicted.none : text.evicted.noMatch}>
          {query === '' ? <WhyNothing /> : null}
        </Empty>
      ) : (
        <>
          <Heads sort={sort} />
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
                cells={<Cells item={item} {...facts(item)} />}
              />
            )}
          />
        </>
      )}
    </div>
  )
}

/** Tells why nothing is evicted at the cut. */
function WhyNothing() {
  const app = useApp()
  const steps = useStore(app.bench.calm, (bench) => bench.steps)
  const limit = useStore(app.bench.calm, ({ view, replay }) => limitOf(view, replay))
  useStore(app.bench.calm, (bench) => bench.cut)
  const { turn, step } = app.bench.position(app.bench.calm.get())
  return steps?.turn === turn ? whyNothing(steps, step, limit) : null
}

/** The heads of the columns. Those by which the list can be sorted are buttons. */
function Heads({ sort }: { sort: EvictedOrder }) {
  const app = useApp()
  return (
    <div className="evicted-heads evicted-cells grid gap-x-12 flex-none text-s muted border-b pl-16 pr-12 min-h-28">
      {COLUMNS.map(({ name, sort: by }) => {
        const label = words.columns[name]
        return (
          <span key={name} className={name === 'tokens' ? 'cell-tokens number' : `cell-${name}`}>
            {by === undefined ? (
              label
            ) : (
              <button
                type="button"
                className="link inline-row gap-4"
                aria-pressed={by === sort}
                title={text.evicted.sorts[by]}
                data-testid={`evicted-by-${by}`}
                onClick={() => app.evicted.setSort(by)}
              >
                {label} {by === sort && <ArrowDown size={11} aria-hidden />}
              </button>
            )}
          </span>
        )
      })}
    </div>
  )
}

interface CellProps {
  item: ContextItem
  episode: EpisodeNode | undefined
  level: number
}

/** The cells of a block: what it is, its episode, when and why it went, and when the agent got the same content again. */
function Cells({ item, episode, level }: CellProps) {
  const app = useApp()
  const { first_turn, again_turn, reason } = item
  const go = (turn: number) => app.bench.moveTo({ turn, step: Number.MAX_SAFE_INTEGER })
  return (
    <>
      <span className="cell-label row gap-8 min-w-0 overflow-hidden">
        <span className="muted clip flex-none max-w-200">{blockName(item)}</span>
        <BlockLabel item={item} />
      </span>
      <span className="cell-episode row min-w-0">
        {episode && (
          <EpisodeChip
            episode={episode}
            level={level}
            onSelect={() => app.bench.select(item.episode, item.block)}
          />
        )}
      </span>
      <span className="cell-gone clip" title={reason}>
        {first_turn === null ? (
          <span className="muted">{shortReason(reason)}</span>
        ) : (
          <button
            type="button"
            className="link"
            title={text.evicted.firstHint}
            onClick={() => go(first_turn)}
          >
            {text.evicted.first(count(first_turn))}
          </button>
        )}
      </span>
      <span className="cell-again row min-w-0">
        {again_turn !== null && (
          <button
            type="button"
            className="badge warn go-turn flex-none gap-4"
            data-testid="again"
            title={text.evicted.againWhy}
            onClick={() => app.navigation.showStory({ by: 'block', block: item.block })}
          >
            <RotateCcw size={11} /> {text.evicted.again(count(again_turn))}
          </button>
        )}
      </span>
      <span className="ghost-why muted">{reason}</span>
    </>
  )
}
