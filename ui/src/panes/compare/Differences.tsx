import { useState } from 'react'

import { useApp } from '../../lib/state/app'
import { RowStates } from '../../lib/state/rows'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { columnNames } from '../../lib/view/comparison'
import { count } from '../../lib/view/format'
import { estimateRow, keyOfItem } from '../../lib/view/rows'
import { BlockRow } from '../../components/blocks/BlockRow'
import { Rows } from '../../components/blocks/Rows'
import { useRowFacts } from '../../components/blocks/useRowFacts'
import { Choice } from '../../components/shared/Choice'
import { Empty } from '../../components/shared/Empty'
import { Mark } from './Mark'

/** The names of the main view, of all columns, and of the one that the list is about. */
function useNames() {
  const app = useApp()
  const { columns, against } = useStore(app.comparison.store, (state) => state)
  const main = useStore(app.bench.store, (bench) => bench.view)
  const names = columnNames([
    { policy: main.policy, budget: main.budget },
    ...columns.map(({ policy, budget }) => ({ policy, budget: budget ?? main.budget })),
  ])
  const [ours = '', ...others] = names
  const theirs = others[against] ?? ''
  return { ours, others, theirs }
}

/** Chooses the column that is compared, and tells how much only one of the two sends. */
export function DifferencesBar() {
  const app = useApp()
  const { against, blocks } = useStore(app.comparison.store, (state) => state)
  const { ours, others, theirs } = useNames()
  return (
    <>
      <span className="row flex-none gap-6">
        <Mark column={0} /> <b>{ours}</b>
        <span className="muted">{text.compare.against.toLowerCase()}</span>
        <Mark column={against + 1} />
        <Choice
          label={text.compare.against}
          testid="compare-against"
          value={String(against)}
          options={others.map((name, at) => ({ value: String(at), label: name }))}
          onChange={(value) => app.comparison.setAgainst(Number(value))}
        />
      </span>
      {blocks && (
        <span
          className="pane-sum clip"
          data-testid="compare-differences"
          data-main={blocks.n_only_a}
          data-other={blocks.n_only_b}
        >
          <span className="flex-none bg-ok-soft text-ok text-s semibold rounded-full p-1-8">
            {text.compare.differences(ours, count(blocks.n_only_a), count(blocks.only_a_tokens))}
          </span>
          <span className="flex-none bg-error-soft text-error text-s semibold rounded-full p-1-8">
            {text.compare.differences(theirs, count(blocks.n_only_b), count(blocks.only_b_tokens))}
          </span>
        </span>
      )}
    </>
  )
}

/** The blocks that the main view and a column do not both send, in the order of the log. */
export function Differences() {
  const app = useApp()
  const { n, ready, failure } = useStore(app.comparison.pages.store, (state) => state)
  const { ours, theirs } = useNames()
  const facts = useRowFacts()
  const [states] = useState(() => new RowStates())
  return (
    <>
      {failure ? (
        <Empty title={failure.message}>{failure.hint}</Empty>
      ) : ready && n === 0 ? (
        <Empty title={text.compare.same}>{text.compare.sameHint}</Empty>
      ) : (
        <Rows
          pages={app.comparison.pages}
          label={text.compare.listLabel}
          testid="compare-list"
          states={states}
          keyOf={keyOfItem}
          estimate={estimateRow}
          row={(item) => (
            <div className={item.inMain ? 'ours' : 'theirs'} data-in-main={item.inMain}>
              <p className="p-6-12-0-16 baseline-row gap-8 text-s">
                <span
                  className={
                    item.inMain
                      ? 'flex-none bg-ok-soft text-ok text-s semibold rounded-full p-1-8'
                      : 'flex-none bg-error-soft text-error text-s semibold rounded-full p-1-8'
                  }
                >
                  {text.compare.onlyIn(item.inMain ? ours : theirs)}
                </span>
                {item.whyNot !== '' && (
                  <span className="muted clip">
                    {item.inMain ? theirs : ours}: {item.whyNot}
                  </span>
                )}
              </p>
              <BlockRow item={item} states={states} {...facts(item)} />
            </div>
          )}
        />
      )}
    </>
  )
}
