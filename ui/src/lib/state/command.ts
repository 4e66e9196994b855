import type { Ability } from '../ipc/abilities'
import type { App } from './app'

/** The parts in which help and palette list commands, in their order. */
export const GROUPS = ['time', 'policy', 'graph', 'panes', 'duel', 'session', 'window'] as const
export type Group = (typeof GROUPS)[number]

/**
 * A command of the window. Keys, help and palette all come from the one table below: every command in it has its key,
 * is listed in the help and is found in the palette.
 */
export interface Command {
  /** Unique; recent commands are remembered by it. */
  id: string
  title: string
  group: Group
  /**
   * The keys that run it: `KeyboardEvent.key`, with `Ctrl+` or `Shift+` before it, as in `Ctrl+Shift+z`. The help shows
   * the first.
   */
  keys?: readonly string[]
  /** Tells whether it can run now. A key runs the first of its commands that can. */
  when?: (app: App) => boolean
  /** The ability that the host needs for it. Without that the page has no such command. */
  needs?: Ability | ((app: App) => boolean)
  run: (app: App, key: string) => void
  /** True when its keys also work while a field has the keyboard, apart from keys that type a letter. */
  anywhere?: boolean
  /** True when it makes sense only as a key; the palette leaves it out. */
  onlyKey?: boolean
}

export const isOpen = (app: App) => app.bench.bench.phase === 'open'

/** Tells whether the page has a command, with its host. */
export const isThere = (app: App, { needs }: Command): boolean =>
  needs === undefined || (typeof needs === 'function' ? needs(app) : app.can(needs))

/** Tells whether a command can be done now. */
export const isAvailable = (app: App, command: Command): boolean =>
  isThere(app, command) && (!command.when || command.when(app))

export const needing = (needs: Command['needs'] & {}, command: Command): Command => ({ ...command, needs })

/** Makes a command that needs an open session. */
export const open = (
  id: string,
  group: Group,
  keys: readonly string[],
  title: string,
  run: Command['run'],
): Command => ({ id, group, keys, title, run, when: isOpen })

/** Makes a command that needs a list of blocks on screen. */
export const read = (id: string, keys: readonly string[], title: string, run: Command['run']): Command => ({
  id,
  group: 'panes',
  keys,
  title,
  run,
  when: (app) => app.reading.isOn,
})
