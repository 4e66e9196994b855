import { playForward } from '../view/position'
import { createStore } from './store'
import type { Workbench } from './workbench'

const STEP_MS = 520
const TURN_MS = 130

/** Plays time: the steps of a turn one by one, then the next turn. */
export class Player {
  readonly store = createStore({ playing: false, speed: 1 })
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
    // At the end there is nothing left to play: start over.
    if (!playForward(at, graph.n_turns, replay.n_steps)) this.bench.moveTo({ turn: 1, step: 0 })
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

  private tick(): void {
    const { graph, replay } = this.bench.bench
    const next = graph && replay ? playForward(this.bench.position(), graph.n_turns, replay.n_steps) : null
    if (!next) {
      this.pause()
      return
    }
    this.bench.moveTo(next)
    const wait = next.step > 0 ? STEP_MS : TURN_MS
    this.timer = setTimeout(() => this.tick(), Math.max(16, wait / this.store.get().speed))
  }
}
