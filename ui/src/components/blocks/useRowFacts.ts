import type { ContextItem } from '../../lib/ipc/generated/ContextItem'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { pinOf } from '../../lib/view/pins'

/** Returns the facts that a row shows besides its item: its episode and level, and whether it is selected, pinned or touched by the step. */
export function useRowFacts() {
  const app = useApp()
  const graph = useStore(app.bench.calm, (bench) => bench.graph)
  const levels = useStore(app.bench.calm, (bench) => bench.levels)
  const pins = useStore(app.bench.store, (bench) => bench.view.pins)
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  // A block outside any episode may be selected by itself.
  const block = useStore(app.bench.store, (bench) => (bench.selected === null ? bench.block : null))
  useStore(app.bench.calm, (bench) => bench.steps)
  useStore(app.bench.calm, (bench) => bench.cut)
  const { turn, step } = app.bench.position(app.bench.calm.get())
  return (item: ContextItem) => ({
    episode: item.episode === null ? undefined : graph?.episodes[item.episode],
    level: item.episode === null ? 0 : (levels[item.episode] ?? 0),
    selected: selected === null ? item.block === block : item.episode === selected,
    pinned: pins?.includes(pinOf(item.block)) ?? false,
    touched: step > 0 && item.evicted_turn === turn && item.evicted_step === step,
  })
}
