import { expect, test } from 'vitest'

import { Clipboard } from './clipboard'
import { SaidOnce } from './said'

type Case = [string, () => string | Promise<string>, (() => Promise<void>) | undefined, boolean, string]
const CASES: Case[] = [
  ['a text that is there', () => 'abc', undefined, true, '3 copied'],
  ['a text that comes later', async () => 'abcd', undefined, true, '4 copied'],
  [
    'a clipboard that is refused',
    () => 'abc',
    () => Promise.reject(new Error('not allowed')),
    false,
    'Nothing was copied: not allowed',
  ],
  [
    'a text that cannot be had',
    () => Promise.reject(new Error('gone')),
    undefined,
    false,
    'Nothing was copied: gone',
  ],
]

test.each(CASES)('%s', async (_, copied, write, done, words) => {
  const said = new SaidOnce()
  const written: string[] = []
  const clipboard = new Clipboard(said, write ?? (async (text) => void written.push(await text)))
  expect(await clipboard.put(copied(), (text) => `${text.length} copied`)).toBe(done)
  expect(said.store.get().said?.text).toBe(words)
  expect(written.length).toBe(done ? 1 : 0)
  said.dismiss()
})

test('the clipboard is asked before the text is there', () => {
  let asked = false
  const clipboard = new Clipboard(new SaidOnce(), async () => void (asked = true))
  void clipboard.put(new Promise<string>(() => undefined), String)
  expect(asked).toBe(true)
})
