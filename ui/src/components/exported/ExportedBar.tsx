import { Popover } from '@base-ui/react/popover'
import { Moon, ShieldCheck, ShieldOff, Sun, SunMoon } from 'lucide-react'

import type { ExportDto } from '../../lib/ipc/generated/ExportDto'
import { useApp } from '../../lib/state/app'
import { nextTheme, settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count, short } from '../../lib/view/format'
import { totalAt } from '../../lib/view/position'
import { Button } from '../shared/Button'
import { budgetsOf } from './exportedCommands'

/** What is shown, with what budget, and what was redacted. */
export function ExportedBar({ exported }: { exported: ExportDto }) {
  const app = useApp()
  const view = useStore(app.bench.store, (bench) => bench.view)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const steps = useStore(app.bench.store, (bench) => bench.steps)
  useStore(app.bench.store, (bench) => bench.cut)
  const theme = useStore(settings, (value) => value.theme)
  const ThemeIcon = theme === 'system' ? SunMoon : theme === 'dark' ? Moon : Sun
  const budgets = budgetsOf(exported)
  const sent = totalAt(app.bench.position(), replay, steps)
  const budget = replay?.budget ?? 0
  const { session } = exported
  return (
    <header className="exported-bar">
      <h1 title={session.title}>{session.title}</h1>
      <span className="muted about-session">
        {[session.harness, session.model].filter(Boolean).join(' · ')}
      </span>
      <span className="grow" />
      <span className="muted">{view.policy}</span>
      <div role="radiogroup" aria-label={text.top.budgetLabel} className="budgets">
        {budgets.map(({ typed, tokens }) => (
          <label key={typed} className={typed === view.budget ? 'chosen' : ''}>
            <input
              type="radio"
              name="tau"
              value={typed}
              checked={typed === view.budget}
              data-testid={`tau-${tokens}`}
              onChange={() => app.bench.setView({ budget: typed })}
            />
            {text.present.tau(short(tokens))}
          </label>
        ))}
      </div>
      <span
        className="budget-figures"
        data-testid="totals"
        data-sent={sent}
        data-full={replay?.full[app.bench.position().turn - 1] ?? 0}
        title={text.top.countedBy(replay?.counted_by ?? '')}
      >
        <b className={sent > budget ? 'error-text' : ''}>{short(sent)}</b> {text.top.sentOf} {short(budget)}
      </span>
      <About exported={exported} />
      <Button look="quiet" label={text.top.theme[theme]} onClick={nextTheme}>
        <ThemeIcon size={16} />
      </Button>
    </header>
  )
}

/** What was redacted, and what is not in the page. */
function About({ exported }: { exported: ExportDto }) {
  const { redacted, left_out, made_by } = exported
  return (
    <Popover.Root>
      <Popover.Trigger
        className="button quiet"
        data-testid="about-export"
        aria-label={redacted ? text.exported.redacted : text.exported.notRedacted}
        title={redacted ? text.exported.redacted : text.exported.notRedacted}
      >
        {redacted ? <ShieldCheck size={16} /> : <ShieldOff size={16} />}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end">
          <Popover.Popup className="exported-about" data-testid="exported-about">
            <Popover.Title>{redacted ? text.exported.redacted : text.exported.notRedacted}</Popover.Title>
            {redacted ? (
              <>
                <p>{redacted.counts.length === 0 ? text.exported.nothing : text.exported.marks}</p>
                <ul>
                  {redacted.counts.map(([kind, different, places]) => (
                    <li key={kind}>{text.exported.counted(kind, count(different), count(places))}</li>
                  ))}
                  {redacted.left_out > 0 && <li>{text.exported.unread(count(redacted.left_out))}</li>}
                </ul>
                <p className="muted">{text.exported.caution}</p>
              </>
            ) : (
              <p>{text.exported.everything}</p>
            )}
            {left_out.length > 0 && (
              <>
                <h2>{text.exported.leftOut}</h2>
                <ul>
                  {left_out.map((sentence) => (
                    <li key={sentence}>{sentence}</li>
                  ))}
                </ul>
              </>
            )}
            <p className="muted">{text.exported.madeBy(made_by)}</p>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
