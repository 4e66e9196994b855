import { exchange, settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'

/** Shows all of the timeline on one scale, or values far above the requests in a band at the top. */
export function ScaleToggle() {
  const scale = useStore(settings, (held) => held.scale)
  return (
    <button
      type="button"
      className="link"
      data-testid="scale-toggle"
      data-value={scale}
      title={text.timeline.scaleHint[scale]}
      onClick={() => exchange('scale')}
    >
      {text.timeline.scale[scale]}
    </button>
  )
}
