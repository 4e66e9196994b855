import { useState, type RefObject } from 'react'

import { drawnPoint, rem } from '../../lib/canvas/drawn'
import { HEAD, tokensToY, yToTokens } from '../../lib/canvas/timeline'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { tidyBudget } from '../../lib/view/budget'
import { count, short } from '../../lib/view/format'
import type { TokenScale } from '../../lib/view/tokenScale'

interface Props {
  canvas: RefObject<HTMLCanvasElement | null>
  /** The scale, and the height of the plot, pixels at the normal size of text. */
  scale: TokenScale
  height: number
  /** While τ is dragged the scale stands still, else the line would run from the pointer. */
  hold: (scale: TokenScale | null) => void
}

const LEAST = 1000
const BIG_STEP = 5

/** The handle of the line of τ. A drag or the keys move it. */
export function TauGrip({ canvas, scale, height, hold }: Props) {
  const app = useApp()
  const budget = useStore(app.bench.store, (bench) => bench.replay?.budget ?? null)
  const isSteered = useStore(app.steering.store, ({ process }) => process !== null)
  const [held, setHeld] = useState<TokenScale | null>(null)
  if (budget === null) return null
  const set = (tokens: number) => app.bench.setView({ budget: String(Math.max(LEAST, tokens)) }, true)
  const take = (held: TokenScale | null) => {
    setHeld(held)
    hold(held)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const steps = {
      ArrowUp: 1,
      ArrowRight: 1,
      PageUp: BIG_STEP,
      ArrowDown: -1,
      ArrowLeft: -1,
      PageDown: -BIG_STEP,
    }
    const by = steps[event.key as keyof typeof steps]
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    for (let n = 0; n < Math.abs(by); n += 1) {
      const next = app.budgetBeside(by > 0 ? 1 : -1)
      if (next !== null) app.bench.setView({ budget: Number(next) < LEAST ? String(LEAST) : next }, true)
    }
  }
  return (
    <div
      className="grip row gap-8 text-s absolute right-0 px-8 weight-700 h-20 select-none"
      role="slider"
      tabIndex={0}
      aria-label={text.timeline.grip}
      aria-orientation="vertical"
      aria-valuenow={budget}
      aria-valuemin={LEAST}
      aria-valuemax={Math.max(budget, 10_000_000)}
      aria-valuetext={text.tokens(count(budget))}
      data-testid="tau-grip"
      style={{ top: rem(Math.max(HEAD - 4, tokensToY(budget, scale, height))) }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        take(scale)
      }}
      onPointerMove={(event) => {
        if (held === null || !canvas.current) return
        set(tidyBudget(yToTokens(drawnPoint(canvas.current, event).y, held, height)))
      }}
      onPointerUp={() => take(null)}
      onPointerCancel={() => take(null)}
    >
      {isSteered && <span className="weight-400">{text.live.whatIf.toLowerCase()}</span>}
      {text.timeline.budget(short(budget))}
      <i className="w-8 h-8" aria-hidden="true" />
    </div>
  )
}
