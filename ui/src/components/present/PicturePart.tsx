import { useEffect } from 'react'

import { useApp } from '../../lib/state/app'
import { seriesOf } from '../../lib/state/sweep'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { ChartLegend } from '../../panes/compare/ChartLegend'
import { SweepChart } from '../../panes/compare/SweepChart'
import { VerdictSaid } from '../../panes/compare/VerdictSaid'

/** Letters of the picture are so many times larger than in the window. */
const LARGER = 1.5

/** Cost against what is still there, large: the verdict, and the picture of all policies and budgets. */
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
      className="present-picture stack grow min-h-160"
      data-testid="present-picture"
      aria-label={text.compare.parts.sweep}
    >
      <VerdictSaid />
      <SweepChart series={series} onTake={take} larger={LARGER} />
      <ChartLegend series={series} size={14} />
    </section>
  )
}
