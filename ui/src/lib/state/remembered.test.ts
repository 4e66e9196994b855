import { expect, test } from 'vitest'

import { isTexts, recall, remember } from './remembered'

function storage(first?: string) {
  const held = new Map<string, string>(first === undefined ? [] : [['k', first]])
  return {
    held,
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
  }
}

test('what is remembered of a session is recalled', () => {
  const box = storage()
  remember(box, 'k', '/a', ['x'])
  remember(box, 'k', '/b', [])
  remember(box, 'k', '/a', ['y', 'z'])
  expect(recall(box, 'k', '/a', isTexts)).toEqual(['y', 'z'])
  expect(recall(box, 'k', '/b', isTexts)).toEqual([])
  expect(recall(box, 'k', '/c', isTexts)).toBeNull()
  expect(recall(null, 'k', '/a', isTexts)).toBeNull()
})

test.each(['', '{', 'null', '7', '{"a":1}', '[1,["/a"],["/a",[1]],[2,[]]]'])(
  'what cannot be read is nothing: %s',
  (text) => {
    expect(recall(storage(text), 'k', '/a', isTexts)).toBeNull()
  },
)

test('only the latest sessions are remembered', () => {
  const box = storage()
  for (let n = 0; n < 90; n += 1) remember(box, 'k', `/${n}`, [String(n)])
  expect(recall(box, 'k', '/89', isTexts)).toEqual(['89'])
  expect(recall(box, 'k', '/30', isTexts)).toEqual(['30'])
  expect(recall(box, 'k', '/29', isTexts)).toBeNull()
})

test('a storage that is full does no harm', () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full')
    },
  }
  expect(() => remember(full, 'k', '/a', ['x'])).not.toThrow()
})
