import type { Ref } from 'react'

import { useApp } from '../../lib/state/app'
import { useAnswer } from '../../lib/state/memo'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { leftOf } from '../../lib/view/lanes'
import { stateName } from '../../lib/view/levels'
import { aboutEpisode } from '../../lib/view/steps'
import { Ball } from '../shared/Ball'

interface Props {
  idx: number
  /** True for the chosen episode, which is no button. */
  isChosen?: boolean
  /** True where no act declares the edge. */
  isImplicit?: boolean
  onSelect?: () => void
  ref?: Ref<HTMLElement>
}

/** An episode as a card: name, kind, level, how much of it is kept, and the sentence why. */
export function EpisodeCard({ idx, isChosen = false, isImplicit = false, onSelect, ref }: Props) {
  const app = useApp()
  const episode = useStore(app.bench.store, (bench) => bench.graph?.episodes[idx])
  const level = useStore(app.bench.store, (bench) => Math.min(4, bench.levels[idx] ?? 0))
  const left = useStore(app.bench.store, (bench) => bench.left[idx])
  const turn = useStore(app.bench.store, () => app.bench.position().turn)
  const isTouched = useStore(app.bench.store, () => app.bench.touched() === idx)
  const question = useStore(app.bench.store, (bench) => bench.question)
  const { answer } = useAnswer(question === null ? null : [idx, question], () =>
    app.host.call('episode', { ...question!, episode: idx }),
  )
  if (!episode) return null
  const kept = leftOf(episode, level, left)
  const isAhead = episode.first_turn > turn
  const why = answer?.episode === idx ? aboutEpisode(episode.name, answer.why) : ''
  const content = (
    <>
      <span className="row gap-6 w-full">
        <i className={`swatch ${episode.kind}`} />
        <strong className="clip">{episode.name}</strong>
        <span className="muted grow nowrap">{text.kind[episode.kind]}</span>
        {!isAhead && <Ball level={level} label={stateName(level, kept, episode.tokens)} />}
      </span>
      <span
        className={`bar ${episode.kind} display-block relative h-6 my-4 rounded-2`}
        style={{ background: 'var(--kind-ghost)' }}
        aria-hidden="true"
      >
        <i
          className="kept absolute rounded-2"
          style={{ width: `${isAhead ? 0 : (100 * kept) / Math.max(1, episode.tokens)}%` }}
        />
      </span>
      <span className="muted text-xs display-block">
        {isAhead
          ? text.graph.ahead
          : `${stateName(level, kept, episode.tokens)}, ${text.graph.keptOf(count(kept), count(episode.tokens))}`}
        {isImplicit && ` · ${text.near.implicit}`}
      </span>
      {why !== '' && !isAhead && (
        <span className="near-why lines lines-2" title={why} data-testid="near-why">
          {why}
        </span>
      )}
    </>
  )
  const shared = {
    className: `near-card bg-panel border rounded-6 p-6-8 w-full whitespace-normal`,
    style: {
      borderColor: isTouched ? 'var(--error)' : isChosen ? 'var(--selection)' : undefined,
      borderStyle: isImplicit ? 'dotted' : undefined,
    },
    'data-testid': 'near-card',
    'data-flight': idx,
    'data-episode': episode.name,
    'data-level': level,
    'data-touched': isTouched,
    'data-implicit': isImplicit,
  }
  return isChosen ? (
    <div
      {...shared}
      ref={ref as Ref<HTMLDivElement>}
      role="group"
      tabIndex={-1}
      aria-label={episode.name}
      data-chosen
    >
      {content}
    </div>
  ) : (
    <button {...shared} type="button" onClick={onSelect}>
      {content}
    </button>
  )
}
