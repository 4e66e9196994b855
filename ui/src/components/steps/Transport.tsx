import {
  ChevronsDown,
  Maximize2,
  Pause,
  Play,
  SkipBack,
  SkipForward,
  StepBack,
  StepForward,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { fit, zoomCentre } from '../../lib/state/viewport'
import { text } from '../../lib/text/en'
import { count } from '../../lib/view/format'
import { sentenceOf } from '../../lib/view/steps'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'

const SPEEDS = ['0.5', '1', '2', '4', '16'].map((speed) => ({ value: speed, label: `${speed}×` }))

/** The time cursor: step by step, pass by pass, or playing. */
export function Transport() {
  const app = useApp()
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const cut = useStore(app.bench.store, (bench) => bench.cut)
  const follow = cut.turn === null
  const { playing, speed } = useStore(app.player.store, (state) => state)
  const nTurns = graph?.n_turns ?? 1
  const { turn, step } = app.bench.position()
  const nSteps = replay?.n_steps[turn - 1] ?? 0
  const pausing = (move: () => void) => () => {
    app.player.pause()
    move()
  }
  return (
    <div className="transport" role="toolbar" aria-label={text.transport.title}>
      <Button
        look="quiet"
        label={text.transport.previousPass}
        testid="previous-pass"
        onClick={pausing(() => app.bench.passBy(-1))}
      >
        <SkipBack size={15} />
      </Button>
      <Button look="quiet" label={text.transport.back} testid="step-back" onClick={() => app.step(-1)}>
        <StepBack size={15} />
      </Button>
      <Button
        className="play"
        label={playing ? text.transport.pause : text.transport.play}
        testid="play"
        aria-pressed={playing}
        onClick={() => app.player.toggle()}
      >
        {playing ? <Pause size={15} /> : <Play size={15} />}
      </Button>
      <Button look="quiet" label={text.transport.forward} testid="step-forward" onClick={() => app.step(1)}>
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
      <span
        className="readout"
        data-testid="position"
        data-turn={turn}
        data-turns={nTurns}
        data-step={step}
        data-steps={nSteps}
        data-now={cut.turn === null}
      >
        <span className="muted">{text.graph.turn}</span> <b>{count(turn)}</b>
        <span className="muted">/{count(nTurns)}</span>
        {cut.turn === null && <em className="now">{text.transport.now}</em>}
        <span className={nSteps === 0 ? 'muted gap' : 'gap'}>
          <span className="muted">{text.transport.step}</span> <b>{count(step)}</b>
          <span className="muted">/{count(nSteps)}</span>
        </span>
      </span>
      <Sentence />
      <Button look="quiet" label={text.graph.zoomOut} onClick={() => zoomCentre(1.5)}>
        <ZoomOut size={15} />
      </Button>
      <Button look="quiet" label={text.graph.zoomIn} onClick={() => zoomCentre(1 / 1.5)}>
        <ZoomIn size={15} />
      </Button>
      <Button look="quiet" label={text.graph.fitHint} onClick={fit}>
        <Maximize2 size={14} />
      </Button>
      <Button
        className="follow"
        title={text.transport.followHint}
        testid="follow"
        aria-pressed={follow}
        onClick={() => app.bench.setFollow(!follow)}
      >
        <ChevronsDown size={14} /> {text.transport.follow}
      </Button>
    </div>
  )
}

/** What the step at the cursor did, in words. */
function Sentence() {
  const app = useApp()
  const steps = useStore(app.bench.store, (bench) => bench.steps)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  useStore(app.bench.store, (bench) => bench.cut)
  const { turn, step } = app.bench.position()
  if (!steps || steps.turn !== turn) return <span className="sentence" aria-live="polite" />
  const taken = step > 0 ? steps.steps[step - 1] : undefined
  const episode = taken?.episode ?? null
  const above = steps.before - (replay?.budget ?? 0)
  const words = taken
    ? sentenceOf(taken)
    : steps.steps.length > 0
      ? text.transport.beforePass(count(steps.before), count(Math.max(0, above)))
      : steps.over_budget
        ? text.transport.overBudget
        : text.transport.noPass
  return (
    <span className="sentence" aria-live="polite" data-testid="sentence" title={words}>
      {taken && <span className="muted figures">{`${count(taken.before)} → ${count(taken.after)}`}</span>}
      {taken && episode !== null ? (
        <button type="button" className="link" onClick={() => app.bench.select(episode)}>
          {words}
        </button>
      ) : (
        <span>{words}</span>
      )}
      {steps.over_budget && steps.steps.length > 0 && step === steps.steps.length && (
        <span className="error-text">{text.transport.overBudget}</span>
      )}
    </span>
  )
}
