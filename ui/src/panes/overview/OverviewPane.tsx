import { useEffect, useRef } from 'react'

import type { OverviewLine } from '../../lib/ipc/generated/OverviewLine'
import { useApp, type App } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { Empty } from '../../components/shared/Empty'
import { ConsumerTable } from './ConsumerTable'
import { MissTable } from './MissTable'
import { RequestChart } from './RequestChart'
import { SubagentTable } from './SubagentTable'
import { words } from './words'
import './overview.css'
import { pane } from './pane'

/** The Overview tab: what happened in the session, each sentence with a way to its evidence. */
export function OverviewPane() {
  const app = useApp()
  const { answer, failure } = useStore(app.stateOf(pane).store, (state) => state)
  const misses = useRef<HTMLElement>(null)
  useEffect(() => app.stateOf(pane).look(), [app])
  if (failure) return <Empty title={failure.message}>{failure.hint}</Empty>
  if (!answer) return <Empty title={words.waiting} />
  if (answer.lines.length === 0) return <Empty title={words.none} />
  const toMisses = () => misses.current?.scrollIntoView({ block: 'start' })
  return (
    <div className="pane">
      <div
        className="overview report scroll p-8-12"
        tabIndex={0}
        role="region"
        aria-label={words.tab}
        data-testid="overview"
      >
        <section className="overview-lines text-l" aria-label={words.happened}>
          <ul className="bullets">
            {answer.lines.map((line) => (
              <li className="mb-4" key={line.kind} data-testid={`overview-${line.kind}`}>
                {line.says} <Evidence line={line} nMisses={answer.n_misses} toMisses={toMisses} />
              </li>
            ))}
          </ul>
          <p className="muted text-m">{words.basis(answer.counted_by)}</p>
        </section>
        <RequestChart overview={answer} />
        <div className="overview-parts grid items-start gap-12-32">
          <ConsumerTable
            title={words.consumers}
            about={words.consumersAbout}
            consumers={answer.consumers}
            testid="consumers"
          />
          <ConsumerTable title={words.files} consumers={answer.files} testid="file-consumers" />
        </div>
        <SubagentTable />
        <MissTable ref={misses} misses={answer.misses} nMisses={answer.n_misses} />
      </div>
    </div>
  )
}

/** The button behind a sentence that leads to what shows it. */
function Evidence({
  line,
  nMisses,
  toMisses,
}: {
  line: OverviewLine
  nMisses: number
  toMisses: () => void
}) {
  const app = useApp()
  const show = line.kind === 'cost' ? (nMisses > 0 ? toMisses : null) : evidenceOf(app, line)
  if (!show) return null
  return (
    <button
      type="button"
      className="link text-s muted ml-4"
      data-testid={`evidence-${line.kind}`}
      onClick={show}
    >
      {words.evidence[line.kind]}
    </button>
  )
}

function evidenceOf(app: App, { kind, turn, block, line }: OverviewLine): (() => void) | null {
  if (kind === 'compactions') return () => app.setTab('compactions')
  if (turn === null) return null
  if (block !== null && line !== null)
    return () => void app.navigation.showPlace({ turn, line, episode: null }, block)
  return () => {
    app.bench.moveTo({ turn, step: Number.MAX_SAFE_INTEGER })
    app.setTab('context')
  }
}
