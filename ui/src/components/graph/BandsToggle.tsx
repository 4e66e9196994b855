import { useApp } from '../../lib/state/app'
import { CHOICES, nextBands } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Choice } from './Choice'

/** Names the question by which requests are divided into bands; a press takes the other. */
export function BandsToggle() {
  const app = useApp()
  const bands = useStore(app.bench.store, (bench) => bench.bands)
  if (!app.bench.canDivide) return null
  return (
    <Choice
      kinds={CHOICES.bands}
      value={bands}
      names={text.timeline.divisions}
      title={text.timeline.divisionHint[bands]}
      testid="bands-toggle"
      onPress={nextBands}
    />
  )
}
