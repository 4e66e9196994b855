import { nextAxis, settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import type { AxisKind } from '../../lib/view/scale'

const KINDS: AxisKind[] = ['turns', 'tokens']

/** Names the unit of the x axis beside its labels; a press takes the other unit. */
export function AxisToggle() {
  const axis = useStore(settings, (value) => value.axis)
  return (
    <button
      type="button"
      className="axis-toggle"
      data-testid="axis-toggle"
      data-axis={axis}
      title={text.axis.hint[axis]}
      onClick={nextAxis}
    >
      <span>{text.axis.x} </span>
      {KINDS.map((kind) => (
        <span key={kind} data-kind={kind} className={kind === axis ? 'on' : ''} aria-hidden={kind !== axis}>
          {text.axis.kind[kind]}
        </span>
      ))}
    </button>
  )
}
