import { useEffect, useRef } from 'react'
import { Pause, Play, X } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { DUEL_MS, SIDES, placeOf, tightBudget, turnAt, type Side } from '../../lib/view/duel'
import { VerdictSaid } from '../../panes/compare/VerdictSaid'
import { BudgetField } from '../policy/BudgetField'
import { PolicyChoice } from '../policy/PolicyChoice'
import { Button } from '../shared/Button'
import { Said } from '../shared/Said'
import { DuelHalf } from './DuelHalf'

/** Two policies side by side over one playhead, from the first turn to the last in thirty seconds. */
export function DuelView() {
  const app = useApp()
  const frame = useRef<HTMLElement>(null)
  const { playing, place, policies } = useStore(app.duel.store, (state) => state)
  const { answer, failure } = useStore(app.duel.memo.store, (state) => state)
  const session = useStore(app.bench.store, (bench) => bench.session)
  // The focus moves here, so that a screen reader tells that another view is shown.
  useEffect(() => frame.current?.focus(), [])
  const known = session?.choices.policies ?? []
  const nTurns = answer?.came_in.length ?? 1
  const turn = turnAt(place, nTurns)
  const words = text.duel
  const choice = (side: Side) => (
    <PolicyChoice
      label={words.policy[side]}
      testid={`duel-policy-${side}`}
      policies={known}
      value={policies[side]}
      onChange={(policy) => app.duel.setPolicy(side, policy)}
    />
  )
  const isQuiet = answer !== null && SIDES.every((side) => answer[side].changes.length === 0)
  const tight = answer ? tightBudget(answer.full) : 0
  return (
    <main
      className="presentation duel stack bg-page text-m outline-none overflow-auto"
      data-testid="duel"
      data-turn={turn}
      data-turns={nTurns}
      data-playing={playing}
      tabIndex={-1}
      ref={frame}
      aria-label={words.label}
    >
      <header className="row flex-wrap flex-none">
        <h1 className="lines lines-2 whitespace-normal">{words.title}</h1>
        {choice('a')}
        <span className="muted">{words.against}</span>
        {choice('b')}
        <span className="row gap-8 nowrap">
          <span className="muted">{words.at}</span>
          <BudgetField
            label={words.budget}
            testid="duel-budget"
            value={app.duel.budget}
            onSet={(budget) => app.duel.setBudget(budget)}
          />
        </span>
        <span className="grow" />
        <Button look="quiet" label={words.leave} testid="duel-leave" onClick={() => app.duel.set(false)}>
          <X size={20} />
        </Button>
      </header>
      {failure && <p className="text-error">{`${capital(failure.message)}.`}</p>}
      {isQuiet && (
        <p className="row flex-wrap">
          {words.quiet}
          {tight > 0 && (
            <Button testid="duel-tighter" onClick={() => app.duel.setBudget(String(tight))}>
              {words.tighter(count(tight))}
            </Button>
          )}
        </p>
      )}
      {answer && SIDES.map((side) => <DuelHalf key={side} side={side} duel={answer} />)}
      {!answer && !failure && <p className="grow muted">{words.busy}</p>}
      <footer className="row flex-none nowrap">
        <Button
          look="quiet"
          label={playing ? words.pause : words.play}
          testid="duel-play"
          aria-pressed={playing}
          onClick={() => app.duel.toggle()}
        >
          {playing ? <Pause size={20} /> : <Play size={20} />}
        </Button>
        <input
          type="range"
          className="range grow min-w-0 h-24"
          data-testid="duel-scrub"
          aria-label={words.scrub}
          aria-valuetext={words.turn(count(turn), count(nTurns))}
          min={1}
          max={nTurns}
          step={1}
          value={turn}
          onChange={(event) => app.duel.seek(placeOf(Number(event.target.value), nTurns))}
        />
        <span className="tabular" data-testid="duel-turn">
          {words.turn(count(turn), count(nTurns))}
        </span>
        <span className="muted tabular" data-testid="duel-clock">
          {words.clock(Math.floor((place * DUEL_MS) / 1000), DUEL_MS / 1000)}
        </span>
      </footer>
      <div className="flex-none text-s min-h-56" data-testid="duel-end">
        {place >= 1 ? (
          <VerdictSaid />
        ) : (
          <p className="muted">
            <Said text={words.legend} end="" />
          </p>
        )}
      </div>
    </main>
  )
}
