import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'

import type { EpisodeDto } from '../../lib/ipc/generated/EpisodeDto'
import type { ProblemDto } from '../../lib/ipc/generated/ProblemDto'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { hintGroups, lintGroups, lintRows, type Listed, type LintGroup } from '../../lib/view/lint'
import { Empty } from '../shared/Empty'
import { Severity } from '../shared/Severity'

const NONE: ProblemDto[] = []
const NO_EPISODES: EpisodeDto[] = []

/**
 * Lists the problems of the log and its marks, grouped by code, and below them mere hints. Each leads to its episode or
 * its line.
 */
export function ProblemList() {
  'use no memo'
  const app = useApp()
  const problems = useStore(app.bench.store, (bench) => bench.session?.problems ?? NONE)
  const codes = useStore(app.bench.store, (bench) => bench.session?.codes)
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const [filter, setFilter] = useState('')
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const scroller = useRef<HTMLDivElement>(null)
  const hints = useStore(app.undeclared.store, () => app.undeclared.hints)
  const about = useStore(app.undeclared.store, () => app.undeclared.about)
  useEffect(() => app.undeclared.look(), [app])
  // The protocol's rules are about the agent's own marks: other episodes are no place for them.
  const isOwn = graph?.from.source === 'declared'
  const own = useMemo(
    () => (isOwn ? problems : problems.map((problem) => ({ ...problem, episode: null }))),
    [isOwn, problems],
  )
  const isUnmarked = useStore(app.bench.store, (bench) => bench.session?.annotation === 'none')
  const groups = useMemo(
    () => [...lintGroups(own, codes ?? [], filter), ...hintGroups(hints, about, filter)],
    [own, codes, hints, about, filter],
  )
  const rows = useMemo(() => lintRows(groups, folded), [groups, folded])
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (rows[at]?.problem === null ? 66 : 30),
    overscan: 12,
  })
  const fold = (code: string) => {
    const next = new Set(folded)
    if (!next.delete(code)) next.add(code)
    setFolded(next)
  }
  if (problems.length === 0 && hints.length === 0)
    return <Empty title={text.problems.none}>{isUnmarked ? text.annotation.unmarked : null}</Empty>
  const nOf = (some: LintGroup[]) => some.reduce((sum, group) => sum + group.problems.length, 0)
  const kinds = groups.filter((group) => !group.isHint)
  const [n, nHints] = [nOf(kinds), nOf(groups) - nOf(kinds)]
  return (
    <div className="pane">
      <div className="pane-bar">
        <span className="pane-sum" data-testid="lint-sum" data-problems={n} data-kinds={kinds.length}>
          {problems.length === 0 ? text.problems.noneShort : text.problems.sum(count(n), count(kinds.length))}
          {nHints > 0 && (
            <span className="muted" data-testid="lint-hints" data-hints={nHints}>
              {text.problems.andHints(count(nHints))}
            </span>
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
      {rows.length === 0 && <Empty title={text.problems.noMatch} />}
      <div ref={scroller} className="rows" tabIndex={0} role="region" aria-label={text.tabs.problems}>
        <div className="rows-inner" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((place) => {
            const row = rows[place.index]
            if (!row) return null
            const { group, problem } = row
            return (
              <div
                key={place.key}
                ref={list.measureElement}
                data-index={place.index}
                className="rows-place"
                style={{ transform: `translateY(${place.start}px)` }}
              >
                {problem === null ? (
                  <Head group={group} folded={folded.has(group.code)} onFold={() => fold(group.code)} />
                ) : (
                  <One problem={problem} episodes={graph?.episodes ?? NO_EPISODES} />
                )}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Tells what the problems of a code mean, and what to do about them. */
function Head({ group, folded, onFold }: { group: LintGroup; folded: boolean; onFold: () => void }) {
  const { code, severity, about, problems, isHint } = group
  const n = count(problems.length)
  return (
    <div
      className={`lint-head ${isHint ? 'hint' : severity}`}
      data-testid={isHint ? 'lint-hint-group' : 'lint-group'}
      data-code={code}
    >
      <button type="button" className="lint-fold" aria-expanded={!folded} onClick={onFold}>
        <ChevronRight size={13} className={folded ? '' : 'turned'} />
        {isHint ? <span className="hint-word">{text.problems.hint}</span> : <Severity severity={severity} />}
        <b>{about?.title ?? code}</b>
        <code>{code}</code>
        <span className="badge">{isHint ? text.problems.nHints(n) : text.problems.places(n)}</span>
      </button>
      {about && !folded && (
        <p className="lint-about">
          {about.means} <b>{text.problems.fix}</b> {about.todo}
        </p>
      )}
    </div>
  )
}

function One({ problem, episodes }: { problem: Listed; episodes: readonly EpisodeDto[] }) {
  const app = useApp()
  const { line, on } = problem
  const episode = problem.episode === null ? undefined : episodes[problem.episode]
  const other = on === undefined ? undefined : episodes[on]
  return (
    <div
      className={`problem ${problem.severity}`}
      data-testid={on === undefined ? 'problem' : 'hint'}
      data-code={problem.code}
    >
      <span className="problem-text">{capital(problem.message)}</span>
      {episode && (
        <button
          type="button"
          className={`chip ${episode.kind}`}
          title={text.problems.toEpisode}
          onClick={() => app.bench.select(problem.episode, problem.block)}
        >
          {episode.name}
        </button>
      )}
      {other && on !== undefined && (
        <button
          type="button"
          className={`chip ${other.kind}`}
          title={text.problems.toOther}
          onClick={() => app.bench.select(on)}
        >
          {other.name}
        </button>
      )}
      {line !== null && (
        <button
          type="button"
          className="link go"
          title={text.problems.toLine}
          onClick={() => {
            if (episode) app.bench.select(problem.episode, problem.block)
            app.showLine(line)
          }}
        >
          {text.problems.line(count(line))}
        </button>
      )}
    </div>
  )
}
