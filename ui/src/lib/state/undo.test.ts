import { expect, test } from 'vitest'

import { HostError } from '../ipc/host'
import { Undo, type Deed } from './undo'

/** A text that deeds write letters at the end of, and what was heard meanwhile. */
function scene() {
  const heard: string[] = []
  const state = { text: '', broken: false }
  const undo = new Undo(({ deed, how }) =>
    heard.push(`${deed.what} ${how instanceof HostError ? 'failed' : how}`),
  )
  const check = () => {
    if (state.broken) throw new HostError('store', 'no room')
  }
  const write = (letter: string): Deed => {
    const deed: Deed = {
      what: letter,
      undo: async () => {
        check()
        await Promise.resolve()
        state.text = state.text.slice(0, -1)
      },
      redo: async () => {
        check()
        await Promise.resolve()
        state.text += letter
      },
    }
    state.text += letter
    undo.did(deed)
    return deed
  }
  const run = async (keys: string) => {
    const all = [...keys].map((key) => {
      if (key === '<') return undo.undo()
      if (key === '>') return undo.redo()
      write(key)
      return Promise.resolve()
    })
    await Promise.all(all)
  }
  return { state, heard, undo, write, run }
}

// A letter writes itself, `<` takes back, `>` does again; no key waits for the one before.
test.each([
  ['abc', 'abc'],
  ['<>', ''],
  ['abc<', 'ab'],
  ['abc<<<<<', ''],
  ['abc<<>', 'ab'],
  ['abc<<>>>>', 'abc'],
  ['abc<<<>>>', 'abc'],
])('%s leaves "%s"', async (keys, expected) => {
  const { state, run } = scene()
  await run(keys)
  expect(state.text).toBe(expected)
})

test('what was taken back is gone when something else is done', async () => {
  const { state, run, undo } = scene()
  await run('ab<')
  await run('c')
  await run('>')
  expect(state.text).toBe('ac')
  expect(undo.store.get().undone).toEqual([])
  await run('<<')
  expect(state.text).toBe('')
})

test('one that fails stays where it was and can be tried again', async () => {
  const { state, heard, run } = scene()
  await run('a')
  state.broken = true
  await run('<')
  expect(state.text).toBe('a')
  state.broken = false
  await run('<')
  state.broken = true
  await run('>')
  state.broken = false
  await run('>')
  expect(state.text).toBe('a')
  expect(heard).toEqual(['a done', 'a failed', 'a undone', 'a failed', 'a redone'])
})

test('a toast takes back its own deed and no other', async () => {
  const { state, undo, write } = scene()
  const first = write('a')
  write('b')
  await undo.undo(first)
  expect(state.text).toBe('ab')
})

test('it does not grow for ever', async () => {
  const { undo, run } = scene()
  await run('x'.repeat(500))
  expect(undo.store.get().done.length).toBe(200)
})

test('what is taken back while something is being done means that, whose effect may show already', async () => {
  const { state, heard, undo, write } = scene()
  write('a')
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const deed: Deed = {
    what: 'b',
    undo: () => void (state.text = state.text.slice(0, -1)),
    redo: () => undefined,
  }
  const done = undo.doing(async () => {
    await Promise.resolve()
    state.text += 'b'
    await ended
    return deed
  })
  const back = undo.undo()
  end()
  expect(await done).toBe(true)
  await back
  expect([state.text, heard]).toEqual(['a', ['a done', 'b done', 'b undone']])
})

test('nothing is noted of what could not be done, and what comes after it goes on', async () => {
  const { state, heard, undo, write } = scene()
  write('a')
  expect(await undo.doing(() => Promise.resolve(null))).toBe(false)
  await expect(undo.doing(() => Promise.reject(new HostError('store', 'no room')))).rejects.toThrow('no room')
  await undo.undo()
  expect([state.text, heard]).toEqual(['', ['a done', 'a undone']])
})
