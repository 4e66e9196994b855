import { useMemo } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { failureText } from '../../lib/error/table'
import { text } from '../../lib/text'
import { recentEntries } from '../../lib/view/drawer'
import { bytes } from '../../lib/view/format'
import { recentRows } from '../../lib/view/recent'
import { Button } from '../shared/Button'
import { DropStart } from './DropStart'
import { FailureCard } from './FailureCard'
import { Newest } from './Newest'
import { SessionRow } from './SessionRow'

/** The welcome screen: says how to begin, or why a log could not be opened. */
export function Welcome() {
  const app = useApp()
  const phase = useStore(app.bench.store, (bench) => bench.phase)
  if (phase === 'failed') return <Failure />
  if (phase === 'opening' || phase === 'start') return <Opening />
  if (!app.can('paths')) return <DropStart />
  return (
    <main className="welcome grow overflow-auto max-w-720" data-testid="welcome">
      <h1>{text.welcome.title}</h1>
      <p className="text-l muted">{text.welcome.lead}</p>
      <div className="welcome-actions flex flex-wrap gap-8 my-24">
        <Button look="strong" onClick={() => app.askForLog()}>
          {text.welcome.open}
        </Button>
        <Button onClick={() => app.searchSessions()}>{text.welcome.sessions}</Button>
        {app.can('sample') && (
          <Button testid="open-sample" onClick={() => void app.attempt(app.openSample())}>
            {text.welcome.sample}
          </Button>
        )}
      </div>
      <TourOffer />
      <Newest />
      <RecentList />
      <p>{text.welcome.teach}</p>
      <pre className="teach pre-wrap bg-panel border rounded-8 mt-12 p-12-16">{text.welcome.example}</pre>
      <p className="muted">{text.welcome.withoutMarks}</p>
    </main>
  )
}

/** Offers the tour until it was taken or refused. */
function TourOffer() {
  const app = useApp()
  const offered = useStore(app.tour.store, (tour) => tour.offered)
  if (!offered || !app.can('sample')) return null
  return (
    <p className="row flex-wrap gap-8 mb-12" data-testid="tour-offer">
      <span>{text.tour.offer}</span>
      <Button testid="tour-start" onClick={() => void app.attempt(app.tour.start())}>
        {text.tour.start}
      </Button>
      <Button look="quiet" testid="tour-refuse" onClick={() => app.tour.refuse()}>
        {text.tour.refuse}
      </Button>
    </p>
  )
}

/** The sessions that were opened last. */
function RecentList() {
  const app = useApp()
  const opened = useStore(app.recent.store, (recent) => recent.opened)
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const entries = useMemo(() => recentEntries(recentRows(opened, rows)), [opened, rows])
  if (entries.length === 0) return null
  return (
    <section className="recent w-full max-w-560" aria-label={text.welcome.recent}>
      <h2 className="p-0-8-4">{text.welcome.recent}</h2>
      <ul className="overflow-auto max-h-40vh">
        {entries.map(
          (entry) =>
            entry.kind === 'session' && (
              <li key={entry.key}>
                <SessionRow entry={entry} current={false} />
              </li>
            ),
        )}
      </ul>
    </section>
  )
}

function Opening() {
  const app = useApp()
  const target = useStore(app.bench.store, (bench) => bench.target)
  const progress = useStore(app.bench.store, (bench) => bench.progress)
  return (
    <main className="welcome opening grow overflow-auto max-w-720" aria-busy="true">
      {target !== null && (
        <>
          <p className="muted">{text.opening.title}</p>
          <p className="mono clip">{target}</p>
          <progress
            className="mt-12 w-320"
            max={progress?.total ?? 1}
            value={progress?.done}
            aria-label={text.opening.title}
          />
          {progress && (
            <>
              <p className="muted">{text.opening.reading(bytes(progress.done), bytes(progress.total))}</p>
              <Button testid="stop-opening" onClick={() => void app.bench.stopOpening()}>
                {text.opening.stop}
              </Button>
            </>
          )}
        </>
      )}
    </main>
  )
}

function Failure() {
  const app = useApp()
  const failure = useStore(app.bench.store, (bench) => bench.failure)
  const target = useStore(app.bench.store, (bench) => bench.target)
  if (!failure) return null
  const actions = failureText(failure).actions.filter(
    (action) => action !== 'sessions' || app.can('sessions'),
  )
  return (
    <FailureCard failure={failure} place={target} testid="failure">
      {actions.map((action, idx) => (
        <Button
          key={action}
          look={idx === 0 ? 'strong' : 'plain'}
          onClick={() => {
            if (action === 'retry') void (target === null ? app.start() : app.bench.open(target))
            else if (action === 'open') app.askForLog()
            else app.panes.set({ drawer: true })
          }}
        >
          {action === 'retry'
            ? text.failure.retry
            : action === 'open'
              ? text.failure.openOther
              : text.failure.sessions}
        </Button>
      ))}
      <Button look="quiet" testid="failure-back" onClick={() => app.bench.leaveFailure()}>
        {text.failure.back}
      </Button>
    </FailureCard>
  )
}
