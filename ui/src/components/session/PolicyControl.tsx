import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital } from '../../lib/view/format'
import type { Options } from '../../lib/view/options'
import { PolicyChoice } from '../policy/PolicyChoice'
import { PolicyOptions } from '../policy/PolicyOptions'
import { Field } from '../shared/Field'

/** Chooses the policy and its options. */
export function PolicyControl() {
  const app = useApp()
  const policies = useStore(app.bench.store, (bench) => bench.session?.choices.policies)
  const name = useStore(app.bench.store, (bench) => bench.view.policy)
  const options = useStore(app.bench.store, (bench) => bench.view.options)
  const policy = policies?.find((known) => known.name === name)
  if (!policies) return null
  // A page of recorded answers mostly has one policy, and then there is nothing to choose.
  if (!app.can('any view') && policies.length <= 1)
    return <span title={policy && capital(policy.about)}>{name}</span>
  return (
    <Field label={text.top.policy} wideOnly>
      <PolicyChoice
        label={text.top.policy}
        testid="policy"
        policies={policies}
        value={name}
        onChange={(next) => app.bench.setPolicy(next)}
      />
      {policy && app.can('any view') && (
        <PolicyOptions
          policy={policy}
          set={options as Options}
          testid="options"
          onSet={(next) => app.bench.setView({ options: next })}
        />
      )}
    </Field>
  )
}
