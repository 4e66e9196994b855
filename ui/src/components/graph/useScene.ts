import type { Severity } from '../../lib/ipc/generated/Severity'
import { useMemo } from 'react'

import { Scene } from '../../lib/canvas/scene'
import { worst } from '../../lib/canvas/problems'
import { partOf, type Store } from '../../lib/state/store'
import type { Bench, Workbench } from '../../lib/state/workbench'

/** The scene that graph and strip draw, brought up to what the bench holds. */
export class SharedScene {
  readonly scene = new Scene()
  /** Worst problem of each episode. */
  severity = new Map<number, Severity>()
  private session: Bench['session'] = null

  update(bench: Bench): void {
    if (!bench.graph) return
    this.scene.setGraph(bench.graph)
    this.scene.levels = bench.levels
    this.scene.left = bench.left
    if (bench.session !== this.session) {
      this.session = bench.session
      this.severity = new Map()
      for (const problem of bench.session?.problems ?? []) {
        if (problem.episode === null) continue
        const before = this.severity.get(problem.episode)
        this.severity.set(problem.episode, before ? worst(before, problem.severity) : problem.severity)
      }
    }
  }
}

/**
 * The parts of the bench that change a picture of the session at the cut; the others change more often. The cut itself is
 * none of them: it comes with the levels at it.
 */
export const drawn = (bench: Workbench['calm']): Pick<Store<Bench>, 'subscribe'> =>
  partOf(bench, ({ session, graph, history, replay, levels, left, steps, selected, range }) => [
    session,
    graph,
    history,
    replay,
    levels,
    left,
    steps,
    selected,
    range,
  ])

/** The cut, for what shows it before the levels at it have come. */
export const cutOf = (bench: Workbench['calm']): Pick<Store<Bench>, 'subscribe'> =>
  partOf(bench, ({ cut }) => [cut])

export function useScene(bench: Workbench): SharedScene {
  return useMemo(() => {
    const shared = new SharedScene()
    shared.update(bench.bench)
    bench.store.subscribe(() => shared.update(bench.bench))
    return shared
  }, [bench])
}
