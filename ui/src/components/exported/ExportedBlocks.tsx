import { useEffect, useState } from 'react'

import type { ItemDto } from '../../lib/ipc/generated/ItemDto'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { blockName, estimateRow, isProse, keyOfItem, speaker } from '../../lib/view/rows'
import { BlockText, CallText } from '../blocks/BlockText'
import { Rows } from '../blocks/Rows'
import { AsSent } from '../context/AsSent'
import { FindingsCard } from '../context/FindingsCard'
import { OverBudget } from '../context/OverBudget'
import { Empty } from '../shared/Empty'
import { EpisodeChip } from '../blocks/EpisodeChip'

/** The blocks at the cursor as they were exported: the context with its ghosts, or what was evicted. */
export function ExportedBlocks({ which }: { which: 'context' | 'evicted' }) {
  const app = useApp()
  const list = which === 'context' ? app.context : app.evicted
  const { n, ready } = useStore(list.pages.store, (state) => state)
  const summary = useStore(app.context.store, (state) => state.summary)
  const evicted = useStore(app.evicted.store, (state) => state.tokens)
  const wanted = useStore(app.panes, (panes) => panes.showInContext)
  const cut = useStore(app.bench.store, (bench) => bench.cut)
  const at = app.bench.position()
  useEffect(() => {
    if (which !== 'evicted') return
    app.evicted.setShown(true)
    return () => app.evicted.setShown(false)
  }, [app, which])
  useEffect(() => {
    if (wanted === null || which !== 'context') return
    let live = true
    const { line, step } = wanted
    const found = step ? app.context.placeOfStep(line, step.turn, step.step) : app.context.placeOfLine(line)
    void found.then((place) => live && app.context.rows.show(place))
    return () => {
      live = false
    }
    // Each wish scrolls once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted?.wish])
  // A long session has its lists at some turns only, and then it is said of which one this is.
  const isElsewhere = summary !== null && summary.turn !== at.turn && cut !== null
  const over = summary?.over_budget
  return (
    <div className="pane">
      <div className="pane-bar">
        {which === 'context' ? (
          <span className="pane-sum" data-testid="context-total" data-total={summary?.total ?? ''}>
            {summary && (
              <>
                <b>{count(summary.total)}</b> {text.context.tokens}
              </>
            )}
          </span>
        ) : (
          <span className="pane-sum" data-testid="evicted-total">
            {text.evicted.total(count(n), count(evicted))}
          </span>
        )}
        {isElsewhere && <span className="muted">{text.exported.listOf(count(summary.turn))}</span>}
        <span className="grow" />
        {which === 'context' && <AsSent />}
      </div>
      {which === 'context' && over && <OverBudget over={over} />}
      {which === 'context' && summary && <FindingsCard findings={summary.findings} />}
      {ready && n === 0 ? (
        <Empty title={which === 'context' ? text.context.empty : text.evicted.none} />
      ) : (
        <Rows
          pages={list.pages}
          states={list.rows}
          label={text.tabs[which]}
          testid={`${which}-list`}
          keyOf={keyOfItem}
          estimate={estimateRow}
          row={(item) => <ExportedRow item={item} />}
        />
      )}
    </div>
  )
}

/** One block: its text as far as it was exported, or one line where it went, which opens to it. */
function ExportedRow({ item }: { item: ItemDto }) {
  const app = useApp()
  const episode = useStore(app.bench.store, (bench) =>
    item.episode === null ? undefined : bench.graph?.episodes[item.episode],
  )
  const levels = useStore(app.bench.store, (bench) => bench.levels)
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  const steps = useStore(app.bench.store, (bench) => bench.steps)
  const [open, setOpen] = useState(false)
  const { turn, step } = app.bench.position()
  const level = levels[item.episode ?? -1] ?? 0
  const touched = steps !== null && item.evicted_turn === turn && item.evicted_step === step
  const classes = [
    'block',
    episode?.kind ?? (item.author === 'human' ? 'human' : 'outside'),
    item.kept ? 'kept' : 'ghost',
    item.placeholder === null ? '' : 'masked',
    item.episode !== null && item.episode === selected ? 'selected' : '',
    touched ? 'touched' : '',
  ].join(' ')
  const isCut = item.n_chars > item.text.length
  return (
    <article
      className={classes}
      data-testid="context-item"
      data-block={item.block}
      data-kept={item.kept}
      data-tokens={item.tokens}
    >
      <header className="block-head">
        {item.kept ? (
          <span className={`who ${speaker(item)}`}>{speaker(item)}</span>
        ) : (
          <button
            type="button"
            className="ghost-toggle"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            title={text.context.open}
          >
            <span className="who">{speaker(item)}</span>
          </button>
        )}
        <span className="block-kind">{blockName(item)}</span>
        {item.failed && <span className="badge warn">{text.context.failed}</span>}
        {episode && (
          <EpisodeChip
            episode={episode}
            level={level}
            onSelect={() => app.bench.select(item.episode, item.block)}
          />
        )}
        <span className={item.kept ? 'ghost-why quietly' : 'ghost-why'} title={item.reason}>
          {item.reason}
        </span>
        <span className="grow" />
        <span className="block-tokens">{count(item.tokens)}</span>
      </header>
      {item.placeholder !== null && (
        <p className="stand-in">
          <span className="muted">{text.context.instead}</span> <code>{item.placeholder}</code>
        </p>
      )}
      {(item.kept || open) && (
        <div className="block-body">
          {item.kind === 'call' ? (
            <CallText text={item.text} tool={item.tool} />
          ) : (
            <BlockText text={item.text} prose={isProse(item)} />
          )}
          {isCut && <p className="muted">{text.exported.cut(count(item.n_chars))}</p>}
        </div>
      )}
    </article>
  )
}
