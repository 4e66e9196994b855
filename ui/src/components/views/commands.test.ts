import { expect, test } from 'vitest'

import { App } from '../../lib/state/app'
import { QuietHost } from '../../lib/state/testing'
import { GROUPS, type Command } from '../../lib/state/command'
import { COMMANDS, PART_KEYS } from './commands'
import { commandFor } from './keys'

/** Lists the keys that two commands have under the same condition, so that one of them can never run. */
function clashes(commands: readonly Command[]): string[] {
  const bound = commands.flatMap((command) => (command.keys ?? []).map((key) => ({ key, command })))
  return bound.flatMap(({ key, command }, at) =>
    bound
      .slice(at + 1)
      .filter((other) => other.key === key && (!command.when || command.when === other.command.when))
      .map((other) => `${key}: ${command.id}, ${other.command.id}`),
  )
}

test('ids are unique', () => {
  const ids = COMMANDS.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test('every command has a title of its own and a group', () => {
  const titles = COMMANDS.map(({ title }) => title)
  expect(titles.filter((title, at) => titles.indexOf(title) !== at || !/^\S.*\S$/.test(title))).toEqual([])
  expect(COMMANDS.filter(({ group }) => !GROUPS.includes(group))).toEqual([])
  expect(PART_KEYS.filter(({ part, title, keys }) => !part || !title || keys.length === 0)).toEqual([])
})

test('no key is bound twice in the same context', () => {
  expect(clashes(COMMANDS)).toEqual([])
  const command = (id: string, when?: Command['when']): Command => ({
    id,
    title: id,
    group: 'window',
    keys: ['q'],
    when,
    run: () => undefined,
  })
  const sometimes = () => true
  expect(clashes([command('a'), command('b')]), 'both always').toEqual(['q: a, b'])
  expect(clashes([command('a'), command('b', sometimes)]), 'the first always').toEqual(['q: a, b'])
  expect(clashes([command('a', sometimes), command('b', sometimes)])).toEqual(['q: a, b'])
  expect(clashes([command('a', sometimes), command('b')]), 'the second is what is left').toEqual([])
})

test('a key runs the first command that can be done', () => {
  const app = new App(new QuietHost())
  expect(commandFor(app, 'ArrowLeft'), 'nothing is open').toBeUndefined()
  app.bench.store.set({ phase: 'open' })
  expect(commandFor(app, 'ArrowLeft')?.id).toBe('step.back')
  expect(commandFor(app, '3')?.id).toMatch(/^tab\./)
  expect(commandFor(app, 'Ctrl+b')?.id).toBe('sessions')
  expect(commandFor(app, 'no such key')).toBeUndefined()
})
