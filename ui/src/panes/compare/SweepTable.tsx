import { useApp } from '../../lib/state/app'
import type { Series } from '../../lib/state/sweep'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { costOf, count, perMille } from '../../lib/view/format'
import { figuresOf, metricOf, pointText, sideOf } from '../../lib/view/sweep'
import { SideMark } from './SideMark'
import { words } from './words'

/** All points of a policy with all figures: the chart as a table. */
export function SweepTable({ series, onTake }: { series: Series; onTake: (budget: number) => void }) {
  const app = useApp()
  const policies = useStore(app.bench.store, (bench) => bench.session?.choices.policies)
  const now = useStore(app.comparison.figures, (state) => state.answer?.columns[series.column])
  const { view, answer, column } = series
  if (!answer) return null
  const current = now?.policy === view.policy ? now.budget : null
  const metrics = figuresOf(answer.uncapped)
  return (
    <details className="sweep-table border-t" open={column === 0}>
      <summary className="cursor-default left-0 p-6-12 sticky">
        <SideMark side={sideOf(view.policy, policies ?? [])} /> {words.tableOf(view.policy)}
      </summary>
      <table className="compare" data-testid={`sweep-table-${column}`}>
        <thead>
          <tr>
            <th scope="col">{words.metrics.budget}</th>
            {metrics.map((metric) => (
              <th key={metric.key} scope="col">
                {words.metrics[metric.key]}
              </th>
            ))}
            <th scope="col">{words.summaries}</th>
            <th scope="col">{words.bound}</th>
            <th scope="col">{words.cached}</th>
            <th scope="col">{words.mean}</th>
          </tr>
        </thead>
        <tbody>
          {[...answer.points, answer.uncapped].map((point, at) => (
            <tr
              key={at}
              data-budget={point.budget ?? ''}
              className={point.budget === current ? 'now' : undefined}
            >
              <th scope="row">
                {point.budget === null ? (
                  words.uncapped
                ) : (
                  <button
                    type="button"
                    className="link"
                    title={words.take}
                    onClick={() => point.budget !== null && onTake(point.budget)}
                  >
                    {metricOf('budget').shown(point.budget)}
                  </button>
                )}
              </th>
              {metrics.map((metric) => (
                <td key={metric.key} data-metric={metric.key} data-value={metric.value(point)}>
                  {pointText(metric, point)}
                  {point.beyond_window > 0 && (metric.key === 'cost' || metric.key === 'hits') && (
                    <span className="muted" title={text.compare.impossibleHint(count(point.beyond_window))}>
                      {' '}
                      {text.compare.impossible}
                    </span>
                  )}
                </td>
              ))}
              <td>{costOf(point.cost, point.cost.summary_cost)}</td>
              <td>{perMille(point.recall.bound_per_mille)}</td>
              <td>{perMille(point.cost.cached_per_mille)}</td>
              <td>{count(point.mean_total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
