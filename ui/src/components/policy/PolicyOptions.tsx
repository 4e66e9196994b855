import { Popover } from '@base-ui/react/popover'
import { SlidersHorizontal } from 'lucide-react'

import type { OptionRow } from '../../lib/ipc/generated/OptionRow'
import type { PolicyRow } from '../../lib/ipc/generated/PolicyRow'
import { text } from '../../lib/text'
import { optionWords, withOption, type Options } from '../../lib/view/options'
import { capital } from '../../lib/view/format'
import { Button } from '../shared/Button'
import { OptionField } from './OptionField'

interface Props {
  policy: PolicyRow
  set: Options
  onSet: (set: Options) => void
  testid: string
}

/** The description, source and options of a policy. The button tells how many options are changed. */
export function PolicyOptions({ policy, set, onSet, testid }: Props) {
  const n = Object.keys(set).length
  const own = policy.options.filter((option) => !option.common)
  const common = policy.options.filter((option) => option.common)
  return (
    <Popover.Root>
      <Popover.Trigger
        className={`px-6 button quiet options-button ${n > 0 ? 'changed' : ''}`}
        aria-label={text.options.button(policy.name, n)}
        title={n > 0 ? optionWords(set) : text.options.button(policy.name, n)}
        data-testid={testid}
        data-changed={n}
      >
        <SlidersHorizontal size={15} />
        {n > 0 && <span className="text-xs semibold">{n}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="z-40" sideOffset={6} align="start" collisionPadding={8}>
          <Popover.Popup className="popup w-430" data-testid={`${testid}-popup`}>
            <Popover.Title className="text-l">
              {policy.name} <span className="weight-400">— {policy.plain}</span>
            </Popover.Title>
            <Popover.Description className="mt-2">{capital(policy.about)}.</Popover.Description>
            <p className="muted text-s">{policy.source}</p>
            <Group title={text.options.own(policy.name)} options={own} set={set} onSet={onSet} />
            <Group title={text.options.common} options={common} set={set} onSet={onSet} />
            <Button
              className="w-full mt-12"
              disabled={n === 0}
              testid={`${testid}-reset`}
              onClick={() => onSet({})}
            >
              {text.options.resetAll}
            </Button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface GroupProps {
  title: string
  options: OptionRow[]
  set: Options
  onSet: (set: Options) => void
}

function Group({ title, options, set, onSet }: GroupProps) {
  if (options.length === 0) return null
  return (
    <section className="mt-12">
      <h3 className="border-b pb-4">{title}</h3>
      {options.map((option) => (
        <OptionField
          key={option.key}
          option={option}
          set={set}
          onSet={(value) => onSet(withOption(set, option, value))}
        />
      ))}
    </section>
  )
}
