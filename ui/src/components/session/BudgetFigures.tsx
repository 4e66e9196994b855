import type { ReactNode } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, short } from '../../lib/view/format'
import { totalAt } from '../../lib/view/position'
import { Term } from '../shared/Term'

/** The size of the request at the cut under this budget, and of the whole history without eviction. */
export function BudgetFigures() {
  const sizes = useSizes()
  const { sent, full, budget } = sizes
  return (
    <Totals sizes={sizes} width="min-w-132">
      <b className={sent > budget ? 'text-error' : ''}>{short(sent)}</b> {text.top.sentOf} {short(budget)}
      <span className="muted">
        {' '}
        <Term word="raw">{text.top.raw}</Term> {short(full)}
      </span>
    </Totals>
  )
}

/** The size of the request at the cut as the harness sent it. */
export function HappenedFigures() {
  const sizes = useSizes()
  return (
    <Totals sizes={sizes} width="">
      <b>{short(sizes.sent)}</b> {text.top.sent}
    </Totals>
  )
}

interface TotalsProps {
  sizes: Sizes
  width: string
  children: ReactNode
}

/** Sizes in the top bar, with their unit. */
function Totals({ sizes, width, children }: TotalsProps) {
  return (
    <span
      className={`text-s nowrap ${width} tabular`}
      data-testid="totals"
      data-sent={sizes.sent}
      data-full={sizes.full}
      title={text.tips.totals}
      data-origin={text.top.countedBy(sizes.countedBy)}
    >
      {children}
      <Unit />
    </span>
  )
}

interface Sizes {
  sent: number
  full: number
  budget: number
  countedBy: string
}

function useSizes(): Sizes {
  const app = useApp()
  const history = useStore(app.bench.calm, (bench) => bench.history)
  const replay = useStore(app.bench.calm, (bench) => bench.replay)
  const steps = useStore(app.bench.calm, (bench) => bench.steps)
  useStore(app.bench.calm, (bench) => bench.cut)
  const at = app.bench.position(app.bench.calm.get())
  return {
    sent: totalAt(at, replay, steps),
    full: history?.full[at.turn - 1] ?? 0,
    budget: replay?.budget ?? 0,
    countedBy: history?.counted_by ?? '',
  }
}

/** The counter of the figures, or how they compare with what the provider reported. */
function Unit() {
  const app = useApp()
  const history = useStore(app.bench.calm, (bench) => bench.history)
  const isOwn = useStore(app.bench.calm, (bench) => bench.view.tokenizer === 'provider')
  if (!history || (history.drift === null && !isOwn)) return null
  return (
    <span className="muted wide-only" data-testid="drift" title={capital(history.drift?.says ?? '')}>
      {' '}
      {isOwn ? text.top.unit(history.counted_by) : text.top.drift(history.drift?.factor.toFixed(2) ?? '')}
    </span>
  )
}
