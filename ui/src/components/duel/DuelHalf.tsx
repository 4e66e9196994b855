import { useEffect, useMemo, useRef } from 'react'

import { drawDuel } from '../../lib/canvas/duel'
import { reducedMotion } from '../../lib/canvas/scene'
import type { DuelAnswer } from '../../lib/ipc/generated/DuelAnswer'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import {
  Leftover,
  departuresOf,
  exactTurn,
  leavingAt,
  lightOf,
  needAt,
  turnAt,
  type Side,
} from '../../lib/view/duel'
import { costOf, count } from '../../lib/view/format'
import { laneOf } from '../../lib/view/lanes'
import { useSurface } from '../graph/useSurface'

/** One side of the duel: the counters, what is left of everything so far, and what went or is needed last. */
export function DuelHalf({ side, duel }: { side: Side; duel: DuelAnswer }) {
  const app = useApp()
  const canvas = useRef<HTMLCanvasElement>(null)
  const place = useStore(app.duel.store, (state) => state.place)
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const own = duel[side]
  const nTurns = duel.came_in.length
  const facts = useMemo(() => {
    const kindOf = (episode: number | null) => graph?.episodes[episode ?? -1]?.kind ?? 'unannotated'
    return {
      left: new Leftover(duel.came_in, own),
      departures: departuresOf(duel.came_in, own),
      lanes: duel.episodes.map((episode) => laneOf(kindOf(episode))),
    }
  }, [duel, own, graph])
  const surface = useSurface(
    canvas,
    (sheet) => {
      const now = exactTurn(app.duel.store.get().place, nTurns)
      drawDuel(sheet, {
        cameIn: duel.came_in,
        lanes: facts.lanes,
        left: facts.left.moveTo(Math.floor(now)),
        departures: facts.departures,
        needs: own.needs,
        now,
        still: reducedMotion(),
      })
      return false
    },
    [app.duel.store],
  )
  useEffect(() => surface.current?.invalidate(), [surface, facts])
  const turn = turnAt(place, nTurns)
  const at = turn - 1
  const isEnd = place >= 1
  const words = text.duel
  const nameOf = (episode: number | null) => graph?.episodes[episode ?? -1]?.name ?? words.outside
  const leaving = leavingAt(facts.departures, duel.episodes, turn)
  const need = needAt(own.needs, turn, nTurns)
  const now = exactTurn(place, nTurns)
  const isLit = (entry: { turn: number } | null) =>
    entry !== null && lightOf(entry.turn, now, nTurns, true) > 0
  const cost = own.cost_so_far[Math.min(at, own.cost_so_far.length - 1)] ?? 0
  const counters = [
    ['cost', words.cost, costOf({ unpriced: !duel.priced }, cost)],
    ['kept', words.kept, words.ofFull(count(own.sent[at] ?? 0), count(duel.full[at] ?? 0))],
    ['again', words.again, count(own.again_so_far[at] ?? 0)],
  ] as const
  return (
    <section className="stack grow min-h-0" data-testid={`duel-${side}`} aria-label={words.side(own.policy)}>
      <div className="baseline-row flex-wrap flex-none gap-4-10">
        <h2 className="text-l semibold grow m-0">{own.policy}</h2>
        {counters.map(([key, label, value]) => (
          <span key={key} className="nowrap">
            <span className="muted text-s">{label}</span>{' '}
            <b className="tabular" data-figure={key}>
              {value}
            </b>
          </span>
        ))}
      </div>
      <div className="grow relative min-h-60">
        <canvas
          ref={canvas}
          className="display-block w-full h-full absolute inset-0"
          role="img"
          aria-label={words.picture(own.policy)}
        />
      </div>
      {isEnd ? (
        <p className="semibold min-h-38" data-testid={`duel-says-${side}`}>
          {words.end(own.policy, own.says)}
        </p>
      ) : (
        <div className="text-s min-h-38">
          <p
            className={isLit(leaving) ? 'ellipsis semibold' : 'ellipsis muted'}
            data-testid={`duel-leaving-${side}`}
            data-lit={isLit(leaving)}
          >
            {leaving
              ? words.leaves(count(leaving.turn), count(leaving.tokens), nameOf(leaving.episode))
              : words.noneLeft}
          </p>
          <p
            className={isLit(need) ? 'ellipsis semibold text-error' : 'ellipsis muted'}
            data-testid={`duel-need-${side}`}
            data-lit={isLit(need)}
          >
            {need
              ? words.needs(count(need.turn), need.name, count(need.tokens), count(need.gone))
              : words.noneNeeded}
          </p>
        </div>
      )}
    </section>
  )
}
