import { expect, test } from 'vitest'

import type { ContextItem } from '../ipc/generated/ContextItem'
import type { ContextItemKind } from '../ipc/generated/ContextItemKind'
import { jsonTokens } from './json'
import {
  blockName,
  callArguments,
  colourOf,
  estimateRow,
  isFolded,
  isLogged,
  isProse,
  languageOf,
  matchesInCall,
  shortReason,
  speaker,
} from './rows'

const item = (more: Partial<ContextItem>): ContextItem => ({
  block: 'a:0',
  entry: 'a',
  line: 1,
  role: 'assistant',
  author: 'model',
  kind: 'text',
  tool: null,
  failed: false,
  derived: false,
  episode: null,
  kept: true,
  level: null,
  reason: '',
  evicted_turn: null,
  evicted_step: null,
  tokens: 1,
  placeholder: null,
  text: 'hello',
  n_chars: 5,
  n_lines: 1,
  n_images: 0,
  path: null,
  about: null,
  first_turn: null,
  again_turn: null,
  ...more,
})

test('a list of any length stays below what an engine can lay out', () => {
  for (const n of [1, 1000, 100_000, 5_000_000]) {
    const tall = estimateRow(item({ n_lines: 4_000_000, n_chars: 9_000_000 }), n)
    expect(tall * n).toBeLessThanOrEqual(Math.max(30_000_000, 400))
  }
  expect(estimateRow(item({ kept: false }), 10)).toBeLessThan(estimateRow(item({}), 10))
})

test('a placeholder takes a line of its own under the ghost', () => {
  const ghost = estimateRow(item({ kept: false }), 10)
  expect(estimateRow(item({ kept: false, placeholder: '[cleared]' }), 10)).toBeGreaterThan(ghost)
})

test.each<[ContextItemKind, boolean, boolean]>([
  ['residue', false, true],
  ['summary', false, true],
  ['text', true, true],
  ['result', true, false],
])('%s: in the log %s, prose %s', (kind, logged, prose) => {
  expect(isLogged(item({ kind }))).toBe(logged)
  expect(isProse(item({ kind }))).toBe(prose)
})

test('long or cut texts are folded', () => {
  expect(isFolded(item({}))).toBe(false)
  expect(isFolded(item({ n_lines: 40 }))).toBe(true)
  expect(isFolded(item({ n_chars: 6 }))).toBe(true)
  expect(isFolded(item({ text: '😀😀', n_chars: 2 }))).toBe(false)
})

test('the human and the harness are told apart', () => {
  expect(speaker(item({ role: 'user', author: 'human' }))).toBe('human')
  expect(speaker(item({ role: 'user', author: 'harness' }))).toBe('harness')
  expect(speaker(item({ role: 'tool', author: 'human' }))).toBe('human')
  expect(speaker(item({ role: 'tool', author: 'tool' }))).toBe('tool')
  expect(blockName(item({ kind: 'call', tool: 'grep' }))).toBe('calls grep')
  expect(blockName(item({ kind: 'opaque' }))).toBe('opaque')
  expect(blockName(item({ role: 'system', kind: 'text', tool: 'grep' }))).toBe('definition of grep')
})

test('words of the human in a result look like the human, and keep the name of the tool', () => {
  const answer = item({ role: 'tool', author: 'human', kind: 'result', tool: 'AskUserQuestion' })
  expect([speaker(answer), colourOf(answer, undefined), blockName(answer)]).toEqual([
    'human',
    'human',
    'AskUserQuestion',
  ])
  const output = item({ role: 'tool', author: 'tool', kind: 'result', tool: 'Bash' })
  expect([speaker(output), colourOf(output, undefined)]).toEqual(['tool', 'outside'])
  expect(colourOf(output, { kind: 'expl' })).toBe('expl')
})

test('matches of a call stand in its tool and its arguments', () => {
  type Ranges = [number, number][]
  const check = (sought: string, expected: { tool?: Ranges; names?: Ranges[]; values?: Ranges[] } | null) => {
    const text = 'edit{"path":"src/a.rs","old":"let a","new":"let a = a"}'
    const parts = callArguments(text, 'edit', null) ?? []
    const matches = [...text.matchAll(new RegExp(sought, 'g'))].map(
      ({ index }) => [index, index + sought.length] as [number, number],
    )
    expect(matches.length).toBeGreaterThan(0)
    const found = matchesInCall(text, parts, matches)
    const rangesOf = (places: readonly { ranges: unknown }[] = []) => places.map(({ ranges }) => ranges)
    expect(
      found && { tool: found.tool.ranges, names: rangesOf(found.names), values: rangesOf(found.values) },
    ).toEqual(expected && { tool: [], names: [[], [], []], values: [[], [], []], ...expected })
  }
  check('let a', { values: [[], [[0, 5]], [[0, 5]]] })
  check('a = a', { values: [[], [], [[4, 9]]] })
  check('edit', { tool: [[0, 4]] })
  check('old', { names: [[], [[0, 3]], []] })
  check('"old"', null)
})

test.each([
  [
    'gone: the harness put a summary in its place (record 3fbda60d-c19b-4315)',
    'the harness put a summary in its place',
  ],
  ['gone: turn 156, step 1 removed map-ingest', 'turn 156, step 1 removed map-ingest'],
])('%s is said in a column as %s', (reason, short) => {
  expect(shortReason(reason)).toBe(short)
})

test('arguments of a call are read where they can be', () => {
  expect(callArguments('edit{"path":"a.rs","n":3,"deep":{"x":[1]}}', 'edit', 'a.rs')).toEqual([
    { name: 'path', value: 'a.rs', language: null },
    { name: 'n', value: '3', language: null },
    { name: 'deep', value: '{\n  "x": [\n    1\n  ]\n}', language: 'json' },
  ])
  expect(callArguments('bash{"command":"ls"}', 'bash', null)).toEqual([
    { name: 'command', value: 'ls', language: 'bash' },
  ])
  const content = 'fn main() { println!("hello"); }'
  expect(
    callArguments(JSON.stringify({ file_path: 'src/a.rs', content }), null, 'src/a.rs')?.[1]?.language,
  ).toBe('rust')
  expect(callArguments('edit{"path":"a.rs","plan":"one\\ntwo\\', 'edit', null)).toEqual([
    { name: 'path', value: 'a.rs', language: null },
    { name: 'plan', value: 'one\ntwo', language: null },
  ])
  for (const odd of [
    'edit{"path',
    'edit{"path":',
    'edit',
    'edit[1]',
    'edit{"a":1} {"b":2}',
    'other{"a":1}',
  ]) {
    expect(callArguments(odd, 'edit', null)).toBeNull()
  }
})

test.each<[ContextItemKind, string | null, string, string | null]>([
  ['result', 'src/a.rs', 'fn x() {\n  y()\n}', 'rust'],
  ['result', 'src/a.rs', 'The file was written.', null],
  ['result', null, '{"a":1}', 'json'],
  ['result', 'notes', 'plain', null],
  ['text', 'src/a.rs', 'fn x() {}', null],
])('a %s of %s is coloured as its file', (kind, path, shown, language) => {
  expect(languageOf(item({ kind, path, n_lines: shown.split('\n').length }), shown)).toBe(language)
})

test('a line of JSON is the same line after colouring', () => {
  for (const line of [
    '  "key": "va\\"lue",',
    '"open',
    '  12.5e3, true,',
    '}',
    '',
    'not json at all {',
    '\u0000\u202e"x"',
  ]) {
    expect(
      jsonTokens(line)
        .map((token) => token.text)
        .join(''),
    ).toBe(line)
  }
  expect(jsonTokens('  "key": 1')[1]).toEqual({ text: '"key"', kind: 'key' })
})
