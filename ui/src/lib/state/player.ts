import { beginsPass, playForward } from '../view/position'
import { createStore } from './store'
import type { Workbench } from './workbench'

const STEP_MS = 520
const TURN_MS = 130

/** Plays time once through: the steps of a turn one by one, then the next turn. It does not start over by itself. */
export class Player {
  readonly store = createStore({ playing: false, speed: 1, stopsAtPasses: false })
  private readonly bench: Workbench
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(bench: Workbench) {
    this.bench = bench
  }

  toggle(): void {
    if (this.store.get().playing) this.pause()
    else this.play()
  }

  play(): void {
    const { graph, replay } = this.bench.bench
    if (!graph || !replay) return
    const at = this.bench.position()
    // At the end there is nothing left to play: start over. Before the first pass nothing happens, so begin there.
    const isBegin = at.turn === 1 && at.step === 0
    if (isBegin || !playForward(at, graph.n_turns, replay.n_steps)) {
      const turn = Math.max(
        1,
        Array.from(replay.n_steps).findIndex((n) => n > 0),
      )
      if (!isBegin || turn > 1) this.bench.moveTo({ turn, step: 0 })
    }
    this.store.set({ playing: true })
    this.tick()
  }

  pause(): void {
    clearTimeout(this.timer)
    this.store.set({ playing: false })
  }

  setSpeed(speed: number): void {
    this.store.set({ speed })
  }

  /** Playing stops before each pass, so that there is time to say what is about to happen. */
  setStopsAtPasses(stopsAtPasses: boolean): void {
    this.store.set({ stopsAtPasses })
  }

  private tick(): void {
    const { graph, replay } = this.bench.bench
    const next = graph && replay ? playForward(this.bench.position(), graph.n_turns, replay.n_steps) : null
    if (!next || !replay) {
      this.pause()
      return
    }
    this.bench.moveTo(next)
    if (this.store.get().stopsAtPasses && beginsPass(next, replay.n_steps)) {
      this.pause()
      return
    }
    const wait = next.step > 0 ? STEP_MS : TURN_MS
    this.timer = setTimeout(() => this.tick(), Math.max(16, wait / this.store.get().speed))
  }
}
