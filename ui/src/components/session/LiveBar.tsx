import { Popover } from '@base-ui/react/popover'
import { Activity } from 'lucide-react'

import type { LiveEvent } from '../../lib/ipc/generated/LiveEvent'
import type { LiveProcessRow } from '../../lib/ipc/generated/LiveProcessRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { changeTo, isInForce } from '../../lib/view/steer'
import { Button } from '../shared/Button'

const tauOf = (policy: string, budget: number) => (policy === 'none' ? null : count(budget))

/** The running agent of the session: what is in force, what the view would change for it, and its decisions. */
export function LiveBar() {
  const app = useApp()
  const process = useStore(app.steering.store, (state) => state.process)
  const phase = useStore(app.bench.store, (bench) => bench.phase)
  if (process === null || phase !== 'open') return null
  const { policy, budget, last, tokenizer, marks } = process
  return (
    <section
      className="live-bar row flex-wrap min-h-36 flex-none gap-4-12 bg-panel border-b p-4-12 text-s tabular"
      aria-label={text.live.label}
      data-testid="live-bar"
      data-process={process.process}
      data-policy={policy}
      data-budget={budget}
    >
      <span className="row gap-6 nowrap">
        <Activity size={14} className="text-active" aria-hidden />
        <span className="muted">{text.live.inForce}</span>
        <b data-testid="in-force" title={text.live.settingsHint(tokenizer, marks)}>
          {text.live.settings(policy, tauOf(policy, budget))}
        </b>
      </span>
      <Decisions process={process} />
      <span
        className={`clip grow min-w-140 ${last?.kind === 'pass_through' ? 'text-error' : 'muted'}`}
        data-testid="live-last"
        title={last?.says}
      >
        {last === null ? text.live.waits : text.live.request(count(last.turn ?? process.requests), last.says)}
      </span>
      <WhatIf process={process} />
    </section>
  )
}

/** The view beside what is in force: what the next request would lose, and the button that applies it. */
function WhatIf({ process }: { process: LiveProcessRow }) {
  const app = useApp()
  const { steering } = app
  const { applying, failure } = useStore(steering.store, (state) => state)
  const view = useStore(app.bench.calm, (bench) => bench.view)
  const budget = useStore(app.bench.calm, (bench) => bench.replay?.budget ?? 0)
  const { answer: effect, to } = useStore(steering.effects, (state) => state)
  const failed = useStore(steering.effects, (state) => state.failure)
  const change = changeTo(view, budget)
  // The last effect stays while the one of a new τ is computed.
  const isStale = to !== null && JSON.stringify(to.change) !== JSON.stringify(change)
  if (isInForce(process, change))
    return (
      <span className="live-effect muted" data-testid="live-same">
        {text.live.same}
      </span>
    )
  const refusal = effect?.refusal ?? null
  const problem = failure ?? failed
  const smallest = refusal?.smallest_budget ?? null
  const isOff = view.policy === 'none'
  const says = problem
    ? `${capital(problem.message)}.`
    : refusal
      ? `${capital(refusal.reason)}.`
      : effect
        ? capital(text.live.effect(effect.says, count(effect.sent)))
        : text.live.computing
  return (
    <span className="live-effect row flex-wrap gap-4-8">
      <span className="nowrap">
        <span className="muted">{text.live.whatIf}</span>{' '}
        <b className="text-error" data-testid="what-if">
          {text.live.settings(view.policy, tauOf(view.policy, budget))}
        </b>
      </span>
      <span
        role="status"
        className={refusal || problem ? 'text-error' : isStale ? 'muted' : ''}
        aria-busy={isStale}
        data-testid="live-effect"
        data-budget={to?.change.budget}
        data-parts-lost={effect?.parts_lost}
        data-tokens-lost={effect?.tokens_lost}
        data-sent={effect?.sent}
      >
        {says}
      </span>
      {smallest !== null && (
        <Button
          className="small"
          testid="live-smallest"
          onClick={() => app.bench.setView({ budget: String(smallest) })}
        >
          {text.live.takeSmallest(count(smallest))}
        </Button>
      )}
      <Button
        look={isOff ? 'quiet' : 'strong'}
        className="small px-10"
        testid="live-apply"
        title={isOff ? text.live.turnOffHint : text.live.applyHint}
        disabled={applying || refusal !== null}
        onClick={() => void steering.apply()}
      >
        {applying ? text.live.applying : isOff ? text.live.turnOff : text.live.apply}
      </Button>
      <Button look="quiet" className="small" testid="live-show" onClick={() => steering.showInForce()}>
        {text.live.show}
      </Button>
    </span>
  )
}

/** The decisions so far, each with the parts that went and the reasons. */
function Decisions({ process }: { process: LiveProcessRow }) {
  const { requests, evicting, passed_through, refused, harness } = process
  const events = [...process.events].reverse()
  return (
    <Popover.Root>
      <Popover.Trigger className="link text-active nowrap" data-testid="live-decisions">
        {text.live.decisions} ({count(requests)})
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="z-40" sideOffset={6} align="start">
          <Popover.Popup className="popup text-s tabular w-520" data-testid="live-events">
            <Popover.Title className="text-s semibold">
              {text.live.decisionsTitle(text.live.process(harness, String(process.process)))}
            </Popover.Title>
            <Popover.Description className="muted">
              {text.live.totals(count(requests), count(evicting), count(passed_through), count(refused))}
            </Popover.Description>
            <ol className="grid gap-8 mt-8">
              {events.map((event) => (
                <DecisionRow key={event.number} event={event} />
              ))}
            </ol>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

const BADGES: Partial<Record<LiveEvent['kind'], string>> = {
  pass_through: 'warn',
  refused: 'warn',
  evict: 'ok',
}

function DecisionRow({ event }: { event: LiveEvent }) {
  const app = useApp()
  const { turn, kind, says, gone, policy, budget, at_ms } = event
  return (
    <li data-testid="live-event" data-kind={kind} data-number={event.number}>
      <span className="baseline-row flex-wrap gap-8">
        <time className="muted" dateTime={new Date(at_ms).toISOString()}>
          {new Date(at_ms).toLocaleTimeString()}
        </time>
        {turn !== null && (
          <Popover.Close
            className="link text-active"
            onClick={() => app.bench.moveTo({ turn, step: Number.MAX_SAFE_INTEGER })}
          >
            {text.live.turn(count(turn))}
          </Popover.Close>
        )}
        <span className={`badge ${BADGES[kind] ?? ''}`}>{text.live.kind[kind]}</span>
        {turn !== null && <span className="muted">{text.live.settings(policy, tauOf(policy, budget))}</span>}
      </span>
      <p className="m-0">{says}</p>
      {gone.length > 0 && (
        <ul className="pl-12 muted">
          {gone.map((one) => (
            <li key={one.says}>
              {text.live.parts(one.parts, count(one.tokens))}: {one.says}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** Tells whether the bar of a running agent is shown. */
export function useHasLiveBar(): boolean {
  const { steering } = useApp()
  return useStore(steering.store, (state) => state.process !== null)
}
