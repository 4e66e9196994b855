import { useEffect, useRef } from 'react'

import type { OverviewLineDto } from '../../lib/ipc/generated/OverviewLineDto'
import { useApp, type App } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Empty } from '../shared/Empty'
import { ConsumerTable } from './ConsumerTable'
import { MissTable } from './MissTable'
import { RequestChart } from './RequestChart'
import { SubagentTable } from './SubagentTable'

/** The Overview tab: what happened in the session, each sentence with a way to its evidence. */
export function OverviewPane() {
  const app = useApp()
  const { answer, failure } = useStore(app.overview.store, (state) => state)
  const misses = useRef<HTMLElement>(null)
  useEffect(() => app.overview.look(), [app])
  if (failure) return <Empty title={failure.message}>{failure.hint}</Empty>
  if (!answer) return <Empty title={text.overview.waiting} />
  if (answer.lines.length === 0) return <Empty title={text.overview.none} />
  const toMisses = () => misses.current?.scrollIntoView({ block: 'start' })
  return (
    <div className="pane">
      <div
        className="overview"
        tabIndex={0}
        role="region"
        aria-label={text.tabs.overview}
        data-testid="overview"
      >
        <section className="overview-lines" aria-label={text.overview.happened}>
          <ul>
            {answer.lines.map((line) => (
              <li key={line.kind} data-testid={`overview-${line.kind}`}>
                {line.says} <Evidence line={line} nMisses={answer.n_misses} toMisses={toMisses} />
              </li>
            ))}
          </ul>
          <p className="muted">{text.overview.basis(answer.counted_by)}</p>
        </section>
        <RequestChart overview={answer} />
        <div className="overview-parts">
          <ConsumerTable
            title={text.overview.consumers}
            about={text.overview.consumersAbout}
            consumers={answer.consumers}
            testid="consumers"
          />
          <ConsumerTable title={text.overview.files} consumers={answer.files} testid="file-consumers" />
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
  line: OverviewLineDto
  nMisses: number
  toMisses: () => void
}) {
  const app = useApp()
  const show = line.kind === 'cost' ? (nMisses > 0 ? toMisses : null) : evidenceOf(app, line)
  if (!show) return null
  return (
    <button type="button" className="link" data-testid={`evidence-${line.kind}`} onClick={show}>
      {text.overview.evidence[line.kind]}
    </button>
  )
}

function evidenceOf(app: App, { kind, turn, block, line }: OverviewLineDto): (() => void) | null {
  if (kind === 'compactions' && app.can('compactions')) return () => app.setTab('compactions')
  if (turn === null) return null
  if (block !== null && line !== null)
    return () => void app.navigation.showPlace({ turn, line, episode: null }, block)
  return () => {
    app.bench.moveTo({ turn, step: Number.MAX_SAFE_INTEGER })
    app.setTab('context')
  }
}
