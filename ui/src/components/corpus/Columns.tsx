import { Popover } from '@base-ui/react/popover'
import { Columns3 } from 'lucide-react'

import type { CorpusColumnRow } from '../../lib/ipc/generated/CorpusColumnRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { nameOf } from '../../lib/view/corpus'
import { Button } from '../shared/Button'
import { Check } from '../shared/Check'

/** Chooses the columns that show, each with its meaning. */
export function Columns({ columns }: { columns: readonly CorpusColumnRow[] }) {
  const app = useApp()
  const state = useStore(app.corpora.store, (value) => value)
  const shown = new Set(app.corpora.columns(state).map(({ name }) => name))
  return (
    <Popover.Root>
      <Popover.Trigger className="button plain" data-testid="corpus-columns">
        <Columns3 size={14} aria-hidden /> {text.corpus.columns}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="z-40" sideOffset={6} align="end" collisionPadding={8}>
          <Popover.Popup className="popup corpus-columns grid gap-8 w-430">
            <Popover.Title className="text-l">{text.corpus.columns}</Popover.Title>
            <ul className="overflow-auto">
              {columns.map((column) => (
                <li key={column.name}>
                  <Check
                    checked={shown.has(column.name)}
                    onChange={() => app.corpora.choose(column.name)}
                    testid={`column-${column.name}`}
                  >
                    <span>
                      {nameOf(column)}{' '}
                      {nameOf(column) !== column.name && <span className="muted mono">{column.name}</span>}
                      <span className="muted display-block text-s leading-tight">
                        {column.about.replaceAll('`', '')}
                      </span>
                    </span>
                  </Check>
                </li>
              ))}
            </ul>
            <Button disabled={state.chosen === null} onClick={() => app.corpora.choose(null)}>
              {text.corpus.usual}
            </Button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
