import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
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
  return (
    <Field label={text.top.policy} wideOnly>
      <PolicyChoice
        label={text.top.policy}
        testid="policy"
        policies={policies}
        value={name}
        onChange={(next) => app.bench.setPolicy(next)}
      />
      {policy && (
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
