import { useApp } from '../../lib/state/app'
import { CHOICES, DEFAULTS, LAYOUT, TEXT_SCALES, settings } from '../../lib/state/settings'
import { layoutNow } from '../../lib/state/layout'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Button } from '../shared/Button'
import { Modal } from '../shared/Modal'
import { Segments } from '../shared/Segments'
import { About } from './About'

/** The settings: look and layout of the window. A change shows at once and is remembered. */
export function SettingsDialog() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'settings')
  const set = useStore(settings, (value) => value)
  const words = text.settings
  const choice = (name: 'theme' | 'contrast' | 'motion' | 'inspector') => (
    <Segments
      label={words[name]}
      testid={`set-${name}`}
      value={set[name]}
      options={CHOICES[name].map((value) => ({
        value,
        label: (words.values[name] as Record<string, string>)[value] ?? value,
      }))}
      onChange={(value) => settings.set({ [name]: value })}
    />
  )
  return (
    <Modal
      open={open}
      title={words.title}
      closeLabel={words.close}
      onClose={() => app.panes.set({ dialog: null })}
    >
      <div className="settings" data-testid="settings">
        <h3 className="border-b mt-6 pb-4">{words.look}</h3>
        {choice('theme')}
        {choice('contrast')}
        {choice('motion')}
        <Segments
          label={words.textSize}
          testid="set-text"
          value={String(set.textSize)}
          options={TEXT_SCALES.map((scale, at) => ({ value: String(at), label: words.scale(scale) }))}
          onChange={(at) => settings.set({ textSize: Number(at) })}
        />
        <h3 className="border-b mt-6 pb-4">{words.layout}</h3>
        <fieldset className="setting m-10-0-0 row flex-wrap gap-4-12 min-w-0 border-0 p-0">
          <legend className="p-0 min-w-116">{words.panes}</legend>
          <div className="checks flex flex-wrap gap-4-16">
            {(['graph', 'timeline'] as const).map((pane) => (
              <label className="row gap-6 min-h-28" key={pane}>
                <input
                  className="m-0 w-15 h-15"
                  type="checkbox"
                  checked={layoutNow(app)[pane] === 'open'}
                  data-testid={`set-${pane}`}
                  onChange={(event) => settings.set({ [pane]: event.target.checked })}
                />
                {words[pane]}
              </label>
            ))}
          </div>
        </fieldset>
        {choice('inspector')}
        <p className="muted">{words.inspectorHint}</p>
        {app.can('tables') && <About />}
        <div className="modal-actions flex flex-wrap gap-8 mt-16">
          <Button testid="reset-layout" onClick={() => settings.set(LAYOUT)}>
            {words.resetLayout}
          </Button>
          <Button testid="reset-settings" onClick={() => settings.set(DEFAULTS)}>
            {words.resetAll}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
