import type { ReactNode } from 'react'

import { failureText } from '../../lib/error/table'
import type { HostError } from '../../lib/ipc/host'
import { capital } from '../../lib/view/format'
import { SeverityIcon } from '../shared/SeverityIcon'

interface FailureCardProps {
  failure: HostError
  /** The name that was asked for, where the failure names no place. */
  place: string | null
  testid: string
  /** The ways out, as buttons. */
  children: ReactNode
}

/** Says in place of a page why it could not be opened, and offers ways out. */
export function FailureCard({ failure, place, testid, children }: FailureCardProps) {
  const { title, advice } = failureText(failure)
  return (
    <main className="welcome grow overflow-auto max-w-720">
      <section
        className="card error bg-panel border border-error rounded-8 p-24"
        role="alert"
        data-testid={testid}
        data-code={failure.code}
      >
        <h1 className="row gap-10 text-xl">
          <SeverityIcon severity="error" size={20} /> {title}
        </h1>
        <p className="mono path break-anywhere">{failure.path ?? place}</p>
        <p>{capital(failure.message)}.</p>
        <p className="muted">{advice}</p>
        <div className="welcome-actions flex flex-wrap gap-8 m-16-0-0">{children}</div>
      </section>
    </main>
  )
}
