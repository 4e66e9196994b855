import { useEffect, useState } from 'react'

import { cleanBudget, groupedBudget, isBudget } from '../../lib/view/budget'

interface Props {
  label: string
  value: string
  /** True when the column follows the τ of the main view. */
  faint?: boolean
  onSet: (budget: string) => void
  testid: string
}

/** A field for a τ. Enter, or leaving the field, takes the value if it can be read. */
export function BudgetField({ label, value, faint = false, onSet, testid }: Props) {
  const [draft, setDraft] = useState<string | null>(null)
  useEffect(() => setDraft(null), [value])
  const bad = draft !== null && !isBudget(draft)
  const commit = () => {
    if (draft !== null && isBudget(draft) && cleanBudget(draft) !== value) onSet(cleanBudget(draft))
    setDraft(null)
  }
  return (
    <input
      className={`text-right px-8 h-24 input budget-field tabular ${bad ? 'bad' : ''} ${faint ? 'muted' : ''}`}
      // In letters, as the text is larger for an audience.
      style={{ width: 'calc(8ch + 18px)' }}
      data-testid={testid}
      inputMode="decimal"
      autoComplete="off"
      spellCheck={false}
      value={draft ?? groupedBudget(value)}
      aria-label={label}
      aria-invalid={bad}
      title={label}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
        else if (event.key === 'Escape') setDraft(null)
        else return
        event.currentTarget.blur()
        event.stopPropagation()
      }}
    />
  )
}
