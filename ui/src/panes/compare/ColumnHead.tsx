import { Link2, Unlink2, X } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import type { Column } from '../../lib/view/comparison'
import { BudgetField } from '../../components/policy/BudgetField'
import { PolicyChoice } from '../../components/policy/PolicyChoice'
import { PolicyOptions } from '../../components/policy/PolicyOptions'
import { Button } from '../../components/shared/Button'
import { Mark } from './Mark'

const NO_POLICIES: never[] = []

/** The head of the main view's column: what is chosen here is chosen in the whole window. */
export function MainHead() {
  const app = useApp()
  const view = useStore(app.bench.store, (bench) => bench.view)
  const policies = useStore(app.bench.store, (bench) => bench.session?.choices.policies ?? NO_POLICIES)
  return (
    <div className="column-head grid gap-6">
      <div className="column-line row gap-6 min-w-0">
        <Mark column={0} />
        <PolicyChoice
          label={text.compare.policyOf(1)}
          testid="compare-policy-0"
          policies={policies}
          value={view.policy}
          onChange={(policy) => app.bench.setPolicy(policy)}
        />
      </div>
      <div className="column-line row gap-6 min-w-0">
        <span className="text-error text-center weight-700 w-12">{text.top.budget}</span>
        <BudgetField
          label={text.compare.budgetOf(view.policy)}
          testid="compare-tau-0"
          value={view.budget}
          onSet={(budget) => app.bench.setView({ budget })}
        />
        <span className="badge">{text.compare.main}</span>
      </div>
    </div>
  )
}

/** The head of another column: its policy, options and τ, and the way to make it the main view. */
export function ColumnHead({ column, at }: { column: Column; at: number }) {
  const app = useApp()
  const view = useStore(app.bench.store, (bench) => bench.view)
  const policies = useStore(app.bench.store, (bench) => bench.session?.choices.policies ?? NO_POLICIES)
  const policy = policies.find((known) => known.name === column.policy)
  const place = at + 1
  const { policy: name } = column
  const linked = column.budget === null
  return (
    <div className="column-head grid gap-6">
      <div className="column-line row gap-6 min-w-0">
        <Mark column={place} />
        <PolicyChoice
          label={text.compare.policyOf(place + 1)}
          testid={`compare-policy-${place}`}
          policies={policies}
          value={name}
          onChange={(next) => app.comparison.setColumn(at, { policy: next })}
        />
        {policy && (
          <PolicyOptions
            policy={{ ...policy, options: policy.options.filter((option) => !option.common) }}
            set={column.options}
            testid={`compare-options-${place}`}
            onSet={(options) => app.comparison.setColumn(at, { options })}
          />
        )}
        <span className="grow" />
        <Button
          className="small"
          look="quiet"
          label={text.compare.remove(name)}
          testid={`compare-remove-${place}`}
          onClick={() => app.comparison.remove(at)}
        >
          <X size={13} />
        </Button>
      </div>
      <div className="column-line row gap-6 min-w-0">
        <span className="text-error text-center weight-700 w-12">{text.top.budget}</span>
        <BudgetField
          label={text.compare.budgetOf(name)}
          testid={`compare-tau-${place}`}
          value={column.budget ?? view.budget}
          faint={linked}
          onSet={(budget) => app.comparison.setColumn(at, { budget })}
        />
        <Button
          className="small"
          look="quiet"
          label={linked ? text.compare.follows(name) : text.compare.own(name)}
          testid={`compare-link-${place}`}
          aria-pressed={linked}
          onClick={() =>
            app.comparison.setColumn(at, {
              budget: linked ? view.budget : null,
            })
          }
        >
          {linked ? <Link2 size={14} /> : <Unlink2 size={14} />}
        </Button>
        <span className="grow" />
        <Button
          className="use small"
          title={text.compare.useHint(name)}
          testid={`compare-use-${place}`}
          onClick={() => app.comparison.useColumn(at)}
        >
          {text.compare.use}
        </Button>
      </div>
    </div>
  )
}
