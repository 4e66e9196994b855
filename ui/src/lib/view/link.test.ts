import { expect, test } from 'vitest'

import { NOWHERE, changed, formatLink, parseLink, type LinkTarget } from './link'

const FULL: LinkTarget = {
  session: '/home/me/.pi/a b/session.jsonl',
  view: {
    policy: 'cwl+',
    budget: '50%',
    tokenizer: 'cl100k',
    overhead: '2000',
    window: 200_000,
    branch: 'e12',
    annotation: './marks.json',
    options: { low_water: '800', granularity: 'item' },
    pins: ['block:e1:0', 'a & b = c'],
    probes: ['120: /8443?/'],
  },
  cut: { turn: 7, step: 0 },
  range: { from: 3, to: 9 },
  episode: 'map-ingest#2',
  block: 'e4:1',
  distance: 'neighbourhood',
  tab: 'evicted',
  columns: [
    { policy: 'summary', budget: null, options: {} },
    { policy: 'pi-cwl', budget: '50%', options: { b: 'x;y=%3B&z', a: '1' } },
  ],
}

test('a place is written as a query', () => {
  const check = (place: Partial<LinkTarget>, query: string) =>
    expect(formatLink({ ...NOWHERE, ...place })).toBe(query)
  check({}, '')
  check({ session: '/a/b.jsonl' }, 'session=/a/b.jsonl')
  check({ session: 'x', cut: { turn: 12, step: 3 } }, 'session=x&turn=12&step=3')
  check({ session: 'x', cut: { turn: 12, step: 0 }, tab: 'diff' }, 'session=x&turn=12&step=0&tab=diff')
  check({ session: 'x y&z' }, 'session=x+y%26z')
  check({ session: 'C:\\logs\\a.jsonl' }, 'session=C:%5Clogs%5Ca.jsonl')
  check(
    { session: 'x', view: { ...NOWHERE.view, options: { b: '2', a: '1=1' } } },
    'session=x&set=a%3D1%3D1&set=b%3D2',
  )
})

test('a tab of an earlier version opens under its present name', () => {
  expect(parseLink('session=x&tab=regrets').tab).toBe('reacquisitions')
  expect(parseLink('session=x&tab=evicted').tab).toBe('evicted')
})

test('what is compared is written, also where it is nothing', () => {
  const check = (columns: LinkTarget['columns'], query: string) => {
    expect(formatLink({ ...NOWHERE, session: 'x', columns })).toBe(`session=x${query}`)
    expect(parseLink(`session=x${query}`).columns).toEqual(columns)
  }
  check(null, '')
  check([], '&with=')
  check([{ policy: 'mask', budget: null, options: {} }], '&with=mask')
  check(
    [
      { policy: 'mask', budget: '20k', options: { keep: '3' } },
      { policy: 'none', budget: null, options: {} },
    ],
    '&with=mask%3Btau%3D20k%3Bset%3Dkeep%3D3&with=none',
  )
})

test('a column that makes no sense is read as far as it does', () => {
  const check = (query: string, columns: LinkTarget['columns']) =>
    expect(parseLink(query).columns).toEqual(columns)
  check('with=;tau=20k', [])
  check('with=a;b;set=;tau=;set=!=2', [{ policy: 'a', budget: null, options: {} }])
  check('with=&with=a', [{ policy: 'a', budget: null, options: {} }])
})

test('what is written is read', () => {
  const link = formatLink(FULL)
  for (const form of [link, `?${link}`, `cwl-inspector://open?${link}`, `http://127.0.0.1:8080/?${link}#x`])
    expect(parseLink(form), form).toEqual(FULL)
  expect(formatLink(parseLink(link))).toBe(link)
})

test('a wrong link is read as far as it makes sense', () => {
  const check = (query: string, place: Partial<LinkTarget>) =>
    expect(parseLink(query), query).toEqual({ ...NOWHERE, ...place })
  check('', {})
  check('cwl-inspector://open', {})
  check('turn=0', {})
  check('turn=-1&step=x&from=5&to=2', {})
  check('turn=9999999999', {})
  check('turn=1.5&unknown=1', {})
  check('session=a&session=b&turn=2', { session: 'a', cut: { turn: 2, step: null } })
  check('set=nonsense&set=ok=', { view: { ...NOWHERE.view, options: { ok: '' } } })
  check('session=%E0%A4%A', { session: '\uFFFD%A' })
})

test('what differs between two places is named', () => {
  const check = (b: Partial<LinkTarget>, keys: string[]) =>
    expect(changed(FULL, { ...FULL, ...b })).toEqual(keys)
  check({}, [])
  check({ cut: { turn: 8, step: null } }, ['cut'])
  check({ episode: null, block: null }, ['episode', 'block'])
  check({ view: { ...FULL.view, budget: '60k' } }, ['view'])
})
