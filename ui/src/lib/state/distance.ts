import { distanceBeside, type Distance } from '../view/distance'
import { isActive } from '../view/lanes'
import type { App } from './app'

/** The distance from which the graph is seen now: without an episode it is the session's. */
export const distanceNow = (app: Pick<App, 'bench' | 'panes'>): Distance =>
  app.bench.bench.selected === null ? 'session' : app.panes.get().distance

/**
 * Goes to a distance. Nearer ones are those of an episode: the selected one, else the one that the step at the cut touched,
 * else the one that the agent works on there, or the last before.
 */
export function goToDistance(app: Pick<App, 'bench' | 'panes'>, distance: Distance): void {
  if (distance !== 'session' && app.bench.bench.selected === null) {
    const found = app.bench.touched() ?? episodeAtCut(app)
    if (found === null) return
    app.bench.select(found)
  }
  app.panes.set({ distance })
}

/** Goes one distance nearer or farther. */
export function moveDistance(app: Pick<App, 'bench' | 'panes'>, direction: 1 | -1): void {
  goToDistance(app, distanceBeside(distanceNow(app), direction))
}

function episodeAtCut({ bench }: Pick<App, 'bench'>): number | null {
  const episodes = bench.bench.graph?.episodes ?? []
  const { turn } = bench.position()
  const active = episodes.findLastIndex((episode) => isActive(episode, turn))
  const before = active >= 0 ? active : episodes.findLastIndex(({ first_turn: first }) => first <= turn)
  return before >= 0 ? before : episodes.length > 0 ? 0 : null
}
