import { expect, test } from 'vitest'

import { droppedOf, hearPageDrops, nameOf, type Drop } from './drops'

const dragged = (uris: string, ...names: string[]) => ({
  types: ['Files'],
  files: names.map((name) => ({ name })),
  getData: (format: string) => (format === 'text/uri-list' ? uris : ''),
})

test('what was dropped is told as far as it is known', () => {
  const check = (of: ReturnType<typeof dragged>, paths: string[], names: string[]) =>
    expect(droppedOf(of)).toEqual({ type: 'dropped', paths, names })
  check(dragged('', 'a.jsonl', 'b.jsonl'), [], ['a.jsonl', 'b.jsonl'])
  check(dragged('file:///home/me/a%20b.jsonl\r\n', 'a b.jsonl'), ['/home/me/a b.jsonl'], ['a b.jsonl'])
  check(
    dragged('file://localhost/a.jsonl\nfile:///b.jsonl'),
    ['/a.jsonl', '/b.jsonl'],
    ['a.jsonl', 'b.jsonl'],
  )
  check(dragged('file:///C:/logs/a.jsonl'), ['C:/logs/a.jsonl'], ['a.jsonl'])
  check(dragged('# a comment\nhttps://example.org/a.jsonl', 'x'), [], ['x'])
  check(dragged('file:///%E0%A4%A', 'x'), [], ['x'])
  check(dragged('file://elsewhere/share/a', 'x'), [], ['x'])
  check(dragged(''), [], [])
})

test('a path of any platform has a name', () => {
  const check = (path: string, name: string) => expect(nameOf(path)).toBe(name)
  check('/a/b.jsonl', 'b.jsonl')
  check('C:\\logs\\b.jsonl', 'b.jsonl')
  check('/a/b/', 'b')
  check('/', '/')
})

test('a drag over nested elements comes and goes once, and text that is dragged is not heard', () => {
  const page = new EventTarget()
  const heard: string[] = []
  hearPageDrops(page, (drop: Drop) => heard.push(drop.type))
  const fire = (name: string, types: string[]) => {
    const event = new Event(name, { cancelable: true })
    Object.assign(event, { dataTransfer: { ...dragged('', 'a'), types } })
    page.dispatchEvent(event)
    return event.defaultPrevented
  }
  const files = (...names: string[]) => names.map((name) => fire(name, ['Files']))
  expect(files('dragenter', 'dragenter', 'dragover', 'dragleave')).toEqual([true, true, true, true])
  expect(heard).toEqual(['over'])
  files('dragleave', 'dragleave')
  expect(heard).toEqual(['over', 'left', 'left'])
  files('dragenter', 'drop', 'dragenter')
  expect(heard.slice(3)).toEqual(['over', 'dropped', 'over'])
  expect(fire('drop', ['text/plain'])).toBe(false)
  expect(heard.length).toBe(6)
})
