import {
  ChevronsDown,
  CirclePause,
  Maximize2,
  Pause,
  Play,
  Presentation,
  SkipBack,
  SkipForward,
  StepBack,
  StepForward,
  Swords,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { fit, zoomCentre } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { progressAt, shareBefore } from '../../lib/view/position'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'
import { Term } from '../shared/Term'
import { Sentence } from './Sentence'

const SPEEDS = ['0.5', '1', '2', '4', '16'].map((speed) => ({ value: speed, label: `${speed}×` }))

/** The transport: moves the cut step by step or pass by pass, and plays. */
export function Transport() {
  const app = useApp()
  const follow = useStore(app.bench.store, (bench) => bench.cut.turn === null)
  const { playing, speed, stopsAtPasses } = useStore(app.player.store, (state) => state)
  const pausing = (move: () => void) => () => {
    app.player.pause()
    move()
  }
  return (
    <div
      className="transport row flex-none gap-4 border-b px-10 h-40"
      role="toolbar"
      aria-label={text.transport.title}
    >
      <Button
        look="quiet"
        label={text.transport.previousPass}
        testid="previous-pass"
        onClick={pausing(() => app.bench.passBy(-1))}
      >
        <SkipBack size={15} />
      </Button>
      <Button
        look="quiet"
        label={text.transport.back}
        testid="step-back"
        onClick={() => app.navigation.step(-1)}
      >
        <StepBack size={15} />
      </Button>
      <Button
        className="play p-0 w-34"
        label={playing ? text.transport.pause : text.transport.play}
        testid="play"
        aria-pressed={playing}
        onClick={() => app.player.toggle()}
      >
        {playing ? <Pause size={15} /> : <Play size={15} />}
      </Button>
      <Button
        look="quiet"
        label={text.transport.forward}
        testid="step-forward"
        onClick={() => app.navigation.step(1)}
      >
        <StepForward size={15} />
      </Button>
      <Button
        look="quiet"
        label={text.transport.nextPass}
        testid="next-pass"
        onClick={pausing(() => app.bench.passBy(1))}
      >
        <SkipForward size={15} />
      </Button>
      <Choice
        label={text.transport.speed}
        value={String(speed)}
        options={SPEEDS}
        onChange={(value) => app.player.setSpeed(Number(value))}
      />
      <Button
        look="quiet"
        className="stops"
        label={text.transport.stopsAtPasses}
        testid="stops-at-passes"
        aria-pressed={stopsAtPasses}
        onClick={() => app.player.setStopsAtPasses(!stopsAtPasses)}
      >
        <CirclePause size={15} />
      </Button>
      <Readout />
      <Sentence />
      <Button look="quiet" label={text.duel.open} testid="duel-open" onClick={() => app.duel.set(true)}>
        <Swords size={15} />
      </Button>
      <Button
        look="quiet"
        label={text.transport.present}
        testid="present"
        onClick={() => app.presenter.set(true)}
      >
        <Presentation size={15} />
      </Button>
      <Button look="quiet" label={text.graph.zoomOut} onClick={() => zoomCentre(1.5)}>
        <ZoomOut size={15} />
      </Button>
      <Button look="quiet" label={text.graph.zoomIn} onClick={() => zoomCentre(1 / 1.5)}>
        <ZoomIn size={15} />
      </Button>
      <Button look="quiet" label={text.graph.fitHint} onClick={fit}>
        <Maximize2 size={14} />
      </Button>
      {app.can('changes') && (
        <Button
          title={text.transport.followHint}
          testid="follow"
          aria-pressed={follow}
          onClick={() => app.bench.setFollow(!follow)}
        >
          <ChevronsDown size={14} /> {text.transport.follow}
        </Button>
      )}
    </div>
  )
}

/** Tells where the cut is: its turn and step, and how many of all steps are taken. */
function Readout() {
  const app = useApp()
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const cut = useStore(app.bench.store, (bench) => bench.cut)
  const nTurns = graph?.n_turns ?? 1
  const { turn, step } = app.bench.position()
  const nSteps = replay?.n_steps[turn - 1] ?? 0
  const { taken, all } = progressAt({ turn, step }, replay?.n_steps ?? [])
  return (
    <span
      className="readout tabular flex-none border-l px-12 ml-6"
      data-testid="position"
      data-turn={turn}
      data-turns={nTurns}
      data-step={step}
      data-steps={nSteps}
      data-now={cut.turn === null}
    >
      <span className="muted">
        <Term word="turn">{text.graph.turn}</Term>
      </span>{' '}
      <b>{count(turn)}</b>
      <span className="muted">/{count(nTurns)}</span>
      {cut.turn === null && (
        <span className="now ml-8 p-1-6 rounded-8 bg-active text-bg text-xs weight-700">
          {text.transport.now}
        </span>
      )}
      <span className={nSteps === 0 ? 'muted ml-12' : 'ml-12'}>
        <span className="muted">
          <Term word="step">{text.transport.step}</Term>
        </span>{' '}
        <b>{count(step)}</b>
        <span className="muted">/{count(nSteps)}</span>
      </span>
      {all > 0 && (
        <span
          className="whole inline-row gap-6 ml-12"
          data-testid="progress"
          data-taken={taken}
          data-all={all}
          title={text.transport.progress(count(taken), count(all))}
        >
          <progress
            className="way bg-panel2 border-0 overflow-hidden rounded-2 w-56 h-4"
            max={1}
            value={shareBefore({ turn, step }, nSteps, nTurns)}
            aria-label={text.transport.progressLabel}
          />
          <span className="muted">{text.transport.ofAll(count(taken), count(all))}</span>
        </span>
      )}
    </span>
  )
}
