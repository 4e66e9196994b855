import { limitOf } from '../view/happened'
import { totalAt } from '../view/position'
import { spokenOf, type Heard } from '../view/spoken'
import { saidAt } from '../view/steps'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** Nothing is said before the window has stood still for so long, … */
const REST_MS = 600
/** … but after this time a change is told even while more follow, as in playing. */
const MOST_MS = 3000
const RETRY_MS = 50

const NOTHING: Heard = {
  session: null,
  title: '',
  nEpisodes: 0,
  nTurns: 0,
  turn: 0,
  step: 0,
  nSteps: 0,
  sentence: '',
  policy: '',
  budget: 0,
  sent: 0,
  unseen: 0,
}

/** Tells changes to a screen reader: one at a time, and never faster than they can be heard. */
export class Announcer {
  readonly store = createStore({ said: '' })
  private readonly bench: Workbench
  private told: Heard = NOTHING
  private rest: ReturnType<typeof setTimeout> | undefined
  private most: ReturnType<typeof setTimeout> | undefined

  constructor(bench: Workbench) {
    this.bench = bench
    bench.store.subscribe(() => this.hear())
  }

  private hear(): void {
    const now = this.heard()
    if (now && now.session === null) this.told = NOTHING
    if (!now || spokenOf(this.told, now) === null) return
    clearTimeout(this.rest)
    this.rest = setTimeout(() => this.say(), REST_MS)
    this.most ??= setTimeout(() => this.say(), MOST_MS)
  }

  private say(): void {
    clearTimeout(this.rest)
    clearTimeout(this.most)
    this.most = undefined
    const now = this.heard()
    if (!now) {
      // An answer is on its way.
      this.most = setTimeout(() => this.say(), RETRY_MS)
      return
    }
    const said = spokenOf(this.told, now)
    this.told = now
    if (said !== null) this.store.set({ said })
  }

  /** How the window stands; `null` while an answer is on its way. */
  private heard(): Heard | null {
    const { phase, session, graph, replay, steps, view, unseen } = this.bench.bench
    if (phase !== 'open' || !session || !graph || !replay) return phase === 'opening' ? null : NOTHING
    const at = this.bench.position()
    if (steps?.turn !== at.turn) return null
    return {
      session: `${session.session}`,
      title: session.title,
      nEpisodes: graph.episodes.length,
      nTurns: graph.n_turns,
      turn: at.turn,
      step: at.step,
      nSteps: steps.steps.length,
      sentence: saidAt(steps, at.step, limitOf(view, replay)).words,
      policy: view.policy,
      budget: limitOf(view, replay),
      sent: totalAt(at, replay, steps),
      unseen,
    }
  }
}
