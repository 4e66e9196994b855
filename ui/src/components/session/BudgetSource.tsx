import { Popover } from '@base-ui/react/popover'
import { memo } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { budgetOf } from '../../lib/view/budget'
import { count } from '../../lib/view/format'
import { passText } from '../../lib/view/recorded'
import { Button } from '../shared/Button'

/** How many passes of the harness are listed. */
const LISTED = 100

/** Writes `80000` as `80,000`, and a share of the window as it was typed. */
const shown = (budget: string) => (/^\d+$/.test(budget) ? count(Number(budget)) : budget)

/**
 * Tells where τ comes from, how to give up one's own, and which passes the harness made. Memoised: the field beside it is
 * rendered with every frame of a drag.
 */
export const BudgetSource = memo(function BudgetSource() {
  const app = useApp()
  const given = useStore(app.bench.calm, (bench) => bench.given)
  const usual = useStore(app.bench.calm, (bench) => bench.usual)
  const session = useStore(app.bench.calm, (bench) => bench.session)
  const { budget, source } = budgetOf(given, session, usual)
  const without = budgetOf(null, session, usual)
  const says = {
    default: text.source.default(shown(budget)),
    yours: text.source.yours,
    trace: text.source.trace(shown(budget)),
  }[source]
  const reset = without.source === 'trace' ? text.source.resetToTrace : text.source.resetToDefault
  const passes = session?.recorded?.passes ?? []
  const word = text.source.word[source]
  return (
    <Popover.Root>
      <Popover.Trigger
        className="tau-source text-s muted bg-none border-0 rounded-4 nowrap cursor-default p-4"
        aria-label={text.source.button(word)}
        title={says}
        data-testid="tau-source"
        data-source={source}
      >
        {word}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="z-40" sideOffset={6} align="end">
          <Popover.Popup className="popup source-popup w-340" data-testid="tau-source-popup">
            <Popover.Description className="m-0">{says}</Popover.Description>
            {source === 'yours' && (
              <Popover.Close
                render={<Button testid="tau-reset">{reset(shown(without.budget))}</Button>}
                onClick={() => app.bench.resetBudget()}
              />
            )}
            {passes.length > 0 && (
              <>
                <Popover.Title className="m-12-0-4 text-s semibold">
                  {text.recorded.title(count(passes.length))}
                </Popover.Title>
                <ol className="grid gap-4 text-s tabular" data-testid="recorded-passes">
                  {passes.slice(0, LISTED).map((pass, at) => (
                    <li key={at}>
                      {pass.turn === null ? (
                        <span className="muted">{text.recorded.noTurn}</span>
                      ) : (
                        <Popover.Close
                          className="link text-active"
                          onClick={() =>
                            app.bench.moveTo({ turn: pass.turn ?? 1, step: Number.MAX_SAFE_INTEGER })
                          }
                        >
                          {text.recorded.turn(count(pass.turn))}
                        </Popover.Close>
                      )}
                      : {passText(pass)}
                    </li>
                  ))}
                </ol>
                {passes.length > LISTED && (
                  <p className="muted">{text.recorded.more(count(passes.length - LISTED))}</p>
                )}
              </>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
})
