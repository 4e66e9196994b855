import { text } from '../../lib/text'
import { GutterChoice } from './GutterChoice'

/** Names the question by which requests are divided into bands; a press takes the other. */
export function BandsToggle() {
  const { divisions, divisionHint } = text.timeline
  return <GutterChoice setting="bands" names={divisions} hints={divisionHint} testid="bands-toggle" />
}
