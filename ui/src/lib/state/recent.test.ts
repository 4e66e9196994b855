import { expect, test } from 'vitest'

import { MOST_RECENT, Recent } from './recent'

class Memory {
  text: string | null = null
  getItem = () => this.text
  setItem = (_: string, text: string) => {
    this.text = text
  }
}

const paths = (recent: Recent) =>
  recent.store
    .get()
    .opened.map(({ path }) => path)
    .join(' ')

test('the last one is first, each once, no more than a few', () => {
  const memory = new Memory()
  const recent = new Recent(memory)
  for (const path of ['/a', '/b', '/a', '/a']) recent.note(path, `title of ${path}`)
  expect(paths(recent)).toBe('/a /b')
  expect(paths(new Recent(memory))).toBe('/a /b')
  for (let n = 0; n < 20; n += 1) recent.note(`/${n}`, '')
  expect(recent.store.get().opened.length).toBe(MOST_RECENT)
  expect(recent.store.get().opened[0]?.path).toBe('/19')
})

test('a title is kept as it is now', () => {
  const recent = new Recent(new Memory())
  recent.note('/a', 'first')
  recent.note('/a', 'second')
  expect(recent.store.get().opened).toEqual([{ path: '/a', title: 'second' }])
})

test('what another window opened meanwhile stays', () => {
  const memory = new Memory()
  const [one, other] = [new Recent(memory), new Recent(memory)]
  one.note('/a', '')
  other.note('/b', '')
  one.note('/c', '')
  expect(paths(one)).toBe('/c /b /a')
})

test('what is forgotten is gone', () => {
  const memory = new Memory()
  const recent = new Recent(memory)
  recent.note('/a', '')
  recent.note('/b', '')
  recent.forget('/b')
  recent.forget('/x')
  expect(paths(new Recent(memory))).toBe('/a')
})

test.each(['', '{', 'null', '7', '{"a":1}', '[1,null,{"path":1,"title":""},["x"]]'])(
  'nonsense that is remembered is nothing: %s',
  (text) => {
    const memory = new Memory()
    memory.text = text
    expect(paths(new Recent(memory))).toBe('')
  },
)

test('without storage it lasts as long as the window, also when the storage is full', () => {
  const none = new Recent(null)
  none.note('/a', '')
  none.note('/b', '')
  expect(paths(none)).toBe('/b /a')
  const full = new Recent({
    getItem: () => null,
    setItem: () => {
      throw new Error('full')
    },
  })
  full.note('/a', '')
  expect(paths(full)).toBe('/a')
})
