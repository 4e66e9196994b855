import { useState } from 'react'

import { useApp } from '../../lib/state/app'
import type { SweepAnswer } from '../../lib/ipc/generated/SweepAnswer'
import { useStore } from '../../lib/state/store'
import { SWEPT, isStopped, progressOf, seriesOf } from '../../lib/state/sweep'
import { text } from '../../lib/text'
import { METRIC_KEYS } from '../../lib/view/chart'
import { capital, count } from '../../lib/view/format'
import { readBudgets, type MetricKey } from '../../lib/view/sweep'
import { Button } from '../../components/shared/Button'
import { Choice } from '../../components/shared/Choice'
import { Field } from '../../components/shared/Field'
import { Basis } from './Figures'
import { ChartLegend } from './ChartLegend'
import { FrontierList } from './FrontierList'
import { SweepChart } from './SweepChart'
import { SweepTable } from './SweepTable'
import { VerdictSaid } from './VerdictSaid'
import { words } from './words'
import './sweep.css'

const OVER = SWEPT.map((value) => ({ value, label: words.overs[value] }))
const AXES = METRIC_KEYS.map((key) => ({ value: key, label: words.metrics[key] }))

/** Cost against what is still there, for every policy and budget: the verdict, the picture, and the settings to take. */
export function SweepPart() {
  const app = useApp()
  const series = useStore(app.sweep.store, seriesOf)
  const failure = useStore(app.sweep.store, (state) => state.failure)
  const nColumns = useStore(app.comparison.store, (state) => state.columns.length)
  const answer = series[0]?.answer ?? null
  const take = (column: number, budget: number) => {
    const own = column === 0 ? null : app.comparison.store.get().columns[column - 1]?.budget
    const view = series.find((one) => one.column === column)?.view
    // A policy without a column becomes the main one; a column that follows the main view takes it along.
    if (column > nColumns && view) app.comparison.use({ ...view, budget: String(budget) })
    else if (column > 0 && own != null) app.comparison.setColumn(column - 1, { budget: String(budget) })
    else app.bench.setView({ budget: String(budget) })
  }
  return (
    <div className="stack grow min-h-0">
      {failure && (
        <div className="notice bg-error-soft error" role="alert">
          <b className="text-error">{capital(failure.message)}.</b> {failure.hint}
        </div>
      )}
      <div className="sweep-body scroll" tabIndex={0} role="region" aria-label={text.compare.parts.sweep}>
        <VerdictSaid />
        <div className="sweep-top grid">
          <div className="min-w-0">
            <SweepChart series={series} onTake={take} />
            <ChartLegend series={series} />
          </div>
          <FrontierList />
        </div>
        {answer && <Claims answer={answer} />}
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
  const { x, y, over, typed } = useStore(app.sweep.choice, (state) => state)
  const swept = useStore(app.sweep.store, (state) => state)
  const [progress, stopped] = [progressOf(swept), isStopped(swept)]
  // Without a probe there is nothing to put on an axis.
  const isAsked = swept.answer?.series.some(({ answer }) => (answer?.uncapped.probes.asked ?? 0) > 0) ?? false
  const axes = AXES.filter(({ value }) => value !== 'probes' || isAsked || x === value || y === value)
  const [draft, setDraft] = useState<string | null>(null)
  const bad = draft !== null && draft.trim() !== '' && readBudgets(draft) === null
  const commit = () => {
    if (draft !== null && !bad) app.sweep.setTyped(draft.trim())
    setDraft(null)
  }
  return (
    <>
      <Field label={words.y}>
        <Choice
          label={words.y}
          testid="sweep-y"
          value={y}
          options={axes}
          onChange={(key) => app.sweep.setAxes({ y: key as MetricKey })}
        />
      </Field>
      <Field label={words.x}>
        <Choice
          label={words.x}
          testid="sweep-x"
          value={x}
          options={axes}
          onChange={(key) => app.sweep.setAxes({ x: key as MetricKey })}
        />
      </Field>
      <Field label={words.budgets}>
        <input
          aria-label={words.budgets}
          className={`w-168 input ${bad ? 'bad' : ''}`}
          data-testid="sweep-budgets"
          spellCheck={false}
          autoComplete="off"
          placeholder={words.auto}
          title={words.budgetsHint}
          aria-invalid={bad}
          value={draft ?? typed}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit()
            else if (event.key === 'Escape') setDraft(null)
          }}
        />
      </Field>
      <Field label={words.over}>
        <Choice
          label={words.over}
          testid="sweep-over"
          value={over}
          options={OVER}
          onChange={(policies) => app.sweep.setOver(policies)}
        />
      </Field>
      {progress && (
        <span className="inline-row gap-8 tabular" role="status" data-testid="sweep-progress">
          {words.running(count(progress.done), count(progress.all))}{' '}
          <Button className="small" onClick={() => app.sweep.stop()}>
            {words.stop}
          </Button>
        </span>
      )}
      {stopped && !progress && (
        <span className="inline-row gap-8 tabular">
          <span className="muted">{words.stopped}</span>{' '}
          <Button className="small" onClick={() => app.sweep.again()}>
            {words.again}
          </Button>
        </span>
      )}
    </>
  )
}

/** The paper's claims with the figures of this session, and where the figures come from. */
function Claims({ answer }: { answer: SweepAnswer }) {
  return (
    <section className="claims max-w-120ch text-s p-4-12">
      <h2 className="text-s muted">{words.claims}</h2>
      {answer.claims.map((claim, at) => {
        const verdict = claim.holds === null ? 'unknown' : claim.holds ? 'yes' : 'no'
        return (
          <p key={at} className="m-4-0-8" data-testid="claim" data-holds={verdict}>
            <span className={`badge ${verdict === 'yes' ? 'ok' : verdict === 'no' ? 'warn' : ''}`}>
              {words.holds[verdict]}
            </span>{' '}
            {claim.claim} <span className="muted">{claim.figures}</span>
          </p>
        )
      })}
      <h2 className="text-s muted">{words.basis}</h2>
      <Basis answer={answer} />
    </section>
  )
}
