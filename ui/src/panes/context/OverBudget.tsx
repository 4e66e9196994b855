import type { OverBudgetReason } from '../../lib/ipc/generated/OverBudgetReason'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'

/** Says by how much a context is over its budget, and what holds the tokens. */
export function OverBudget({ over }: { over: OverBudgetReason }) {
  return (
    <div className="notice bg-error-soft error" role="status" data-testid="over-budget">
      <b className="text-error">{text.context.overBudget(count(over.above))}</b> {text.context.heldBy}{' '}
      {over.held_by.map(([what, tokens]) => `${what} ${count(tokens)}`).join(' · ')}
    </div>
  )
}
