import { text } from '../../lib/text'
import { GutterChoice } from './GutterChoice'

/** Names the unit of the x axis beside its labels; a press takes the other unit. */
export function AxisToggle() {
  const { x, kind, hint } = text.axis
  return <GutterChoice setting="axis" label={x} names={kind} hints={hint} testid="axis-toggle" />
}
