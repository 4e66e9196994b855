import { Copy, Pin, PinOff } from 'lucide-react'

import type { ContextItem } from '../../lib/ipc/generated/ContextItem'
import { useApp } from '../../lib/state/app'
import type { RowStates } from '../../lib/state/rows'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { isLogged } from '../../lib/view/rows'
import { canPin, pinOf, toggledText } from '../../lib/view/pins'
import { NoteButton } from '../notes/NoteButton'
import { Button } from '../shared/Button'

interface Props {
  item: ContextItem
  states: RowStates
  raw: boolean
  open: boolean
  pinned: boolean
}

/** The tools of a block. They show on the row that has the pointer or the keyboard. */
export function BlockTools({ item, states, raw, open, pinned }: Props) {
  const app = useApp()
  return (
    <span className="block-tools inline-row flex-none justify-end">
      {isLogged(item) && app.can('save_note') && <NoteButton subject={{ on: 'block', block: item.block }} />}
      {canPin(item) && (
        <Button
          className="small"
          look="quiet"
          label={pinned ? text.pins.unpin : text.pins.pin}
          testid="pin"
          aria-pressed={pinned}
          onClick={() =>
            app.bench.watch({ pins: toggledText(app.bench.bench.view.pins ?? [], pinOf(item.block)) })
          }
        >
          {pinned ? <PinOff size={13} /> : <Pin size={13} />}
        </Button>
      )}
      {isLogged(item) && (item.kept || open || raw) && (
        <button
          type="button"
          className="link text-s muted"
          aria-pressed={raw}
          onClick={() => states.toggleRaw(item.block)}
        >
          {raw ? text.context.text : text.context.raw}
        </button>
      )}
      <Button
        className="small"
        look="quiet"
        label={text.context.copyHint}
        onClick={() => void app.reading.copyBlock(item, raw)}
      >
        <Copy size={13} />
      </Button>
      <button
        type="button"
        className="link line-number text-s muted"
        title={text.context.lineHint}
        onClick={() => void app.reading.goToLine(item.line)}
      >
        {text.context.line(count(item.line))}
      </button>
    </span>
  )
}
