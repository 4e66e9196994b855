import { Popover } from '@base-ui/react/popover'
import { Link2, ShieldCheck, ShieldOff } from 'lucide-react'

import type { PageExport } from '../../lib/ipc/abilities'
import type { RedactionCounts } from '../../lib/ipc/generated/RedactionCounts'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { Button } from '../shared/Button'

/** Tells what was redacted when a page was made, and what has no room in it. */
export function AboutExport({ exported }: { exported: PageExport }) {
  const app = useApp()
  const from = useStore(app.bench.store, (bench) => bench.graph?.from)
  const { redacted, leftOut, madeBy } = exported
  const title = redacted ? text.exported.redacted : text.exported.notRedacted
  return (
    <>
      <Button look="quiet" label={text.exported.copyLink} testid="copy-link" onClick={() => app.copyLink()}>
        <Link2 size={16} />
      </Button>
      <Popover.Root>
        <Popover.Trigger className="button quiet" data-testid="about-export" aria-label={title} title={title}>
          {redacted ? <ShieldCheck size={16} /> : <ShieldOff size={16} />}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner className="z-40" sideOffset={6} align="end" collisionPadding={8}>
            <Popover.Popup className="popup about-export w-430" data-testid="exported-about">
              <Popover.Title className="text-l mb-4">{title}</Popover.Title>
              {redacted ? <Counts redacted={redacted} /> : <p className="my-8">{text.exported.everything}</p>}
              {from && (
                <p className="my-8" data-testid="exported-annotation">
                  {capital(text.annotation.episodes(from.says))}. {from.note}
                </p>
              )}
              {leftOut.length > 0 && (
                <>
                  <h2 className="mb-4">{text.exported.leftOut}</h2>
                  <ul className="bullets my-4" data-testid="exported-left-out">
                    {leftOut.map((sentence) => (
                      <li key={sentence}>{sentence}</li>
                    ))}
                  </ul>
                </>
              )}
              <p className="muted my-8">{text.exported.madeBy(madeBy)}</p>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </>
  )
}

function Counts({ redacted: { counts, left_out } }: { redacted: RedactionCounts }) {
  return (
    <>
      <p>{counts.length === 0 ? text.exported.nothing : text.exported.marks}</p>
      <ul className="bullets">
        {counts.map(([kind, different, places]) => (
          <li key={kind}>{text.exported.counted(kind, count(different), count(places))}</li>
        ))}
        {left_out > 0 && <li>{text.exported.unread(count(left_out))}</li>}
      </ul>
      <p className="muted">{text.exported.caution}</p>
    </>
  )
}
