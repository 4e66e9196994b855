import { useEffect, useRef } from 'react'
import { Pause, Play, X } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count, short } from '../../lib/view/format'
import { progressAt, totalAt } from '../../lib/view/position'
import { saidAt } from '../../lib/view/steps'
import { useScene } from '../graph/useScene'
import { Button } from '../shared/Button'
import { LargeGraph } from './LargeGraph'
import { VersusRow } from './VersusRow'

/** The presentation for a room: the graph, the turn and step, and one sentence. */
export function Presentation() {
  const app = useApp()
  const shared = useScene(app.bench)
  const frame = useRef<HTMLElement>(null)
  const session = useStore(app.bench.store, (bench) => bench.session)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const steps = useStore(app.bench.store, (bench) => bench.steps)
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  useStore(app.bench.store, (bench) => bench.cut)
  const { playing } = useStore(app.player.store, (state) => state)
  const { versus } = useStore(app.presenter.store, (state) => state)
  // The focus moves here, so that a screen reader tells that another view is shown.
  useEffect(() => frame.current?.focus(), [])
  // A page of recorded answers has the comparison that was recorded, and no other.
  const canCompare = app.can('compare') && app.can('any view')
  const keys = text.present.keys.filter(([key]) => key !== 'C' || canCompare)
  const at = app.bench.position()
  const { turn, step } = at
  const nSteps = replay?.n_steps[turn - 1] ?? 0
  const { taken, all } = progressAt(at, replay?.n_steps ?? [])
  const fresh = steps?.turn === turn ? steps : null
  const said = fresh && saidAt(fresh, step, replay?.budget ?? 0)
  const sent = totalAt(at, replay, steps)
  const before = said?.taken?.before ?? null
  return (
    <main
      className="presentation"
      data-testid="presentation"
      tabIndex={-1}
      ref={frame}
      aria-label={text.present.label}
    >
      <header>
        <h1>{session?.title}</h1>
        <span className="grow" />
        <span className="muted">{replay?.policy}</span>
        <b className="tau-figure" data-testid="present-tau">
          {text.present.tau(short(replay?.budget ?? 0))}
        </b>
      </header>
      <LargeGraph shared={shared} />
      <progress
        className="way"
        max={Math.max(1, all)}
        value={taken}
        aria-label={text.transport.progressLabel}
      />
      <div className="place">
        <span>
          <span className="muted">{text.present.turn}</span>{' '}
          <b>{text.present.of(count(turn), count(graph?.n_turns ?? 1))}</b>
        </span>
        {nSteps > 0 && (
          <span>
            <span className="muted">{text.present.step}</span>{' '}
            <b>{text.present.of(count(step), count(nSteps))}</b>
          </span>
        )}
        <span className="grow" />
        <b data-testid="present-sent" className={sent > (replay?.budget ?? Infinity) ? 'error-text' : ''}>
          {before === null ? text.present.still(count(sent)) : text.present.sent(count(before), count(sent))}
        </b>
      </div>
      <p className="said" aria-live="polite" data-testid="present-sentence">
        {said?.words}
        {said?.over && <span className="error-text"> {text.transport.overBudget}</span>}
      </p>
      {versus && <VersusRow />}
      <footer>
        <Button
          look="quiet"
          label={playing ? text.present.pause : text.present.play}
          testid="present-play"
          aria-pressed={playing}
          onClick={() => app.player.toggle()}
        >
          {playing ? <Pause size={20} /> : <Play size={20} />}
        </Button>
        {keys.map(([keys, does]) => (
          <span key={keys} className="hint muted">
            <kbd>{keys}</kbd> {does}
          </span>
        ))}
        <span className="grow" />
        {canCompare && (
          <Button
            testid="present-versus"
            aria-pressed={versus}
            onClick={() => app.presenter.setVersus(!versus)}
          >
            {versus ? text.present.versusOff : text.present.versus}
          </Button>
        )}
        <Button
          look="quiet"
          label={text.present.leave}
          testid="present-leave"
          onClick={() => app.presenter.set(false)}
        >
          <X size={20} />
        </Button>
      </footer>
    </main>
  )
}
