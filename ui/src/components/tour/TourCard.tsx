import { Popover } from '@base-ui/react/popover'
import { useEffect } from 'react'
import { X } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { STOPS, type Stop } from '../../lib/state/tour'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Button } from '../shared/Button'

/** The part of the window that each stop is about. */
const PARTS: Record<Stop, string> = {
  overview: '[data-testid="tab-overview"]',
  graph: '[data-episodes]',
  budget: '[data-testid="what-if"]',
  evicted: '[data-testid="tab-evicted"]',
  duel: '[data-testid="duel-open"]',
}

const partOf = (stop: Stop) => document.querySelector<HTMLElement>(PARTS[stop])

/** The card of a stop of the tour, beside the part that it is about. The window stays usable behind it. */
export function TourCard({ at }: { at: number }) {
  const app = useApp()
  const stop = STOPS[at] ?? STOPS[0]
  const phase = useStore(app.bench.store, (bench) => bench.phase)
  const isLast = at === STOPS.length - 1
  const [title, words] = text.tour.stops[stop]
  useEffect(() => {
    const part = partOf(stop)
    part?.classList.add('toured')
    return () => part?.classList.remove('toured')
  }, [stop, phase])
  if (phase !== 'open') return null
  return (
    <Popover.Root
      open
      onOpenChange={(open, { reason }) => {
        // A press beside it uses the window, and does not end the tour.
        if (!open && reason === 'escape-key') app.tour.leave()
      }}
    >
      <Popover.Portal>
        <Popover.Positioner
          key={stop}
          className="z-40"
          anchor={() => partOf(stop)}
          side="bottom"
          sideOffset={8}
          collisionPadding={8}
        >
          <Popover.Popup className="popup p-12-16 max-w-360" data-testid="tour" data-stop={stop}>
            <div className="row">
              <Popover.Title className="text-l semibold grow m-0">{title}</Popover.Title>
              <Button look="quiet" label={text.tour.skip} testid="tour-skip" onClick={() => app.tour.leave()}>
                <X size={14} />
              </Button>
            </div>
            <Popover.Description className="my-8">{words}</Popover.Description>
            <div className="row gap-8">
              <span className="muted grow">{text.tour.step(at + 1, STOPS.length)}</span>
              {at > 0 && (
                <Button testid="tour-back" onClick={() => app.tour.by(-1)}>
                  {text.tour.back}
                </Button>
              )}
              {isLast && (
                <Button
                  testid="tour-duel"
                  onClick={() => {
                    app.tour.leave()
                    app.duel.set(true)
                  }}
                >
                  {text.duel.button}
                </Button>
              )}
              <Button look="strong" testid="tour-next" onClick={() => app.tour.by(1)}>
                {isLast ? text.tour.done : text.tour.next}
              </Button>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
