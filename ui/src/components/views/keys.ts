import type { App } from '../../lib/state/app'
import { nameOfPress } from '../../lib/view/keys'
import { isAvailable, type Command } from '../../lib/state/command'
import { COMMANDS } from './commands'

/** Elements in which a letter is typed and runs no command. */
const TYPING =
  'input:not([type=range], [type=checkbox], [type=radio]), textarea, [role=combobox], [role=option], [role=dialog]'
/** Elements that use the arrow keys themselves. */
const ARROWS = 'input[type=range], [role=slider], [role=separator], [role=tab]'
const OWN_SPACE = 'button, summary, a, input, [role=tab]'

/** Returns the command that a key runs now. */
export function commandFor(app: App, name: string): Command | undefined {
  return COMMANDS.find((command) => command.keys?.includes(name) && isAvailable(app, command))
}

/** Runs the command of a key press, if it has one here. */
export function handleKey(app: App, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  if (app.panes.get().dialog !== null) return
  const name = nameOfPress(event)
  const command = commandFor(app, name)
  if (!command) return
  // The window behind a duel stays as it is.
  const isOfDuel = command.group === 'duel' || command.anywhere === true || command.id === 'help'
  if (app.duel.store.get().on && !isOfDuel) return
  const target = event.target instanceof Element ? event.target : null
  const typed = !command.anywhere || name.length === 1
  if (typed && target?.closest(TYPING)) return
  // Nothing but the way back and forward takes an arrow with Alt.
  if (!event.altKey && /Arrow|Home|End|Page/.test(name) && target?.closest(ARROWS)) return
  if (!event.altKey && name.includes('Arrow') && target?.closest('input[type=radio]')) return
  if (name === ' ' && target?.closest(OWN_SPACE)) return
  const scrolls = name === 'PageUp' || name === 'PageDown' || name === 'Home' || name === 'End'
  if (scrolls && target?.closest('.rows, .inspector, .drawer')) return
  event.preventDefault()
  command.run(app, name)
}
