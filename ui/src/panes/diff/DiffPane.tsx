import { ArrowDown, ArrowUp, ChevronDown } from 'lucide-react'
import { useEffect } from 'react'

import type { ItemDiff } from '../../lib/ipc/generated/ItemDiff'
import type { ContextItem } from '../../lib/ipc/generated/ContextItem'
import { useApp } from '../../lib/state/app'
import { AGAINST, otherBudget, otherPolicy, type Against, type DiffSums } from '../../lib/state/diff'
import { useStore } from '../../lib/state/store'
import { count } from '../../lib/view/format'
import { estimateDiffRow, isRun, keyOfDiffRow } from '../../lib/view/rows'
import { BlockRow } from '../../components/blocks/BlockRow'
import { Rows } from '../../components/blocks/Rows'
import { ListFind, useStop } from '../../components/blocks/useFind'
import { useRowFacts } from '../../components/blocks/useRowFacts'
import { Button } from '../../components/shared/Button'
import { Choice } from '../../components/shared/Choice'
import { Field } from '../../components/shared/Field'
import { Empty } from '../../components/shared/Empty'
import { words } from './words'
import './diff.css'

const CHOICES = AGAINST.map((value) => ({ value, label: words.against[value] }))

/** The Diff tab: the context at the cut, compared with another context. */
export function DiffPane() {
  const app = useApp()
  const { pages, rows, find } = app.diff
  const { sums, changes } = useStore(app.diff.store, (state) => state)
  const { n, ready, failure } = useStore(pages.store, (state) => state)
  const badPattern = useStore(find.store, (state) => state.failure !== null)
  const stop = useStop(find, rows)
  const facts = useRowFacts()
  useEffect(() => {
    app.diff.setShown(true)
    return () => app.diff.setShown(false)
  }, [app])
  return (
    <div className="pane">
      <div className="pane-bar">
        <Other />
        {sums && <Sums sums={sums} />}
        <span className="grow" />
        <Button
          look="quiet"
          label={words.previous}
          disabled={changes.length === 0}
          onClick={() => app.reading.change(-1)}
        >
          <ArrowUp size={14} />
        </Button>
        <Button
          look="quiet"
          label={words.next}
          testid="diff-next"
          disabled={changes.length === 0}
          onClick={() => app.reading.change(1)}
        >
          <ArrowDown size={14} />
        </Button>
        <ListFind find={find} label={words.find} testid="diff-find" />
      </div>
      {failure && !badPattern ? (
        <Empty title={failure.message}>{failure.hint}</Empty>
      ) : ready && n === 0 ? (
        <Empty title={words.nothing} />
      ) : (
        <>
          {ready && sums && changes.length === 0 && (
            <p className="notice bg-ok-soft same" role="status">
              {words.same(sums.against)}
            </p>
          )}
          <Rows
            pages={pages}
            states={rows}
            label={words.tab}
            testid="diff-list"
            keyOf={keyOfDiffRow}
            estimate={estimateDiffRow}
            onEnter={() => app.diff.enter()}
            row={(item, idx) => {
              const { difference } = item
              if (!difference) return null
              if (isRun(item)) return <Run item={item} difference={difference} />
              const { change } = difference
              return (
                <div className={`relative pl-16 diff-row ${change}`} data-change={change}>
                  <span
                    className="diff-sign absolute weight-700 left-4 top-6"
                    aria-label={words.change[change]}
                  >
                    {words.sign[change]}
                  </span>
                  {change === 'changed' ? (
                    <Changed item={item} difference={difference} />
                  ) : (
                    <BlockRow
                      item={said(item, difference)}
                      states={rows}
                      find={find}
                      stop={stop?.row === idx ? stop.nth : null}
                      {...facts(item)}
                    />
                  )}
                </div>
              )
            }}
          />
        </>
      )}
    </div>
  )
}

/**
 * Returns a block as its row tells of it: with one reason, that of the side which does not send it. With the other side's
 * reason beside it the row would say that the block is kept and gone.
 */
const said = (item: ContextItem, { change, why_not: whyNot }: ItemDiff): ContextItem => ({
  ...item,
  kept: change === 'removed' || item.kept,
  reason: whyNot === '' ? item.reason : whyNot,
})

/** Chooses the other context. */
function Other() {
  const app = useApp()
  const look = useStore(app.diff.store, (state) => state)
  const session = useStore(app.bench.store, (bench) => bench.session)
  const view = useStore(app.bench.store, (bench) => bench.view)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const { against } = look
  return (
    <Field label={words.label}>
      <Choice
        label={words.label}
        testid="diff-against"
        value={against}
        options={CHOICES}
        onChange={(value) => app.diff.setAgainst({ against: value as Against })}
      />
      {against === 'policy' && (
        <Choice
          label={words.policy}
          testid="diff-policy"
          value={otherPolicy(look, { view, session })}
          options={(session?.choices.policies ?? [])
            .filter(({ name }) => name !== view.policy)
            .map(({ name }) => ({ value: name, label: name }))}
          onChange={(policy) => app.diff.setAgainst({ policy })}
        />
      )}
      {against === 'budget' && (
        <Typed
          label={words.budget}
          testid="diff-budget"
          value={otherBudget(look, { replay })}
          onChange={(budget) => app.diff.setAgainst({ budget: budget || null })}
        />
      )}
      <TwoTurns other={against === 'turn' ? (look.turn ?? 1) : null} />
    </Field>
  )
}

/** The fields of both turns. A turn in the first one compares with it, whatever was chosen; the second is the turn of the window. */
function TwoTurns({ other }: { other: number | null }) {
  const app = useApp()
  useStore(app.bench.calm, (bench) => bench.cut)
  const { turn } = app.bench.position(app.bench.calm.get())
  const number = (typed: string) => Math.max(1, Math.round(Number(typed.replaceAll(',', ''))) || 1)
  return (
    <>
      <Typed
        label={words.turn}
        testid="diff-turn"
        hint={words.turnHint}
        value={other === null ? '' : count(other)}
        onChange={(typed) => app.diff.setAgainst({ against: 'turn', turn: number(typed) })}
      />
      {other !== null && (
        <>
          <span className="muted">{words.and}</span>
          <Typed
            label={words.here}
            testid="diff-here"
            value={count(turn)}
            onChange={(typed) => app.bench.moveTo({ turn: number(typed), step: Number.MAX_SAFE_INTEGER })}
          />
        </>
      )}
    </>
  )
}

interface TypedProps {
  label: string
  testid: string
  hint?: string
  value: string
  onChange: (typed: string) => void
}

/** A field whose text counts when it is left, or with Enter. */
function Typed({ label, testid, hint, value, onChange }: TypedProps) {
  return (
    <input
      key={value}
      className="input w-78"
      aria-label={label}
      title={label}
      placeholder={hint}
      data-testid={testid}
      defaultValue={value}
      spellCheck={false}
      // A number that is typed takes the place of the old one.
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => event.target.value !== value && onChange(event.target.value.trim())}
      onKeyDown={(event) => event.key === 'Enter' && onChange(event.currentTarget.value.trim())}
    />
  )
}

function Sums({ sums }: { sums: DiffSums }) {
  return (
    <span
      className="pane-sum clip diff-sums"
      data-testid="diff-sums"
      data-added={sums.added}
      data-removed={sums.removed}
      data-before={sums.before}
      data-after={sums.after}
    >
      <span className="muted" title={words.totalsHint}>
        {words.totals(count(sums.before), count(sums.after))}
      </span>{' '}
      <span className="added">{words.added(count(sums.added), count(sums.n_added))}</span>{' '}
      <span className="removed">{words.removed(count(sums.removed), count(sums.n_removed))}</span>
      {sums.n_changed > 0 && <span className="muted"> {words.changed(count(sums.n_changed))}</span>}
      {sums.overhead !== 0 && <span className="muted"> {words.overhead(count(sums.overhead))}</span>}
    </span>
  )
}

interface Differing {
  item: ContextItem
  difference: ItemDiff
}

/** Blocks that are the same, one line for all of them. */
function Run({ item, difference: { n, tokens } }: Differing) {
  const app = useApp()
  return (
    <button
      type="button"
      className="row gap-6 muted bg-panel w-full hover-text border-b-soft p-2-16 min-h-30"
      data-testid="diff-run"
      data-n={n}
      onClick={() => app.diff.openRun(item.block)}
    >
      <ChevronDown size={13} /> {words.run(count(n), count(tokens))}
    </button>
  )
}

/** A block whose text has changed, word by word. */
function Changed({ item, difference }: Differing) {
  return (
    <div className="block changed" data-testid="diff-changed" data-block={item.block}>
      <p className="block-head row gap-8 text-s nowrap top-0 sticky z-1 min-h-22">
        <span className="who semibold">{item.role}</span>
        <span className="muted">{item.kind}</span>
        <span className="min-w-0 muted overflow-hidden ellipsis">{difference.why_not}</span>
        <span className="grow" />
        <span className="block-tokens tabular muted text-right min-w-44">{count(difference.tokens)}</span>
      </p>
      <div className="block-body overflow-hidden max-h-300">
        <p className="block-text mono words break-anywhere pre-wrap isolate">
          {difference.words.map((part, at) =>
            part.change === 'added' ? (
              <ins className="text-ok bg-ok-soft" key={at}>
                {part.text}
              </ins>
            ) : part.change === 'removed' ? (
              <del className="text-error bg-error-soft" key={at}>
                {part.text}
              </del>
            ) : (
              part.text
            ),
          )}
        </p>
      </div>
      {difference.cut && <p className="muted">{words.cut}</p>}
    </div>
  )
}
