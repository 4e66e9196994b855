import { expect, test } from 'vitest'

import type { SearchHit } from '../ipc/generated/SearchHit'
import { queryOf, sectionsOf, type Sources } from './palette'

const SOURCES: Sources = {
  commands: [
    { id: 'play', title: 'Play or pause', group: 'Time', key: ' ' },
    { id: 'open', title: 'Open a log', group: 'Sessions', key: 'Ctrl+o' },
    { id: 'theme.dark', title: 'Dark theme', group: 'Window', key: null },
  ],
  sessions: [
    { path: '/a/one.jsonl', title: 'Fix the retry loop', note: 'app · pi' },
    { path: '/a/two.jsonl', title: 'Open questions', note: 'docs · codex' },
  ],
  episodes: [
    { name: 'map-ingest', note: 'explore · turns 1–4' },
    { name: 'fix-retry', note: 'act · turns 5–9' },
  ],
  humans: [
    { turn: 1, text: 'Why does the retry never stop?' },
    { turn: 7, text: 'Now add a test.' },
  ],
  policies: [{ name: 'cwl', plain: 'context window lifecycle', about: 'Oldest act first.' }],
  words: [['pass', 'The evictions before one request.']],
  guide: [['Mark episodes', 'An agent marks with the tool delimiter.']],
  hits: [],
  nTurns: 310,
  canSearchTexts: true,
}

/** Sections as `part: label, label +n`. */
const shown = (typed: string, sources = SOURCES, recent: string[] = []) =>
  sectionsOf(typed, sources, recent).map(
    ({ part, lines, nMore }) =>
      `${part}: ${lines.map(({ label }) => label).join(', ')}${nMore > 0 ? ` +${nMore}` : ''}`,
  )

test('signs narrow the search', () => {
  expect(queryOf('  > open')).toEqual({ only: 'commands', needle: 'open' })
  expect(queryOf('@')).toEqual({ only: 'episodes', needle: '' })
  expect(queryOf('#120')).toEqual({ only: 'turns', needle: '120' })
  expect(queryOf('a @ b')).toEqual({ only: null, needle: 'a @ b' })
  expect(shown('>open')).toEqual(['commands: Open a log'])
  expect(shown('@')).toEqual(['episodes: fix-retry, map-ingest'])
  expect(shown('@retry')).toEqual(['episodes: fix-retry'])
  expect(shown('#')).toEqual(['turns: Now add a test., Why does the retry never stop?'])
  expect(shown('#retry')).toEqual(['turns: Why does the retry never stop?'])
  expect(shown('#12')).toEqual(['go: Turn 12'])
  expect(shown('>nothing like it')).toEqual([])
})

test('all parts are looked through', () => {
  expect(shown('retry')).toEqual([
    'episodes: fix-retry',
    'turns: Why does the retry never stop?',
    'sessions: Fix the retry loop',
    'texts: Find “retry” in the texts of this session',
  ])
  const named = { ...SOURCES, canSearchTexts: false }
  expect(shown('open', named)).toEqual(['commands: Open a log', 'sessions: Open questions'])
  expect(shown('cwl', named)).toEqual(['policies: Policy cwl'])
  expect(shown('codex', named), 'a note counts too').toEqual(['sessions: Open questions'])
  expect(shown('xyzzy', named)).toEqual([])
})

test('turns and budgets are places to go', () => {
  const check = (typed: string, ...labels: string[]) =>
    expect(
      sectionsOf(typed, SOURCES, [])
        .filter(({ part }) => part === 'go')
        .flatMap(({ lines }) => lines.map(({ label }) => label)),
      typed,
    ).toEqual(labels)
  check('120', 'Turn 120')
  check('turn 120', 'Turn 120')
  check('Turn 310', 'Turn 310')
  check('311')
  check('0')
  check('turn')
  check('τ 60k', 'τ 60k')
  check('tau 60000', 'τ 60,000')
  check('τ=80,000', 'τ 80,000')
  check('τ 120', 'τ 120')
  check('60k', 'τ 60k')
  check('50%', 'τ 50%')
  check('1.5M', 'τ 1.5M')
  check('80000', 'τ 80,000')
  check('τ lots')
  check('@120')
  check('>60k')
  expect(sectionsOf('120', { ...SOURCES, nTurns: 0 }, []), 'without a session').toEqual([])
})

test('what was used lately comes first', () => {
  expect(shown('', SOURCES, ['episode:fix-retry', 'command:gone', 'command:open'])).toEqual([
    'recent: fix-retry, Open a log',
    'commands: Play or pause, Dark theme',
    'episodes: map-ingest',
    'sessions: Fix the retry loop, Open questions',
  ])
  const two = { ...SOURCES, episodes: ['a-1', 'a-2', 'a-3'].map((name) => ({ name, note: '' })) }
  expect(shown('@a', two, ['episode:a-3'])).toEqual(['episodes: a-3, a-1, a-2'])
})

test('long lists are cut, and say so', () => {
  const many = {
    ...SOURCES,
    episodes: Array.from({ length: 1500 }, (_, at) => ({ name: `episode-${at}`, note: '' })),
    sessions: Array.from({ length: 5000 }, (_, at) => ({
      path: `/s/${at}`,
      title: `session ${at}`,
      note: '',
    })),
  }
  const sizes = (typed: string) =>
    sectionsOf(typed, many, []).map(({ part, lines, nMore }) => `${part} ${lines.length} +${nMore}`)
  expect(sizes('')).toEqual(['commands 3 +0', 'episodes 6 +1494', 'sessions 6 +4994'])
  expect(sizes('s')).toEqual([
    'commands 2 +0',
    'episodes 20 +1480',
    'turns 2 +0',
    'sessions 20 +4980',
    'policies 1 +0',
    'guide 1 +0',
    'words 1 +0',
    'texts 1 +0',
  ])
  expect(sizes('@e')).toEqual(['episodes 200 +1300'])
  expect(sizes('session 4999')[0]).toBe('sessions 1 +0')
})

test('keys are unique and where it matches is inside the label', () => {
  for (const typed of ['', 'retry', 'e', 'o', '@', '#', '>', '12', 'act 5']) {
    const lines = sectionsOf(typed, SOURCES, []).flatMap(({ lines }) => lines)
    expect(new Set(lines.map(({ key }) => key)).size, typed).toBe(lines.length)
    for (const { label, ranges } of lines) expect(ranges.every((at) => at <= label.length)).toBe(true)
  }
})

test('a word of the glossary is found with its meaning, and opens the help', () => {
  const found = sectionsOf('evictions before', SOURCES, []).find(({ part }) => part === 'words')
  expect(found?.lines[0]).toMatchObject({
    label: 'Glossary: pass',
    note: 'The evictions before one request.',
    deed: { do: 'help', find: 'pass' },
  })
})

test('the guide and the texts of the session answer words that no name has', () => {
  const hit: SearchHit = {
    turn: 4,
    branch: null,
    block: 'e:0',
    n_blocks: 1,
    role: 'assistant',
    author: 'model',
    kind: 'text',
    tool: null,
    line: 9,
    held: true,
    held_says: '',
    before: `${'x'.repeat(50)} `,
    matched: 'delimiter',
    after: ' is',
  }
  const found = sectionsOf('delimiter', { ...SOURCES, hits: [hit] }, [])
  expect(found.map(({ part, lines }) => [part, ...lines.map(({ label }) => label)])).toEqual([
    ['guide', 'Guide: Mark episodes'],
    ['texts', 'Find “delimiter” in the texts of this session', `…${'x'.repeat(39)} delimiter is`],
  ])
  expect(found[1]?.lines[1]).toMatchObject({
    note: 'assistant · Turn 4',
    ranges: [41, 50],
    deed: { do: 'hit', hit },
  })
})

test('texts are searched if a session is open and the host can', () => {
  const offered = (sources: Partial<Sources>, typed = 'quorum') =>
    sectionsOf(typed, { ...SOURCES, ...sources }, []).find(({ part }) => part === 'texts')?.lines[0]?.deed
  expect(offered({})).toEqual({ do: 'search', query: 'quorum' })
  expect(offered({}, '')).toBeUndefined()
  expect(offered({}, '>quorum')).toBeUndefined()
  expect(offered({ nTurns: 0 })).toBeUndefined()
  expect(offered({ canSearchTexts: false })).toBeUndefined()
})
