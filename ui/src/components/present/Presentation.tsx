import { useEffect, useRef } from 'react'
import { Pause, Play, X } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { limitOf, shownBy } from '../../lib/view/happened'
import { shareBefore, totalAt } from '../../lib/view/position'
import { saidAt } from '../../lib/view/steps'
import { useScene } from '../graph/useScene'
import { Button } from '../shared/Button'
import { LargeGraph } from './LargeGraph'
import { PicturePart } from './PicturePart'
import { VersusRow } from './VersusRow'

/** A longer sentence is set smaller, so that all of it stands in the room that it has; characters. */
const LONG = 110

/** The room of "N of N", so that what stands behind it keeps its place while it plays. */
const widthOf = (most: number) => `${2 * count(most).length + 4}ch`

/** The presentation for a room: the graph, the turn and step, and one sentence. */
export function Presentation() {
  const app = useApp()
  const shared = useScene(app.bench)
  const frame = useRef<HTMLElement>(null)
  const session = useStore(app.bench.store, (bench) => bench.session)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const steps = useStore(app.bench.store, (bench) => bench.steps)
  const view = useStore(app.bench.store, (bench) => bench.view)
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  useStore(app.bench.store, (bench) => bench.cut)
  const { playing } = useStore(app.player.store, (state) => state)
  const { beside } = useStore(app.presenter.store, (state) => state)
  // The focus moves here, so that a screen reader tells that another view is shown.
  useEffect(() => frame.current?.focus(), [])
  const at = app.bench.position()
  const limit = limitOf(view, replay)
  const { turn, step } = at
  const nSteps = replay?.n_steps[turn - 1] ?? 0
  const most = Math.max(1, ...Array.from(replay?.n_steps ?? []))
  const fresh = steps?.turn === turn ? steps : null
  const said = fresh && saidAt(fresh, step, limit)
  const sent = totalAt(at, replay, steps)
  const before = said?.taken?.before ?? null
  return (
    <main
      className="presentation stack bg-page text-m outline-none"
      data-testid="presentation"
      tabIndex={-1}
      ref={frame}
      aria-label={text.present.label}
    >
      <header className="baseline-row flex-none nowrap">
        <h1 className="lines lines-2 whitespace-normal">{session?.title}</h1>
        <span className="grow" />
        <b className={limit === null ? 'text-l' : 'badge simulated text-l'} data-testid="present-tau">
          {shownBy(view, replay)}
        </b>
      </header>
      {beside === 'picture' ? <PicturePart /> : <LargeGraph shared={shared} />}
      <progress
        className="way bg-panel2 border-0 overflow-hidden rounded-2 flex-none w-full"
        max={1}
        value={shareBefore(at, nSteps, graph?.n_turns ?? 1)}
        aria-label={text.transport.progressLabel}
      />
      <div className="place baseline-row flex-none nowrap">
        <span>
          <span className="muted">{text.present.turn}</span>{' '}
          <b className="inline-block" style={{ minWidth: widthOf(graph?.n_turns ?? 1) }}>
            {text.present.of(count(turn), count(graph?.n_turns ?? 1))}
          </b>
        </span>
        <span className={nSteps > 0 ? undefined : 'unseen'}>
          <span className="muted">{text.present.step}</span>{' '}
          <b className="inline-block" style={{ minWidth: widthOf(most) }}>
            {text.present.of(count(step), count(nSteps))}
          </b>
        </span>
        <span className="grow" />
        <b
          data-testid="present-sent"
          className={sent > (limit ?? Infinity) ? 'text-error inline-block' : 'inline-block'}
        >
          {before === null ? text.present.still(count(sent)) : text.present.sent(count(before), count(sent))}
        </b>
      </div>
      <p
        className={
          (said?.words.length ?? 0) > LONG
            ? 'said flex-none semibold break-anywhere text-l'
            : 'said flex-none semibold break-anywhere text-xl'
        }
        aria-live="polite"
        data-testid="present-sentence"
      >
        {said?.words}
        {said?.over && <span className="text-error"> {text.transport.overBudget}</span>}
      </p>
      {beside === 'versus' && <VersusRow />}
      <footer className="row flex-none nowrap">
        <Button
          look="quiet"
          label={playing ? text.present.pause : text.present.play}
          testid="present-play"
          aria-pressed={playing}
          onClick={() => app.player.toggle()}
        >
          {playing ? <Pause size={20} /> : <Play size={20} />}
        </Button>
        <div className="hints min-w-0 row flex-wrap grow overflow-hidden">
          {text.present.keys.map(([keys, does]) => (
            <span key={keys} className="hint muted">
              <kbd>{keys}</kbd> {does}
            </span>
          ))}
        </div>
        <Button
          testid="present-versus"
          aria-pressed={beside === 'versus'}
          onClick={() => app.presenter.toggle('versus')}
        >
          {beside === 'versus' ? text.present.versusOff : text.present.versus}
        </Button>
        <Button
          testid="present-picture-button"
          aria-pressed={beside === 'picture'}
          onClick={() => app.presenter.toggle('picture')}
        >
          {beside === 'picture' ? text.present.pictureOff : text.present.picture}
        </Button>
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
