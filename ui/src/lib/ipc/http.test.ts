import { expect, test, vi } from 'vitest'

import { isServed } from './choose'
import { readEvents } from './events'
import { takeToken } from './http'

vi.mock('@tauri-apps/api/core', () => ({ Channel: class {}, invoke: () => Promise.resolve() }))

test.each([
  ['http:', undefined, true],
  ['https:', undefined, true],
  ['tauri:', undefined, false],
  ['file:', undefined, false],
  // Windows loads the window's page over HTTP as well.
  ['http:', {}, false],
])('a page from %s, with %o, is served: %s', (protocol, internals, served) => {
  expect(isServed({ location: { protocol }, __TAURI_INTERNALS__: internals })).toBe(served)
})

test.each([
  ['#token=abc', null, { token: 'abc', kept: 'abc', url: '/?x' }],
  ['#token=abc&turn=3', null, { token: 'abc', kept: 'abc', url: '/?x#turn=3' }],
  ['#turn=3&token=new', 'old', { token: 'new', kept: 'new', url: '/?x#turn=3' }],
  ['#turn=3', 'old', { token: 'old', kept: 'old', url: null }],
  ['', null, { token: '', kept: null, url: null }],
])('the token is taken out of %o', (hash, before, expected) => {
  let kept = before
  let url: string | null = null
  const token = takeToken({
    location: { hash, pathname: '/', search: '?x' },
    localStorage: { getItem: () => kept, setItem: (_, value) => void (kept = value) },
    history: { replaceState: (_data, _unused, to) => void (url = to) },
  })
  expect({ token, kept, url }).toEqual(expected)
})

test('a browser that remembers nothing still has the token of its address', () => {
  const forgetful = {
    getItem: () => {
      throw new Error('denied')
    },
    setItem: () => {
      throw new Error('denied')
    },
  }
  const token = (hash: string) =>
    takeToken({
      location: { hash, pathname: '/', search: '' },
      localStorage: forgetful,
      history: { replaceState: () => undefined },
    })
  expect(token('#token=abc')).toBe('abc')
  expect(token('')).toBe('')
})

test('events are told in whatever pieces they come', async () => {
  const text = ':\n\ndata: {"type":"sessions"}\n\n:\n\ndata: "é—\u{1f600}"\n\ndata: a\ndata: b\n\ndata: half'
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const heard: string[] = []
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    await readEvents(pieces, (data) => heard.push(data))
    expect(heard, `pieces of ${size}`).toEqual(['{"type":"sessions"}', '"é—\u{1f600}"', 'a\nb'])
  }
})
