import { Popover } from '@base-ui/react/popover'
import { Pin, X } from 'lucide-react'
import { useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { watchedParts } from '../../lib/view/pins'
import { Button } from '../../components/shared/Button'

const NONE: string[] = []

/** The pins and probes of the view: lists them, adds to them, removes from them. */
export function Watched() {
  const app = useApp()
  const pins = useStore(app.bench.store, (bench) => bench.view.pins ?? NONE)
  const probes = useStore(app.bench.store, (bench) => bench.view.probes ?? NONE)
  const n = pins.length + probes.length
  return (
    <Popover.Root>
      <Popover.Trigger
        className={`button quiet ${n > 0 ? 'pinned' : ''}`}
        aria-label={text.pins.button(n)}
        title={text.pins.button(n)}
        data-testid="pins"
        data-pins={pins.length}
        data-probes={probes.length}
      >
        <Pin size={14} /> {n > 0 ? n : text.pins.short}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="z-40" sideOffset={6} align="end" collisionPadding={8}>
          <Popover.Popup className="popup w-430" data-testid="pins-popup">
            <Popover.Title className="unseen">{text.pins.title}</Popover.Title>
            <List
              title={text.pins.pins}
              about={text.pins.pinsAbout}
              hint={text.pins.pinsHint}
              testid="pin"
              texts={pins}
              onSet={(next) => app.bench.watch({ pins: next })}
            />
            <List
              title={text.pins.probes}
              about={text.pins.probesAbout}
              hint={text.pins.probesHint}
              testid="probe"
              texts={probes}
              onSet={(next) => app.bench.watch({ probes: next })}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface ListProps {
  title: string
  about: string
  hint: string
  testid: string
  texts: readonly string[]
  onSet: (texts: string[]) => void
}

function List({ title, about, hint, testid, texts, onSet }: ListProps) {
  const [draft, setDraft] = useState('')
  const wanted = draft.trim()
  return (
    <section className="watched">
      <h3>{title}</h3>
      <p className="text-s muted py-1">{about}</p>
      <ul>
        {texts.map((one) => {
          const { kind, from, what } = watchedParts(one)
          return (
            <li className="row gap-6 text-s min-h-26" key={one} data-testid={`${testid}-item`}>
              <span className="muted">{text.pins.kinds[kind]}</span>
              <code className="clip" title={what}>
                {what}
              </code>
              {from !== null && <span className="muted">{text.pins.from(count(from))}</span>}
              <span className="grow" />
              <Button
                className="small"
                look="quiet"
                label={text.pins.remove(what)}
                onClick={() => onSet(texts.filter((other) => other !== one))}
              >
                <X size={13} />
              </Button>
            </li>
          )
        })}
      </ul>
      <form
        className="flex gap-6 mt-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (wanted === '') return
          if (!texts.includes(wanted)) onSet([...texts, wanted])
          setDraft('')
        }}
      >
        <input
          className="input grow"
          data-testid={`${testid}-input`}
          aria-label={hint}
          placeholder={hint}
          autoComplete="off"
          spellCheck={false}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        <button type="submit" className="button" disabled={wanted === ''} data-testid={`${testid}-add`}>
          {text.pins.add}
        </button>
      </form>
    </section>
  )
}
