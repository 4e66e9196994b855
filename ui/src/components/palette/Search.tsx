import { Autocomplete } from '@base-ui/react/autocomplete'
import { Search as Glass } from 'lucide-react'
import { useMemo, type RefObject } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { partsOf } from '../../lib/view/fuzzy'
import { nameOfPress } from '../../lib/view/keys'
import { sectionsOf, type Line, type Section, type Sources } from '../../lib/view/palette'
import { Empty } from '../shared/Empty'
import { Keys } from '../shared/Keys'

interface Props {
  sources: Sources
  typed: string
  onType: (typed: string) => void
  field: RefObject<HTMLInputElement | null>
  onChoose: (line: Line) => void
  onClose: () => void
}

/** The field of the palette and the lines that it finds. */
export function Search({ sources, typed, onType, field, onChoose, onClose }: Props) {
  const app = useApp()
  const recent = useStore(app.used.store, ({ keys }) => keys)
  const sections = useMemo(() => sectionsOf(typed, sources, recent), [typed, sources, recent])
  const groups = sections.map((section) => ({ ...section, items: section.lines }))
  const nFound = sections.reduce((sum, { lines, nMore }) => sum + lines.length + nMore, 0)
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      autoHighlight="always"
      keepHighlight
      value={typed}
      onValueChange={(value, { reason }) => {
        // Choosing a line would write it into the field.
        if (reason !== 'item-press') onType(value)
      }}
      itemToStringValue={(line: Line) => line.label}
    >
      <div className="palette-head row flex-none gap-10 muted border-b px-16 h-48">
        <Glass size={16} aria-hidden />
        <Autocomplete.Input
          ref={field}
          className="palette-field grow min-w-0 text-l text-main bg-none border-0 h-full outline-none"
          data-testid="palette-field"
          placeholder={text.palette.placeholder}
          aria-label={text.palette.label}
          spellCheck={false}
          onKeyDown={(event) => {
            if (nameOfPress(event) !== 'Ctrl+k') return
            event.preventDefault()
            onClose()
          }}
        />
      </div>
      <p className="unseen" role="status">
        {typed !== '' && text.palette.found(nFound)}
      </p>
      <Autocomplete.List className="palette-list p-0-6-6 scroll" data-testid="palette-list">
        {(group: Section & { items: Line[] }) => (
          <Autocomplete.Group key={group.part} items={group.items}>
            <Autocomplete.GroupLabel className="p-8-10-4 flex justify-between text-s semibold muted bg-panel top-0 sticky z-1">
              {text.palette.parts[group.part]}
              {group.nMore > 0 && (
                <span className="weight-400">
                  {text.palette.some(count(group.lines.length), count(group.lines.length + group.nMore))}
                </span>
              )}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(line: Line) => (
                <Autocomplete.Item
                  key={line.key}
                  value={line}
                  className="palette-line list-row row gap-10 rounded-6 cursor-default p-4-10 outline-none min-h-32"
                  data-key={line.key}
                  onClick={() => onChoose(line)}
                >
                  <span className="clip flex-shrinks">
                    {partsOf(line.label, line.ranges).map((part, at) =>
                      at % 2 === 1 ? <mark key={at}>{part}</mark> : part,
                    )}
                  </span>
                  <span
                    className={`grow clip text-s muted text-right ${line.deed.do === 'hit' ? 'min-w-140' : 'min-w-40'}`}
                  >
                    {line.note}
                  </span>
                  {line.press !== null && <Keys name={line.press} />}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      {nFound === 0 && (
        <Empty title={text.palette.none}>
          <p>{text.palette.noneHint}</p>
          {sources.nTurns === 0 && <p>{text.palette.noSession}</p>}
        </Empty>
      )}
      <footer className="flex flex-none text-s muted border-t p-8-16 gap-16" aria-hidden="true">
        <span>
          <Keys name="ArrowUp" /> <Keys name="ArrowDown" /> {text.palette.keys.move}
        </span>
        <span>
          <Keys name="Enter" /> {text.palette.keys.choose}
        </span>
        <span>
          <Keys name="Escape" /> {text.palette.keys.close}
        </span>
      </footer>
    </Autocomplete.Root>
  )
}
