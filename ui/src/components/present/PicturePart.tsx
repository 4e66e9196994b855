import { useEffect } from 'react'

import { useApp } from '../../lib/state/app'
import { seriesOf } from '../../lib/state/sweep'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { FrontierSaid } from '../../panes/compare/Frontier'
import { Mark } from '../../panes/compare/Mark'
import { SweepChart } from '../../panes/compare/SweepChart'

/** Letters of the picture are so many times larger than in the window. */
const LARGER = 1.5

/** Cost against what is still there, large: the sentence, and the picture of all policies and budgets. */
export function PicturePart() {
  const app = useApp()
  const series = useStore(app.sweep.store, seriesOf)
  useEffect(() => {
    app.sweep.setPresented(true)
    return () => app.sweep.setPresented(false)
  }, [app])
  const take = (column: number, budget: number) => {
    const view = series.find((one) => one.column === column)?.view
    if (view) app.comparison.use({ ...view, budget: String(budget) })
  }
  return (
    <section
      className="present-picture stack grow"
      data-testid="present-picture"
      aria-label={text.compare.parts.sweep}
    >
      <FrontierSaid />
      <SweepChart series={series} onTake={take} larger={LARGER} />
      <ul className="chart-legend flex flex-wrap gap-4-12 text-s p-6-12">
        {series.map(({ column, view }) => (
          <li key={column}>
            <Mark column={column} size={14} /> {view.policy}
          </li>
        ))}
      </ul>
    </section>
  )
}
