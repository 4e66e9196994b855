import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { Modal } from '../shared/Modal'
import { BINDINGS } from './keys'

export function Help() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'help')
  return (
    <Modal
      open={open}
      title={text.help.title}
      closeLabel={text.help.close}
      onClose={() => app.panes.set({ dialog: null })}
    >
      <dl className="keys">
        {BINDINGS.flatMap(({ shown }) => (shown ? [shown] : [])).map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key, at) => (
                <kbd key={at}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">{text.help.note}</p>
    </Modal>
  )
}
