import { useEffect, useRef, useState } from 'react'

import { codeOf } from '../../lib/error/table'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import {
  SLIDER_STEPS,
  budgetAt,
  cleanBudget,
  groupedBudget,
  isBudget,
  positionOf,
  sliderRange,
} from '../../lib/view/budget'
import { capital, count, short } from '../../lib/view/format'
import { lastOf } from '../../lib/view/series'
import { Button } from '../shared/Button'
import { Term } from '../shared/Term'
import { BudgetFigures } from './BudgetFigures'
import { BudgetSource } from './BudgetSource'

/** Context windows that models have. */
const WINDOWS = [128_000, 200_000, 1_000_000]

/** τ: the way to choose it, and what it gives. */
export function BudgetControl() {
  return (
    <div className="budget row flex-none gap-8 border-l border-r relative px-10 h-30">
      <label className="text-l text-error weight-700" htmlFor="tau">
        <Term word="tau">{text.top.budget}</Term>
      </label>
      <FreeBudget />
      <BudgetFigures />
    </div>
  )
}

/** Any budget: a slider over powers, a field that takes what people type, and where the budget comes from. */
function FreeBudget() {
  const app = useApp()
  const typed = useStore(app.bench.store, (bench) => bench.view.budget)
  const history = useStore(app.bench.store, (bench) => bench.history)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const window = useStore(app.bench.store, (bench) => bench.session?.window ?? null)
  const failure = useStore(app.bench.store, (bench) => bench.viewFailure)
  const [draft, setDraft] = useState<string | null>(null)
  const focusing = useRef(false)
  useEffect(() => setDraft(null), [typed])
  const budget = replay?.budget ?? 0
  // The slider runs ahead of the answers: its own value is what was asked for, when that is a plain number.
  const asked = /^\d+$/.test(typed) ? Number(typed) : budget
  const range = sliderRange(lastOf(history?.full), window)
  const bad = (draft !== null && !isBudget(draft)) || failure !== null
  const commit = () => {
    if (draft === null) return
    if (isBudget(draft)) app.bench.setView({ budget: cleanBudget(draft) })
    else setDraft(null)
  }
  return (
    <>
      <input
        type="range"
        className="range m-0 h-20 w-150"
        min={0}
        max={SLIDER_STEPS}
        value={positionOf(asked, range)}
        aria-label={text.top.budgetLabel}
        aria-valuetext={text.tokens(count(asked))}
        data-testid="tau-slider"
        onChange={(event) =>
          app.bench.setView({ budget: String(budgetAt(Number(event.target.value), range)) }, true)
        }
      />
      <input
        id="tau"
        className={`w-78 bg-page border rounded-6 text-right px-8 h-28 tau tabular ${bad ? 'bad' : ''}`}
        data-testid="tau-input"
        data-budget={budget}
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        value={draft ?? groupedBudget(typed)}
        aria-label={text.top.budgetHint}
        aria-invalid={bad}
        title={failure?.message ?? text.top.budgetHint}
        // All of it is selected, and the press that gave the focus does not take that back.
        onFocus={(event) => {
          event.currentTarget.select()
          focusing.current = true
        }}
        onMouseUp={(event) => {
          if (focusing.current) event.preventDefault()
          focusing.current = false
        }}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            commit()
            event.currentTarget.blur()
          } else if (event.key === 'Escape') {
            setDraft(null)
            event.currentTarget.blur()
          }
        }}
      />
      <BudgetSource />
      {failure && (
        <div
          className="bubble border border-error text-s bg-panel rounded-8 shadow absolute right-0 p-8-12 w-300"
          role="alert"
        >
          <p>
            {capital(failure.message)}. {failure.hint && `${capital(failure.hint)}.`}
          </p>
          {codeOf(failure.code) === 'needs_window' && (
            <div className="row gap-6 muted mt-8">
              {text.top.window}
              {WINDOWS.map((tokens) => (
                <Button key={tokens} onClick={() => app.bench.setView({ window: tokens })}>
                  {short(tokens)}
                </Button>
              ))}
            </div>
          )}
        </div>
      )}
    </>
  )
}
