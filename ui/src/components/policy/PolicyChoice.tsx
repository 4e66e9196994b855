import type { PolicyRow } from '../../lib/ipc/generated/PolicyRow'
import { text } from '../../lib/text'
import { capital } from '../../lib/view/format'
import { Choice } from '../shared/Choice'

interface Props {
  label: string
  policies: readonly PolicyRow[]
  value: string
  onChange: (policy: string) => void
  testid: string
}

/** The choice of policies by their families, each with plain words, its description and its source. */
export function PolicyChoice({ label, policies, value, onChange, testid }: Props) {
  return (
    <Choice
      label={label}
      testid={testid}
      value={value}
      options={policies.map((policy) => ({
        value: policy.name,
        label: policy.name,
        plain: policy.plain,
        group: text.policies.family[policy.family],
        about: capital(policy.about),
        note: policy.source,
      }))}
      onChange={onChange}
    />
  )
}
