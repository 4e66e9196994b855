import { useApp } from '../../lib/state/app'
import { isPriced, type Series } from '../../lib/state/sweep'
import { useStore } from '../../lib/state/store'
import { sideOf } from '../../lib/view/sweep'
import { SideMark } from './SideMark'
import { words } from './words'

/** The meaning of the marks of the chart. */
export function ChartLegend({ series, size }: { series: readonly Series[]; size?: number }) {
  const app = useApp()
  const policies = useStore(app.bench.store, (bench) => bench.session?.choices.policies)
  const names = series.map(({ view }) => view.policy).filter((name) => sideOf(name, policies ?? []) === 'cwl')
  return (
    <ul className="chart-legend flex flex-wrap gap-4-12 text-s p-6-12">
      <li>
        <SideMark side="cwl" size={size} /> {words.sides.cwl(names.join(', '))}
      </li>
      <li>
        <SideMark side="others" size={size} /> {words.sides.others}
      </li>
      <li className="muted">
        <SideMark side={null} size={size} /> {isPriced(series) ? words.rest : words.unpriced}
      </li>
    </ul>
  )
}
