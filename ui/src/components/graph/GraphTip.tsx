import { rem } from '../../lib/canvas/drawn'
import { useApp } from '../../lib/state/app'
import { useAnswer } from '../../lib/state/memo'
import { useStore, type Store } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count, percent } from '../../lib/view/format'
import { leftOf } from '../../lib/view/lanes'
import { stateName } from '../../lib/view/levels'
import { aboutEpisode } from '../../lib/view/steps'
import { Ball } from '../shared/Ball'
import { Said } from '../shared/Said'
import { SeverityIcon } from '../shared/SeverityIcon'
import type { SharedScene } from './useScene'

interface Pointer {
  hovered: number | null
  human: number | null
  problems: readonly number[] | null
  focused: number | null
  x: number
  y: number
}

const WAIT_MS = 140
/** How many of the acts that hold an episode are named. */
const MOST_NAMES = 4

/** Describes the episode under the pointer: name, level, size, and after a moment the reason. */
export function GraphTip({ shared, pointer }: { shared: SharedScene; pointer: Store<Pointer> }) {
  const app = useApp()
  const at = useStore(pointer, (state) => state)
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const reacquisitions = useStore(app.reacquisitions.store, () => app.reacquisitions.byEpisode)
  const question = useStore(app.bench.store, (bench) => bench.question)
  const { hovered } = at
  const asks = hovered !== null && question !== null
  // The tip shows without its reason where there is none; the inspector tells failures.
  const { answer } = useAnswer(
    asks ? [hovered, question] : null,
    () => app.host.call('episode', { ...question!, episode: hovered! }),
    WAIT_MS,
  )
  const why = answer?.episode === hovered ? answer : null

  const session = useStore(app.bench.store, (bench) => bench.session)
  const odd = at.problems && session?.problems.filter((one) => at.problems?.includes(one.episode ?? -1))
  const human = at.human === null ? undefined : graph?.human_turns[at.human]
  const episode = hovered === null ? undefined : graph?.episodes[hovered]
  if (!graph || (!episode && !human && !odd)) return null
  const style = {
    left: `min(${rem(at.x + 14)}, calc(100% - ${rem(330)}))`,
    top: at.y > 150 ? undefined : rem(at.y + 18),
    bottom: at.y > 150 ? `calc(100% - ${rem(at.y - 12)})` : undefined,
  }
  if (odd) {
    const more = Math.max(0, odd.length - MOST_NAMES)
    return (
      <div className="tip" style={style} role="presentation" data-testid="tip-problems">
        {odd.slice(0, MOST_NAMES).map((problem, idx) => (
          <div key={idx} className="row gap-8 mt-4">
            <SeverityIcon severity={problem.severity} />{' '}
            <span>
              <Said text={problem.message} />
            </span>
          </div>
        ))}
        <div className="row gap-8 mt-4 muted">{text.graph.toFindings(more)}</div>
      </div>
    )
  }
  if (human || !episode || hovered === null) {
    return (
      <div className="tip" style={style} role="presentation">
        <div className="row gap-8">
          <strong className="break-anywhere">{text.graph.human}</strong>
          <span className="muted">{text.graph.turns(count(human?.turn ?? 0), count(human?.turn ?? 0))}</span>
        </div>
        <p className="tip-text">{human?.text}</p>
      </div>
    )
  }
  const turn = app.bench.position().turn
  const reacquisition = reacquisitions.get(hovered)
  const ahead = episode.first_turn > turn
  const level = shared.scene.levelOf(hovered)
  const kept = leftOf(episode, level, shared.scene.left[hovered])
  return (
    <div className="tip" style={style} role="presentation">
      <div className="row gap-8">
        <i className={`swatch ${episode.kind}`} />
        <strong className="break-anywhere">{episode.name}</strong>
        <span className="muted">{text.kind[episode.kind]}</span>
        {episode.source !== 'declared' && (
          <span className={`badge source ${episode.source}`} data-testid="tip-source">
            {text.annotation.word[episode.source]}
          </span>
        )}
      </div>
      <div className="row gap-8 mt-4">
        {ahead ? (
          <span>{text.graph.ahead}</span>
        ) : (
          <>
            <Ball level={level} />
            <span>{stateName(level, kept, episode.tokens)}</span>
            <span className="muted">{text.graph.keptOf(count(kept), count(episode.tokens))}</span>
            <span className="muted">{percent(kept, episode.tokens)}</span>
          </>
        )}
      </div>
      <div className="row gap-8 mt-4 muted">
        {text.graph.turns(count(episode.first_turn), count(episode.last_turn))}
        {episode.open && ` · ${text.graph.active}`}
      </div>
      {reacquisition && reacquisition.gone_turn <= turn && (
        <div className="row gap-8 mt-4" data-testid="tip-reacquisition">
          {text.graph.reacquisition(count(reacquisition.n_blocks), count(reacquisition.again_turn))}
        </div>
      )}
      {episode.evidence !== null && (
        <div className="row gap-8 mt-4" data-testid="tip-evidence">
          <span>
            <span className="muted">{text.annotation.whyHere}</span> {capital(episode.evidence)}
          </span>
        </div>
      )}
      {why && !ahead && (
        <>
          <p className="tip-text">{aboutEpisode(episode.name, why.why)}</p>
          {why.blocked_by.length > 0 && (
            <p className="tip-text" data-testid="tip-blocked">
              {text.graph.blockedBy(
                why.blocked_by
                  .slice(0, MOST_NAMES)
                  .map((idx) => graph.episodes[idx]?.name ?? '')
                  .join(', '),
                Math.max(0, why.blocked_by.length - MOST_NAMES),
              )}
            </p>
          )}
        </>
      )}
    </div>
  )
}
