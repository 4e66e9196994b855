import { X, ZoomIn } from 'lucide-react'
import { memo } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { showTurns } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { count, short } from '../../lib/view/format'
import { isAsItHappened } from '../../lib/view/happened'
import { figuresOf } from '../../lib/view/range'
import { Button } from '../shared/Button'

/** The figures of the selected turns. */
export const RangeBox = memo(function RangeBox() {
  const app = useApp()
  const range = useStore(app.bench.store, (bench) => bench.range)
  const history = useStore(app.bench.store, (bench) => bench.history)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const isSimulated = useStore(app.bench.store, (bench) => !isAsItHappened(bench.view))
  const figures = range && history && replay ? figuresOf(history, replay, range) : null
  if (!range || !figures) return null
  const words = text.range
  return (
    <div
      className="range-box tabular row flex-wrap gap-4-12 text-s bg-panel border rounded-6 shadow absolute z-2 p-1-8 bottom-6"
      role="status"
      aria-label={words.label}
      data-testid="range"
    >
      <strong>{words.turns(count(range.from), count(range.to), count(figures.nTurns))}</strong>
      <span>{words.cameIn(count(figures.cameIn))}</span>
      {isSimulated && <span>{words.evicted(count(figures.evicted), count(figures.nSteps))}</span>}
      <span>{words.sent(short(figures.mean), short(figures.largest))}</span>
      {isSimulated && figures.nOver > 0 && (
        <span className="text-error">{words.over(count(figures.nOver))}</span>
      )}
      <Button
        className="small"
        look="quiet"
        label={words.zoom}
        testid="range-zoom"
        onClick={() => showTurns(range.from, range.to)}
      >
        <ZoomIn size={13} />
      </Button>
      <Button
        className="small"
        look="quiet"
        label={words.clear}
        testid="range-clear"
        onClick={() => app.bench.brush(null)}
      >
        <X size={13} />
      </Button>
    </div>
  )
})
