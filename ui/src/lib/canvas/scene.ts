import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import { implicitOf, linksOf, type Links } from '../view/edges'
import { keptShare, layOut, meanWidths, type Lanes } from '../view/lanes'
import type { Axis } from '../view/scale'

const TWEEN_MS = 70

/** The graph prepared for drawing: worked out once per answer, not once per frame. */
export class Scene {
  graph: GraphAnswer | null = null
  lanes: Lanes = layOut([])
  links: Links = { needs: [], feeds: [] }
  levels: ArrayLike<number> = []
  /** The tokens that are left of each episode. */
  left: ArrayLike<number> = []
  /** The share that is drawn as kept; runs after the true share. */
  shares: Float32Array = new Float32Array()
  private last = 0
  /** True until the next frame after another graph: a graph that grows with each line would never stand still. */
  private isNew = false
  private means: { lanes: Lanes; axis: Axis; widths: number[] } | null = null

  setGraph(graph: GraphAnswer): void {
    if (graph === this.graph) return
    const before = this.shares
    this.graph = graph
    this.isNew = true
    this.lanes = layOut(graph.episodes)
    this.links = linksOf(graph)
    this.shares = new Float32Array(graph.episodes.length).fill(1)
    this.shares.set(before.subarray(0, this.shares.length))
  }

  /** The mean width of the boxes of a lane, places; worked out when lanes or axis change. */
  meanWidth(lane: number, axis: Axis): number {
    if (this.means?.lanes !== this.lanes || this.means.axis !== axis)
      this.means = { lanes: this.lanes, axis, widths: meanWidths(this.lanes, axis) }
    return this.means.widths[lane] ?? 0
  }

  levelOf(idx: number): number {
    return Math.min(4, this.levels[idx] ?? 0)
  }

  /** Moves the drawn shares towards the true ones; true while they are on their way. */
  advance(now: number, still: boolean): boolean {
    const episodes = this.graph?.episodes ?? []
    const passed = Math.min(60, Math.max(0, now - this.last))
    this.last = now
    const jumps = still || this.isNew
    this.isNew = false
    const pull = jumps ? 1 : 1 - Math.exp(-passed / TWEEN_MS)
    let moving = false
    for (let idx = 0; idx < episodes.length; idx += 1) {
      const episode = episodes[idx]
      if (!episode) continue
      const wanted = keptShare(episode, this.levelOf(idx), this.left[idx])
      const share = this.shares[idx] ?? 1
      const gap = wanted - share
      if (Math.abs(gap) < 0.004) this.shares[idx] = wanted
      else {
        this.shares[idx] = share + gap * pull
        moving = moving || !jumps
      }
    }
    return moving
  }

  /** Everything that a selection lights: itself, what it needs and feeds. */
  related(selected: number | null): Set<number> | null {
    if (selected === null || !this.graph?.episodes[selected]) return null
    return new Set([selected, ...(this.links.needs[selected] ?? []), ...(this.links.feeds[selected] ?? [])])
  }

  implicit(selected: number | null): [number, number][] {
    return selected === null || !this.graph ? [] : implicitOf(this.graph, selected)
  }
}

export const reducedMotion = (): boolean => document.documentElement.dataset.motion === 'reduced'
