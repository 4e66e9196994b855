import { Tabs } from '@base-ui/react/tabs'
import { Pin, Play, StepBack, StepForward, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'

import { Ball } from '../components/shared/Ball'
import { Button } from '../components/shared/Button'
import { Check } from '../components/shared/Check'
import { Choice } from '../components/shared/Choice'
import { Empty } from '../components/shared/Empty'
import { Keys } from '../components/shared/Keys'
import { Modal } from '../components/shared/Modal'
import { Segments } from '../components/shared/Segments'
import { SeverityIcon } from '../components/shared/SeverityIcon'

const KINDS = ['expl', 'act', 'unannotated']
const OPTIONS = ['cwl', 'summary', 'none'].map((value) => ({ value, label: value }))

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="row flex-wrap gap-8 py-4">
      <h3 className="w-66">{name}</h3>
      {children}
    </section>
  )
}

/** Every widget that the panes are made of, in its states. */
export function Widgets() {
  const [value, setValue] = useState('cwl')
  return (
    <main className="p-12 bg-page text-main w-640" data-testid="widgets">
      <Part name="Buttons">
        <Button>Plain</Button>
        <Button look="strong">Strong</Button>
        <Button look="quiet">Quiet</Button>
        <Button aria-pressed>Pressed</Button>
        <Button disabled>Disabled</Button>
        <Button className="small">Small</Button>
        <Button look="quiet" className="small" label="Unpin">
          <Pin size={13} />
        </Button>
        <button type="button" className="link text-active">
          A link
        </button>
      </Part>
      <Part name="Fields">
        <input className="input" aria-label="A field" defaultValue="80,000" />
        <input className="input bad" aria-label="A wrong value" defaultValue="8o,000" />
        <Choice label="One of a list" value={value} options={OPTIONS} onChange={setValue} />
        <Check checked onChange={() => undefined}>
          Ticked
        </Check>
      </Part>
      <Part name="Segments">
        <Segments label="Policy" value={value} options={OPTIONS} onChange={setValue} />
        <span className="segments">
          {OPTIONS.map((one) => (
            <button key={one.value} type="button" className="segment" aria-pressed={one.value === value}>
              {one.label}
            </button>
          ))}
        </span>
      </Part>
      <Part name="Badges">
        <span className="badge">58</span>
        <span className="badge ok">best</span>
        <span className="badge warn">refused</span>
        <span className="badge source inferred">inferred</span>
        {KINDS.map((kind) => (
          <span key={kind} className={`chip ${kind}`}>
            <Ball level={1} />
            {kind}
          </span>
        ))}
        <span className="chip missing">missing</span>
        <Keys name="Ctrl+K" />
      </Part>
      <Part name="Legend">
        {[0, 1, 2, 3, 4].map((level) => (
          <Ball key={level} level={level} size={12} />
        ))}
        {(['error', 'warning', 'info'] as const).map((severity) => (
          <SeverityIcon key={severity} severity={severity} />
        ))}
        {KINDS.map((kind) => (
          <i key={kind} className={`swatch ${kind}`} />
        ))}
        <span className="text-error">error</span>
        <span className="text-ok">ok</span>
        <span className="text-warn-text">warning</span>
        <span className="muted">muted</span>
        <span className="mono">mono 123</span>
      </Part>
      <Part name="Transport">
        <Button look="quiet" label="Back">
          <StepBack size={15} />
        </Button>
        <Button className="play p-0 w-34" label="Play">
          <Play size={15} />
        </Button>
        <Button look="quiet" label="Forward">
          <StepForward size={15} />
        </Button>
        <progress className="way bg-panel2 border-0 overflow-hidden rounded-2 h-4" value={0.4} />
      </Part>
      <Tabs.Root defaultValue="evicted" className="border-b">
        <Tabs.List className="tabs flex px-8 bg-panel">
          {['context', 'evicted', 'diff'].map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className="tab inline-row gap-6 muted nowrap px-10 hover-text min-h-31"
            >
              {name} {name === 'diff' && <span className="badge">3</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs.Root>
      <div className="py-4">
        {['A row', 'The chosen row', 'A row that cannot be chosen'].map((name, at) => (
          <button
            key={name}
            type="button"
            className="list-row display-block rounded-6 w-full p-6-8"
            aria-current={at === 1}
            disabled={at === 2}
          >
            {name}
          </button>
        ))}
      </div>
      <Part name="Above">
        <div className="popup w-200">A popup with some words, which wrap.</div>
        <div className="toast row gap-8 bg-panel border rounded-8 shadow p-8-12">
          Said in passing
          <Button look="quiet" label="Dismiss">
            <X size={14} />
          </Button>
        </div>
        <p className="why m-8-0-10 bg-panel2 rounded-8 p-8-12 level-4">Why it is gone</p>
      </Part>
      <Empty title="Nothing was evicted">The request fits the budget at every turn.</Empty>
    </main>
  )
}

/** A dialog, which lies over the page. */
export function Dialog() {
  return (
    <Modal open title="A dialog" closeLabel="Close" onClose={() => undefined}>
      <p className="muted">Some words, and what can be done.</p>
      <div className="modal-actions flex gap-8 mt-12">
        <Button look="strong">Do it</Button>
        <Button>Leave it</Button>
      </div>
    </Modal>
  )
}
