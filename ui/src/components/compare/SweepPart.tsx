import { useState } from 'react'

import { useApp } from '../../lib/state/app'
import type { SweepDto } from '../../lib/ipc/generated/SweepDto'
import { useStore } from '../../lib/state/store'
import { isStopped, progressOf, seriesOf } from '../../lib/state/sweep'
import { text } from '../../lib/text'
import { METRIC_KEYS } from '../../lib/view/chart'
import { capital, count } from '../../lib/view/format'
import { readBudgets, type MetricKey } from '../../lib/view/sweep'
import { Button } from '../shared/Button'
import { Check } from '../shared/Check'
import { Choice } from '../shared/Choice'
import { Basis } from './Figures'
import { Mark } from './Mark'
import { SweepChart } from './SweepChart'
import { SweepTable } from './SweepTable'

const AXES = METRIC_KEYS.map((key) => ({ value: key, label: text.sweep.metrics[key] }))

/** The cost and the hits of the policies over all budgets, and the claims of the paper. */
export function SweepPart() {
  const app = useApp()
  const series = useStore(app.sweep.store, seriesOf)
  const failure = useStore(app.sweep.store, (state) => state.failure)
  const answer = series[0]?.answer ?? null
  const take = (column: number, budget: number) => {
    const own = column === 0 ? null : app.comparison.store.get().columns[column - 1]?.budget
    // A column that follows the main view takes it along.
    if (column > 0 && own !== null) app.comparison.setColumn(column - 1, { budget: String(budget) })
    else app.bench.setView({ budget: String(budget) })
  }
  return (
    <div className="sweep">
      {failure && (
        <div className="notice error" role="alert">
          <b>{capital(failure.message)}.</b> {failure.hint}
        </div>
      )}
      <div className="sweep-body" tabIndex={0} role="region" aria-label={text.compare.parts.sweep}>
        <div className="sweep-top">
          <div className="sweep-picture">
            <SweepChart series={series} onTake={take} />
            <ul className="chart-legend">
              {series.map(({ column, view }) => (
                <li key={column}>
                  <Mark column={column} size={11} /> {view.policy}
                </li>
              ))}
              <li className="muted">{text.sweep.front}</li>
            </ul>
          </div>
          {answer && <Claims answer={answer} />}
        </div>
        {series.map((one) => (
          <SweepTable key={one.column} series={one} onTake={(budget) => take(one.column, budget)} />
        ))}
      </div>
    </div>
  )
}

/** Chooses the axes and budgets of the chart, and tells how far the sweep is. */
export function SweepBar() {
  const app = useApp()
  const { x, y, all, typed } = useStore(app.sweep.choice, (state) => state)
  const swept = useStore(app.sweep.store, (state) => state)
  const [progress, stopped] = [progressOf(swept), isStopped(swept)]
  const columns = useStore(app.comparison.store, (state) => state.columns)
  const [draft, setDraft] = useState<string | null>(null)
  const bad = draft !== null && draft.trim() !== '' && readBudgets(draft) === null
  const commit = () => {
    if (draft !== null && !bad) app.sweep.setTyped(draft.trim())
    setDraft(null)
  }
  return (
    <>
      <span className="field">
        <span className="muted">{text.sweep.y}</span>
        <Choice
          label={text.sweep.y}
          testid="sweep-y"
          value={y}
          options={AXES}
          onChange={(key) => app.sweep.setAxes({ y: key as MetricKey })}
        />
      </span>
      <span className="field">
        <span className="muted">{text.sweep.x}</span>
        <Choice
          label={text.sweep.x}
          testid="sweep-x"
          value={x}
          options={AXES}
          onChange={(key) => app.sweep.setAxes({ x: key as MetricKey })}
        />
      </span>
      <label className="field">
        <span className="muted">{text.sweep.budgets}</span>
        <input
          className={`input sweep-budgets ${bad ? 'bad' : ''}`}
          data-testid="sweep-budgets"
          spellCheck={false}
          autoComplete="off"
          placeholder={text.sweep.auto}
          title={text.sweep.budgetsHint}
          aria-invalid={bad}
          value={draft ?? typed}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit()
            else if (event.key === 'Escape') setDraft(null)
          }}
        />
      </label>
      {columns.length > 0 && (
        <Check
          checked={all}
          testid="sweep-all"
          title={text.sweep.allHint}
          onChange={(on) => app.sweep.setAll(on)}
        >
          {text.sweep.all}
        </Check>
      )}
      {progress && (
        <span className="sweep-progress" role="status" data-testid="sweep-progress">
          {text.sweep.running(count(progress.done), count(progress.all))}{' '}
          <Button onClick={() => app.sweep.stop()}>{text.sweep.stop}</Button>
        </span>
      )}
      {stopped && !progress && (
        <span className="sweep-progress">
          <span className="muted">{text.sweep.stopped}</span>{' '}
          <Button onClick={() => app.sweep.again()}>{text.sweep.again}</Button>
        </span>
      )}
    </>
  )
}

/** The paper's claims with the figures of this session, and where the figures come from. */
function Claims({ answer }: { answer: SweepDto }) {
  return (
    <aside className="claims">
      <h2>{text.sweep.claims}</h2>
      {answer.claims.map((claim, at) => {
        const verdict = claim.holds === null ? 'unknown' : claim.holds ? 'yes' : 'no'
        return (
          <p key={at} className="claim" data-testid="claim" data-holds={verdict}>
            <span className={`badge ${verdict === 'yes' ? 'ok' : verdict === 'no' ? 'warn' : ''}`}>
              {text.sweep.holds[verdict]}
            </span>{' '}
            {claim.claim} <span className="muted">{claim.figures}</span>
          </p>
        )
      })}
      <h2>{text.sweep.basis}</h2>
      <Basis answer={answer} />
    </aside>
  )
}
