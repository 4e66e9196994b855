import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Check } from '../../components/shared/Check'

/** A switch that hides the ghosts and shows the list as the model would get it. */
export function AsSent() {
  const app = useApp()
  const asSent = useStore(app.context.store, (state) => state.asSent)
  return (
    <Check checked={asSent} testid="as-sent" onChange={(on) => app.context.setAsSent(on)}>
      <span title={text.context.asSentHint}>{text.context.asSent}</span>
    </Check>
  )
}
