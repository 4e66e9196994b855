import { expect, test } from 'vitest'

import { capsOf, nameOfPress } from './keys'

test('a press has the name that commands are bound to', () => {
  const check = (key: string, held: string, name: string) =>
    expect(
      nameOfPress({
        key,
        ctrlKey: held.includes('c'),
        metaKey: held.includes('m'),
        altKey: held.includes('a'),
        shiftKey: held.includes('s'),
      }),
      `${held} ${key}`,
    ).toBe(name)
  check('k', '', 'k')
  check('K', 's', 'K')
  check('?', 's', '?')
  check('k', 'c', 'Ctrl+k')
  check('K', 'c', 'Ctrl+k')
  check('k', 'm', 'Ctrl+k')
  check('Z', 'cs', 'Ctrl+Shift+z')
  check(',', 'c', 'Ctrl+,')
  check('ArrowLeft', 's', 'Shift+ArrowLeft')
  check('ArrowLeft', 'a', 'Alt+ArrowLeft')
  check('f', 'a', 'Alt+f')
  check('PageUp', 'c', 'Ctrl+pageup')
  check('+', '', '+')
  check('+', 'cs', 'Ctrl++')
})

test('a name has the caps that are on the keyboard', () => {
  const check = (name: string, ...caps: string[]) => expect(capsOf(name), name).toEqual(caps)
  check('j', 'J')
  check('C', 'Shift', 'C')
  check('Ctrl+k', 'Ctrl', 'K')
  check('Ctrl+Shift+z', 'Ctrl', 'Shift', 'Z')
  check('Shift+ArrowLeft', 'Shift', '←')
  check(' ', 'Space')
  check('+', '+')
  check('Ctrl++', 'Ctrl', '+')
  check('Ctrl+,', 'Ctrl', ',')
  check('?', '?')
  check('Escape', 'Esc')
  expect(capsOf('Ctrl+k', true)).toEqual(['⌘', 'K'])
})
