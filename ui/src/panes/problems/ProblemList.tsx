import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'

import type { EpisodeNode } from '../../lib/ipc/generated/EpisodeNode'
import type { LintFinding } from '../../lib/ipc/generated/LintFinding'
import type { LintPlace } from '../../lib/ipc/generated/LintPlace'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import {
  choicesOfEdits,
  editsOf,
  isHint,
  isSameFinding,
  lintFound,
  lintGroups,
  lintList,
  lintRows,
  type LintGroup,
  type LintOrder,
} from '../../lib/view/lint'
import { Button } from '../../components/shared/Button'
import { Choice } from '../../components/shared/Choice'
import { Empty } from '../../components/shared/Empty'
import { Said } from '../../components/shared/Said'
import { SeverityIcon } from '../../components/shared/SeverityIcon'
import { QualityFigures } from './QualityFigures'
import { words } from './words'
import { pane } from './pane'

const NO_EPISODES: EpisodeNode[] = []
const ORDERS: readonly LintOrder[] = ['rule', 'cost', 'turn']
/** The most blocks of evidence that a finding shows. */
const EVIDENCE_SHOWN = 2

/**
 * Lists everything that is found about the log, its marks and the policy's passes: by rule, or in one list by cost or by
 * turn. Each leads to its episode, its line, and the blocks that speak for it.
 */
export function ProblemList() {
  'use no memo'
  const app = useApp()
  useEffect(() => app.stateOf(pane).look(), [app])
  const session = useStore(app.bench.store, (bench) => bench.session)
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const answered = useStore(app.stateOf(pane).store, (lint) => lint)
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<LintOrder>('rule')
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const scroller = useRef<HTMLDivElement>(null)
  // Both stores say when these change.
  const [findings, codes] = [app.stateOf(pane).findings, app.stateOf(pane).codes]
  const found = useMemo(() => lintFound(findings, codes, filter), [findings, codes, filter])
  const groups = useMemo(() => lintGroups(found, codes), [found, codes])
  const rows = useMemo(
    () => (order === 'rule' ? lintRows(groups, folded) : lintList(found, codes, order)),
    [groups, folded, found, codes, order],
  )
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (rows[at]?.item === null ? 66 : 30),
    overscan: 12,
  })
  const chosen = useStore(app.stateOf(pane).chosen, (state) => state)
  const [taken, setTaken] = useState(0)
  const [marked, setMarked] = useState<LintFinding | null>(null)
  // The finding that is wished for comes into view: breaches and problems before hints.
  useEffect(() => {
    if (chosen.wish === taken || chosen.episode === null || findings.length === 0) return
    const about = findings.filter(({ episode }) => episode === chosen.episode)
    const item = about.find((one) => !isHint(one)) ?? about[0]
    if (!item) return
    const at = rows.findIndex((row) => row.item === item)
    if (at < 0) {
      setFilter('')
      setFolded(new Set())
      return
    }
    setTaken(chosen.wish)
    setMarked(item)
    list.scrollToIndex(at, { align: 'center' })
    scroller.current?.focus({ preventScroll: true })
  }, [chosen, taken, findings, rows, list])
  const fold = (code: string) => {
    const next = new Set(folded)
    if (!next.delete(code)) next.add(code)
    setFolded(next)
  }
  if (findings.length === 0 && !answered.busy)
    return (
      <div className="pane">
        <QualityFigures figures={app.stateOf(pane).figures} note={app.stateOf(pane).figuresNote} />
        <Empty title={text.problems.none}>{session?.annotation === 'none' && <Unmarked />}</Empty>
      </div>
    )
  const isOfPass = ({ code }: LintFinding) => code.startsWith('V')
  const hints = found.filter(isHint)
  const passes = found.filter(isOfPass)
  const nProblems = found.length - hints.length - passes.length
  const nKinds = groups.filter((group) => !group.isHint && !group.code.startsWith('V')).length
  const isDoubt = hints.some(({ doubt }) => doubt)
  return (
    <div className="pane">
      <div className="pane-bar">
        <div className="segments" role="group" aria-label={text.problems.ordersLabel}>
          {ORDERS.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === order}
              className="segment"
              data-testid={`lint-by-${name}`}
              onClick={() => setOrder(name)}
            >
              {text.problems.orders[name]}
            </button>
          ))}
        </div>
        <span className="pane-sum clip" data-testid="lint-sum" data-problems={nProblems} data-kinds={nKinds}>
          {nProblems === 0 ? text.problems.noneShort : text.problems.sum(count(nProblems), count(nKinds))}
          {passes.length > 0 && (
            <span className="muted" data-testid="lint-passes" data-passes={passes.length}>
              {text.problems.andPasses(count(passes.length))}
            </span>
          )}
          {hints.length > 0 && (
            <span className="muted" data-testid="lint-hints" data-hints={hints.length}>
              {isDoubt
                ? text.problems.andDoubts(count(hints.length))
                : text.problems.andHints(count(hints.length))}
            </span>
          )}
          {answered.busy && <span className="muted">{text.problems.looking}</span>}
          {answered.failure && (
            <span className="muted">{text.problems.failed(answered.failure.message)}</span>
          )}
        </span>
        <span className="grow" />
        <input
          className="input"
          type="search"
          data-find=""
          data-testid="lint-filter"
          placeholder={text.problems.find}
          aria-label={text.problems.find}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      <QualityFigures figures={app.stateOf(pane).figures} note={app.stateOf(pane).figuresNote} />
      {rows.length === 0 && !answered.busy && <Empty title={text.problems.noMatch} />}
      <div ref={scroller} className="rows scroll relative" tabIndex={0} role="region" aria-label={words.tab}>
        <div className="rows-inner relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((place) => {
            const row = rows[place.index]
            if (!row) return null
            const { group, item } = row
            return (
              <div
                key={place.key}
                ref={list.measureElement}
                data-index={place.index}
                className="rows-place absolute w-full left-0"
                style={{ transform: `translateY(${place.start}px)` }}
              >
                {item === null ? (
                  <Head group={group} folded={folded.has(group.code)} onFold={() => fold(group.code)} />
                ) : (
                  <One
                    item={item}
                    title={order === 'rule' ? null : (group.about?.title ?? group.code)}
                    episodes={graph?.episodes ?? NO_EPISODES}
                    marked={marked !== null && isSameFinding(item, marked)}
                  />
                )}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Says that the agent marked nothing, and leads to how episodes are marked. */
function Unmarked() {
  const app = useApp()
  const { unmarked, howToMark } = text.annotation
  const [topic] = text.guide.topics.annotate
  return (
    <>
      <p>{unmarked}</p>
      <button
        type="button"
        className="link text-active mt-8"
        data-testid="how-to-mark"
        onClick={() => app.panes.set({ dialog: 'help', helpFind: topic })}
      >
        {howToMark}
      </button>
      {app.can('mark_with_reader') && (
        <Button
          className="mt-8"
          title={text.reader.openHint}
          testid="problems-reader"
          onClick={() => app.panes.set({ dialog: 'reader' })}
        >
          {text.reader.open}
        </Button>
      )}
    </>
  )
}

/** Tells what the findings of a code mean, and what to do about them. */
function Head({ group, folded, onFold }: { group: LintGroup; folded: boolean; onFold: () => void }) {
  const { code, severity, about, items } = group
  const n = count(items.length)
  const isDoubt = items.some(({ doubt }) => doubt)
  const many = isDoubt ? text.problems.nDoubts(n) : text.problems.nHints(n)
  return (
    <div
      className={`bg-panel border-b relative p-8-12 lint-head ${group.isHint ? 'hint border-t' : severity}`}
      data-testid={group.isHint ? 'lint-hint-group' : 'lint-group'}
      data-code={code}
    >
      <button type="button" className="lint-fold row gap-8" aria-expanded={!folded} onClick={onFold}>
        <ChevronRight size={13} className={folded ? '' : 'turned'} />
        <SeverityIcon severity={severity} />
        {group.isHint && (
          <span className="hint-word text-xs muted rounded-8 px-6">
            {isDoubt ? text.problems.doubt : text.problems.hint}
          </span>
        )}
        <b>{about?.title ?? code}</b>
        <code>{code}</code>
        <span className="badge">{group.isHint ? many : text.problems.places(n)}</span>
      </button>
      {!folded && <ApplyAll items={items} />}
      {about && !folded && (
        <p className="p-2-0-1-24 max-w-110ch muted">
          {group.isHint && `${isDoubt ? text.problems.doubtAbout : text.problems.hintAbout} `}
          <Said text={about.means} end="" /> <b className="semibold text-main">{text.problems.fix}</b>{' '}
          <Said text={about.todo} end="" />
        </p>
      )}
    </div>
  )
}

/** Applies what the findings of a rule suggest, of those whose evidence is strong enough, as one change of marks. */
function ApplyAll({ items }: { items: readonly LintFinding[] }) {
  const app = useApp()
  const choices = choicesOfEdits(items)
  if (choices.length === 0 || !app.can('edit_marks')) return null
  const { applyAll, applyFrom } = text.problems
  return (
    <span className="absolute top-4 right-12">
      <Choice
        label={text.problems.applyLabel}
        testid="lint-apply-all"
        value=""
        options={[
          { value: '', label: text.problems.applyLabel },
          ...choices.map(({ strength, n }) => ({
            value: String(strength),
            label: strength === 0 ? applyAll(count(n)) : applyFrom(count(n), String(strength / 10)),
          })),
        ]}
        onChange={(strength) => strength !== '' && void app.applyMarks(editsOf(items, Number(strength)))}
      />
    </span>
  )
}

/** One finding. `title` names its rule where no head does. */
function One({
  item,
  title,
  episodes,
  marked,
}: {
  item: LintFinding
  title: string | null
  episodes: readonly EpisodeNode[]
  marked: boolean
}) {
  const app = useApp()
  const { line, on, cost, evidence } = item
  const episode = item.episode === null ? undefined : episodes[item.episode]
  const other = on === null ? undefined : episodes[on]
  const show = (at: number, block: string | null) => {
    if (episode) app.bench.select(item.episode, block)
    app.navigation.showLine(at)
  }
  // One block a turn: those beside it are in sight with it.
  const isFirst = (place: LintPlace, at: number) =>
    evidence.findIndex(({ turn }) => turn === place.turn) === at
  const shown = evidence
    .filter(isFirst)
    .filter((place) => place.line !== line)
    .slice(0, EVIDENCE_SHOWN)
  return (
    <div
      className={`baseline-row gap-10 w-full border-b-soft hover-panel problem ${item.severity} ${title === null ? 'p-4-12-4-32' : 'p-4-12'}${marked ? ' marked bg-panel2' : ''}`}
      aria-current={marked ? 'true' : undefined}
      data-testid={isHint(item) ? 'hint' : 'problem'}
      data-code={item.code}
      data-cost={cost ?? undefined}
      data-turn={item.turn ?? undefined}
    >
      {title !== null && (
        <span className="inline-row flex-none gap-6 muted w-66" title={title}>
          <SeverityIcon severity={item.severity} />
          <code>{item.code}</code>
        </span>
      )}
      <span className="problem-text grow break-anywhere">
        <Said text={item.message} end="" />
      </span>
      {cost !== null && cost > 0 && (
        <span className="flex-none muted nowrap tabular" title={text.problems.costHint}>
          {text.problems.cost(count(cost))}
        </span>
      )}
      {episode && (
        <button
          type="button"
          className={`chip ${episode.kind}`}
          title={text.problems.toEpisode}
          onClick={() => app.bench.select(item.episode, item.block)}
        >
          <span className="clip">{episode.name}</span>
        </button>
      )}
      {other && (
        <button
          type="button"
          className={`chip ${other.kind}`}
          title={text.problems.toOther}
          onClick={() => app.bench.select(on)}
        >
          <span className="clip">{other.name}</span>
        </button>
      )}
      {shown.map((place) => (
        <button
          key={place.block}
          type="button"
          className="link flex-none nowrap"
          data-testid="lint-evidence"
          title={text.problems.toEvidence(count(place.line))}
          onClick={() => show(place.line, place.block)}
        >
          {text.problems.turn(count(place.turn))}
        </button>
      ))}
      {item.edits.length > 0 && app.can('edit_marks') && (
        <Button
          look="quiet"
          testid="lint-apply"
          title={text.reacquisitions.applyHint}
          onClick={() => void app.applyMarks(item.edits)}
        >
          {text.reacquisitions.apply}
        </Button>
      )}
      {line !== null && (
        <button
          type="button"
          className="link go flex-none text-active nowrap"
          title={text.problems.toLine}
          onClick={() => show(line, item.block)}
        >
          {text.problems.line(count(line))}
        </button>
      )}
    </div>
  )
}
