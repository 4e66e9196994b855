import { useEffect, useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { SLIDER_STEPS, budgetAt, cleanBudget, isBudget, positionOf, sliderRange } from '../../lib/view/budget'
import { count, short } from '../../lib/view/format'

/** τ: a slider over powers, and a field that takes what people type. */
export function BudgetControl() {
  const app = useApp()
  const typed = useStore(app.bench.store, (bench) => bench.view.budget)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const window = useStore(app.bench.store, (bench) => bench.session?.window ?? null)
  const failure = useStore(app.bench.store, (bench) => bench.viewFailure)
  useStore(app.bench.store, (bench) => bench.cut)
  const [draft, setDraft] = useState<string | null>(null)
  useEffect(() => setDraft(null), [typed])
  const budget = replay?.budget ?? 0
  // The slider runs ahead of the answers: its own value is what was asked for, when that is a plain number.
  const asked = /^\d+$/.test(typed) ? Number(typed) : budget
  const at = app.bench.position()
  const sent = replay?.after[at.turn - 1] ?? 0
  const full = replay?.full[at.turn - 1] ?? 0
  const range = sliderRange(replay?.full.at(-1) ?? 0, window)
  const bad = (draft !== null && !isBudget(draft)) || failure !== null
  const commit = () => {
    if (draft === null) return
    if (isBudget(draft)) app.bench.setView({ budget: cleanBudget(draft) })
    else setDraft(null)
  }
  return (
    <div className="budget">
      <label className="budget-label" htmlFor="tau" title={text.top.budgetHint}>
        {text.top.budget}
      </label>
      <input
        type="range"
        className="range"
        min={0}
        max={SLIDER_STEPS}
        value={positionOf(asked, range)}
        aria-label={text.top.budgetLabel}
        aria-valuetext={`${count(asked)} tokens`}
        data-testid="tau-slider"
        onChange={(event) =>
          app.bench.setView({ budget: String(budgetAt(Number(event.target.value), range)) }, true)
        }
      />
      <input
        id="tau"
        className={`tau ${bad ? 'bad' : ''}`}
        data-testid="tau-input"
        data-budget={budget}
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        value={draft ?? (/^\d+$/.test(typed) ? count(Number(typed)) : typed)}
        aria-label={text.top.budgetHint}
        aria-invalid={bad}
        title={failure?.message ?? text.top.budgetHint}
        onFocus={(event) => {
          setDraft(typed)
          requestAnimationFrame(() => event.target.select())
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
      <span
        className="budget-figures"
        data-testid="totals"
        data-sent={sent}
        data-full={full}
        title={text.top.countedBy(replay?.counted_by ?? '')}
      >
        <b className={sent > budget ? 'error-text' : ''}>{short(sent)}</b> of {short(budget)}
        <span className="muted"> raw {short(full)}</span>
      </span>
      {failure && (
        <div className="bubble" role="alert">
          {failure.message} {failure.hint}
        </div>
      )}
    </div>
  )
}
