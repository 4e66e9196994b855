import type { ReactNode } from 'react'

import { useApp } from '../../lib/state/app'
import { text } from '../../lib/text'
import { Boundary } from '../shared/Boundary'
import { Button } from '../shared/Button'
import { Empty } from '../shared/Empty'

/** A part of the window that may fail on its own: the other parts go on, and the host's error output tells the reason. */
export function Guard({ of, children }: { of: unknown; children: ReactNode }) {
  const app = useApp()
  return (
    <Boundary
      of={of}
      onError={(error) => app.host.report(`drawing failed: ${stackOf(error)}`)}
      failed={(message, again) => (
        <Empty title={text.guard.title}>
          <p role="alert" data-testid="drawing-failed">
            {message}
          </p>
          <p>{text.guard.advice}</p>
          <Button onClick={again}>{text.failure.retry}</Button>
        </Empty>
      )}
    >
      {children}
    </Boundary>
  )
}

const stackOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
