import type { BodyPart } from './captured'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { words } from './words'
import { pane } from './pane'

const PARTS: readonly BodyPart[] = ['rebuilt', 'captured']

/** Chooses between the body that is put together from the log and the one that the harness kept. */
export function BodyParts() {
  const app = useApp()
  const part = useStore(app.stateOf(pane).captured.choice, (choice) => choice.part)
  if (!app.can('captured')) return null
  return (
    <div className="segments" role="group" aria-label={words.captured.label}>
      {PARTS.map((name) => (
        <button
          key={name}
          type="button"
          className="segment"
          aria-pressed={name === part}
          title={words.captured.hints[name]}
          data-testid={`body-${name}`}
          onClick={() => app.stateOf(pane).captured.choice.set({ part: name })}
        >
          {words.captured.parts[name]}
        </button>
      ))}
    </div>
  )
}
