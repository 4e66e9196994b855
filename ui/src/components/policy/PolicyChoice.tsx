import type { PolicyDto } from '../../lib/ipc/generated/PolicyDto'
import { capital } from '../../lib/view/format'
import { Choice } from '../shared/Choice'

interface Props {
  label: string
  policies: readonly PolicyDto[]
  value: string
  onChange: (policy: string) => void
  testid: string
}

/** The choice of policies, each with its description and source. */
export function PolicyChoice({ label, policies, value, onChange, testid }: Props) {
  return (
    <Choice
      label={label}
      testid={testid}
      value={value}
      options={policies.map((policy) => ({
        value: policy.name,
        label: policy.name,
        about: capital(policy.about),
        note: policy.source,
      }))}
      onChange={onChange}
    />
  )
}
