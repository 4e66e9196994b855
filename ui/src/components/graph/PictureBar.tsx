import { useId } from 'react'

import { useApp } from '../../lib/state/app'
import { goToDistance } from '../../lib/state/distance'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { DISTANCES } from '../../lib/view/distance'
import { Legend } from './Legend'

/** The line above graph and timeline: from where the graph is seen, and what the signs of both mean. */
export function PictureBar({ hasGraph }: { hasGraph: boolean }) {
  return (
    <div className="picture-bar row flex-none min-w-0 bg-panel border-b h-32">
      {hasGraph && <DistanceChoice />}
      <Legend />
    </div>
  )
}

/** The choice of a distance; the keys < and > go between them. */
function DistanceChoice() {
  const app = useApp()
  const name = useId()
  const distance = useStore(app.panes, (panes) => panes.distance)
  const isChosen = useStore(app.bench.store, (bench) => bench.selected !== null)
  const now = isChosen ? distance : 'session'
  return (
    <fieldset
      className="segments flex-none border-0 p-0 ml-6"
      aria-label={text.near.distance}
      title={text.near.distanceHint}
      data-testid="distance"
      data-value={now}
    >
      {DISTANCES.map((one) => (
        <label key={one} className="segment">
          <input
            type="radio"
            name={name}
            value={one}
            checked={one === now}
            onChange={() => void app.places.asOne(() => goToDistance(app, one))}
          />
          {text.near.distances[one]}
        </label>
      ))}
    </fieldset>
  )
}
