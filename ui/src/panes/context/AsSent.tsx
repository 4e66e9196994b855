import { useApp } from '../../lib/state/app'
import { exchange, settings } from '../../lib/state/settings'
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

/** A switch: the texts in Markdown rendered, or as they were written. */
export function AsMarkdown() {
  const isRendered = useStore(settings, (set) => set.markdown === 'rendered')
  return (
    <Check checked={isRendered} testid="as-markdown" onChange={() => exchange('markdown')}>
      <span title={text.context.markdownHint}>{text.context.markdown}</span>
    </Check>
  )
}
