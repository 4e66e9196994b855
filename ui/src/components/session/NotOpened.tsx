import { failureText } from '../../lib/error/table'
import type { HostError } from '../../lib/ipc/host'
import { text } from '../../lib/text'
import { capital } from '../../lib/view/format'
import { SeverityIcon } from '../shared/SeverityIcon'

/** Says why a session could not be opened, and that the open one is as it was. */
export function NotOpened({ failure }: { failure: HostError }) {
  const { title, advice } = failureText(failure)
  return (
    <div
      id="not-opened"
      className="not-opened p-2-0-2-10 break-anywhere"
      role="alert"
      data-testid="not-opened"
      data-code={failure.code}
    >
      <p className="my-2">
        <SeverityIcon severity="error" size={16} /> <b>{title}.</b> {capital(failure.message)}.
      </p>
      <p className="muted my-2">
        {advice} {text.welcome.stays}
      </p>
    </div>
  )
}
