import { Dialog } from '@base-ui/react/dialog'
import { useRef, useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import type { Line } from '../../lib/view/palette'
import type { Command } from '../../lib/state/command'
import { Search } from './Search'
import { useSources } from './useSources'

/** The palette: finds commands, sessions, episodes and turns by name. */
export function Palette({ commands }: { commands: readonly Command[] }) {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'palette')
  const field = useRef<HTMLInputElement>(null)
  const chosen = useRef<Line | null>(null)
  const close = () => {
    if (app.panes.get().dialog === 'palette') app.panes.set({ dialog: null })
  }
  // The command runs after the focus is back, because it may move the focus itself.
  const finish = () => {
    const line = chosen.current
    chosen.current = null
    if (!line) return
    const { deed } = line
    if (deed.do !== 'hit') app.used.add(line.key)
    if (deed.do === 'command') {
      const command = commands.find(({ id }) => id === deed.id)
      command?.run(app, command.keys?.[0] ?? '')
    } else if (deed.do === 'session') app.open(deed.path)
    else if (deed.do === 'episode') {
      app.bench.select(deed.idx)
      app.navigation.showInContext(deed.idx)
    } else if (deed.do === 'turn') {
      app.player.pause()
      app.bench.moveTo({ turn: deed.turn, step: Number.MAX_SAFE_INTEGER })
    } else if (deed.do === 'policy') app.bench.setPolicy(deed.name)
    else if (deed.do === 'search') app.searchTexts(deed.query)
    else if (deed.do === 'help') app.panes.set({ dialog: 'help', helpFind: deed.find })
    else if (deed.do === 'hit') {
      const { session } = app.bench.bench
      if (session) void app.navigation.openHit(session, deed.hit)
    } else app.bench.setView({ budget: deed.budget })
  }
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => !next && close()}
      onOpenChangeComplete={(next) => !next && finish()}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="modal-back z-30 fixed inset-0" />
        <Dialog.Popup
          className="palette z-31 stack bg-panel border rounded-8 shadow overflow-hidden fixed"
          aria-label={text.palette.title}
          data-testid="palette"
          initialFocus={field}
        >
          <Content
            commands={commands}
            field={field}
            onChoose={(line) => {
              chosen.current = line
              close()
            }}
            onClose={close}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The sources are gathered only while the palette is open. */
function Content({
  commands,
  ...rest
}: Omit<React.ComponentProps<typeof Search>, 'sources' | 'typed' | 'onType'> & {
  commands: readonly Command[]
}) {
  const [typed, setTyped] = useState('')
  return <Search sources={useSources(commands, typed)} typed={typed} onType={setTyped} {...rest} />
}
