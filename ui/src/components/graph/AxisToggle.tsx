import { CHOICES, nextAxis, settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Choice } from './Choice'

/** Names the unit of the x axis beside its labels; a press takes the other unit. */
export function AxisToggle() {
  const axis = useStore(settings, (value) => value.axis)
  return (
    <Choice
      label={text.axis.x}
      kinds={CHOICES.axis}
      value={axis}
      names={text.axis.kind}
      title={text.axis.hint[axis]}
      testid="axis-toggle"
      onPress={nextAxis}
    />
  )
}
