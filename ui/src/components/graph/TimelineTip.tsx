import { memo } from 'react'

import { rem } from '../../lib/canvas/drawn'
import { bandName } from '../../lib/canvas/timeline'
import { useApp } from '../../lib/state/app'
import { useStore, type Store } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { isAsItHappened, windowOf } from '../../lib/view/happened'
import { passText, passesAt } from '../../lib/view/recorded'
import { isAmong, lossesAt, missAt } from '../../lib/view/series'

/** The values of the turn under the pointer. */
export const TimelineTip = memo(function TimelineTip({
  hover,
}: {
  hover: Store<{ turn: number | null; x: number }>
}) {
  const app = useApp()
  const { turn, x } = useStore(hover, (state) => state)
  const history = useStore(app.bench.store, (bench) => bench.history)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const isSimulated = useStore(app.bench.store, (bench) => !isAsItHappened(bench.view))
  const recorded = useStore(app.bench.store, (bench) => bench.session?.recorded ?? null)
  const window = useStore(app.bench.store, ({ view, session }) => windowOf(view, session))
  const again = useStore(app.reacquisitions.store, () => app.reacquisitions.turns)
  if (turn === null || !history || !replay) return null
  const at = turn - 1
  const reported = history.reported[at]
  const miss = missAt(history, turn)
  const unlogged = history.stretches.find(({ from, to }) => from <= turn && turn <= to)?.says
  const before = replay.before[at] ?? 0
  const after = replay.after[at] ?? 0
  return (
    <div
      className="tip timeline-tip"
      style={{ left: `min(${rem(x + 16)}, calc(100% - ${rem(250)}))` }}
      role="presentation"
    >
      <div className="row gap-8">
        <strong className="break-anywhere">{text.timeline.turn(count(turn))}</strong>
        <span className="muted">{history.counted_by}</span>
      </div>
      <dl className="tip-values mt-4">
        <div className="semibold">
          <dt>{text.timeline.sent}</dt>
          <dd>{count(after)}</dd>
        </div>
        {replay.bands
          .map((band) => ({ name: band.band, tokens: band.tokens[at] ?? 0 }))
          .filter((band) => band.tokens > 0)
          .reverse()
          .map((band) => (
            <div key={band.name}>
              <dt>
                <i className="swatch" style={{ background: `var(--band-${band.name})` }} />
                {bandName(band.name)}
              </dt>
              <dd>{count(band.tokens)}</dd>
            </div>
          ))}
        {before !== after && (
          <div>
            <dt>{text.timeline.before}</dt>
            <dd>{count(before)}</dd>
          </div>
        )}
        <div>
          <dt>{text.timeline.full}</dt>
          <dd>{count(history.full[at] ?? 0)}</dd>
        </div>
        {window !== null && (
          <div>
            <dt>{text.timeline.windowOf}</dt>
            <dd>{count(window)}</dd>
          </div>
        )}
        {reported !== null && reported !== undefined && (
          <div>
            <dt>{text.timeline.reportedBy}</dt>
            <dd>{count(reported)}</dd>
          </div>
        )}
      </dl>
      {unlogged !== undefined && (
        <p className="tip-text" data-testid="tip-unlogged">
          {capital(unlogged)}
        </p>
      )}
      {isAmong(again, turn) && (
        <p className="tip-text" data-testid="tip-again">
          {text.reacquisitions.atTurn}
        </p>
      )}
      {history.compactions.includes(turn) && <p className="tip-text">{text.timeline.compacted}</p>}
      {history.clearings.includes(turn) && <p className="tip-text">{text.timeline.cleared}</p>}
      {lossesAt(history, turn).map((loss) => (
        <p key={loss.from} className="tip-text" data-testid="tip-loss">
          {loss.says}
        </p>
      ))}
      {miss && (
        <p className="tip-text" data-testid="tip-miss">
          {miss.says}
        </p>
      )}
      {passesAt(recorded, turn).map((pass, at) => (
        <p key={at} className="tip-text" data-testid="tip-pass">
          {text.timeline.recorded(passText(pass))}
        </p>
      ))}
      {isSimulated && isAmong(replay.over_budget, turn) && (
        <p className="tip-text text-error">{text.timeline.over}</p>
      )}
    </div>
  )
})
