import { expect, test } from 'vitest'

import { drawGraph, type GraphLook } from './graph'
import type { Palette } from './palette'
import { Scene } from './scene'
import { SvgPen } from './svg'
import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import { TURNS } from '../view/scale'
import { DECLARED, OWN } from '../view/testing'

const SIZE = { width: 1000, height: 260 }

/** A palette in which each colour is the word for its use. */
const PALETTE: Palette = {
  ...{
    bg: 'bg',
    panel: 'panel',
    panel2: 'panel2',
    line: 'line',
    text: 'text',
    muted: 'muted',
    active: 'active',
  },
  ...{ error: 'error', warn: 'warn', warnInk: 'warnInk', info: 'info', edge: 'edge', human: 'human' },
  selection: 'selection',
  faintest: 0,
  lanes: ['loose', 'explore', 'act'].map((lane) => ({
    solid: `${lane}-solid`,
    tone1: `${lane}-tone1`,
    tone2: `${lane}-tone2`,
    ghost: `${lane}-ghost`,
    ink: `${lane}-ink`,
  })),
  band: (name) => name,
}

const TOKENS = 1000

/** An episode of one turn, of which reasoning, bulk and reads are a quarter each. */
const episode = (name: string, kind: EpisodeNode['kind'], turn: number): EpisodeNode => ({
  ...OWN,
  name,
  kind,
  open: false,
  first_turn: turn,
  last_turn: turn,
  tokens: TOKENS,
  kept_at: [TOKENS, 750, 500, 250, 50],
  problems: [],
  line: turn,
})

function graph(episodes: EpisodeNode[], more: Partial<GraphAnswer> = {}): GraphAnswer {
  return {
    revision: 1,
    from: DECLARED,
    n_turns: episodes.length + 1,
    episodes,
    edges: [],
    implicit: [],
    human_turns: [],
    prologue_ends: null,
    ...more,
  }
}

/** Pairs of an exploration `expl-n` and the act `act-n` that draws on it, one after the other. */
function pairs(n: number): GraphAnswer {
  const episodes = Array.from({ length: 2 * n }, (_, at) =>
    episode(`${at % 2 === 0 ? 'expl' : 'act'}-${at >> 1}`, at % 2 === 0 ? 'expl' : 'act', at + 1),
  )
  return graph(episodes, { edges: Array.from({ length: n }, (_, at) => [2 * at, 2 * at + 1]) })
}

/** An element of the picture: its tag and its attributes, and the words of a text. */
interface Drawn extends Record<string, string | undefined> {
  tag: string
}

interface Shown {
  levels?: number[]
  left?: number[]
  look?: Partial<GraphLook>
}

function draw(graphed: GraphAnswer, { levels = [], left, look = {} }: Shown = {}): Drawn[] {
  const scene = new Scene()
  scene.setGraph(graphed)
  scene.levels = graphed.episodes.map((_, at) => levels[at] ?? 0)
  scene.left = left ?? graphed.episodes.map(({ kept_at }, at) => kept_at[levels[at] ?? 0] ?? 0)
  const ctx = new SvgPen((words) => words.length * 6)
  const sheet = { ctx, ...SIZE, ratio: 1, palette: PALETTE, hatches: ctx.hatches, path: ctx.path }
  const usual: GraphLook = {
    view: { axis: TURNS, x0: 0, x1: graphed.n_turns },
    turn: graphed.n_turns,
    selected: null,
    hovered: null,
    focused: null,
    touched: null,
    severity: new Map(),
    range: null,
    reacquisitions: new Map(),
  }
  drawGraph(sheet, scene, { ...usual, ...look }, 0, true)
  const file = ctx.document(SIZE, 't', 'a')
  return [...file.matchAll(/<(rect|path|text) ([^>]*?)\/?>([^<]*)/g)].map(
    ([, tag = '', attributes = '', words]) => ({
      tag,
      words,
      ...Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      ),
    }),
  )
}

const names = (drawn: Drawn[]) =>
  drawn.flatMap(({ tag, words }) => (tag === 'text' && /^(expl|act)-/.test(words ?? '') ? [words] : []))
const outlines = (drawn: Drawn[]) =>
  drawn.filter(({ tag, stroke }) => tag === 'rect' && /^(explore|act)-solid$/.test(stroke ?? ''))
const balls = (drawn: Drawn[]) => drawn.filter(({ tag, d }) => tag === 'path' && d?.includes('A3.6 3.6'))
/** The opacity of the outline of each episode, in the order in which they are drawn. */
const strengths = (drawn: Drawn[]) => outlines(drawn).map(({ opacity }) => Number(opacity ?? 1))

test.each([
  ['near: boxes with names, figures and balls', 4, { outlined: true, balled: true, named: true }],
  ['further: boxes, and the names that fit', 70, { outlined: true, balled: true, named: true }],
  ['from afar: plain columns', 500, { outlined: false, balled: false, named: false }],
])('%s', (_, nPairs, expected) => {
  const drawn = draw(pairs(nPairs))
  expect(outlines(drawn)).toHaveLength(expected.outlined ? 2 * nPairs : 0)
  expect(balls(drawn).length > 0).toBe(expected.balled)
  expect(names(drawn).length > 0).toBe(expected.named)
  // Whatever the zoom, no episode is left out.
  const columns = drawn.filter(({ tag, fill }) => tag === 'rect' && /^(explore|act)-ghost$/.test(fill ?? ''))
  expect(expected.outlined ? outlines(drawn) : columns).toHaveLength(2 * nPairs)
})

test('near, each name stands once with the tokens that are left', () => {
  const drawn = draw(pairs(4), { levels: [0, 0, 4] })
  expect(names(drawn).sort()).toEqual([
    'act-0',
    'act-1',
    'act-2',
    'act-3',
    'expl-0',
    'expl-1',
    'expl-2',
    'expl-3',
  ])
  const figures = drawn.flatMap(({ tag, words }) =>
    tag === 'text' && /^\d/.test(words ?? '') ? [words] : [],
  )
  expect(figures).toContain('1k')
  expect(figures).toContain('50')
})

test('a selection lights what it needs or feeds, and dims the rest', () => {
  // The second exploration feeds its own act and the third one.
  const graphed = graph(pairs(4).episodes, { edges: [...pairs(4).edges, [2, 5]] })
  const lit = (selected: number) => {
    const drawn = draw(graphed, { look: { selected } })
    const order = [0, 2, 4, 6, 1, 3, 5, 7]
    return order.filter((_, at) => strengths(drawn)[at] === 1).sort()
  }
  expect(lit(2)).toEqual([2, 3, 5])
  expect(lit(5)).toEqual([2, 4, 5])
  expect(lit(7)).toEqual([6, 7])
  expect(strengths(draw(graphed))).toEqual(Array<number>(8).fill(1))
})

test('edges of a selection are in full ink with a point, dashed where the exploration has lost something', () => {
  const strong = (levels: number[]) =>
    draw(pairs(3), { levels, look: { selected: 3 } }).filter(
      ({ tag, stroke }) => tag === 'path' && stroke === 'selection',
    )
  const [intact, ...more] = strong([]).filter(({ d }) => d?.includes('C'))
  expect(more).toEqual([])
  expect(intact?.['stroke-dasharray']).toBeUndefined()
  const [stripped] = strong([0, 0, 2]).filter(({ d }) => d?.includes('C'))
  expect(stripped?.['stroke-dasharray']).toBe('5 3')
  expect(stripped?.d).toBe(intact?.d)
})

test('a stretch without an episode shows the acts that hold it, dotted, only when it is selected', () => {
  const episodes = [
    episode('~1', 'unannotated', 1),
    ...['expl-0', 'act-0', 'act-1'].map((name, at) =>
      episode(name, name.startsWith('expl') ? 'expl' : 'act', at + 2),
    ),
  ]
  const dotted = (selected: number | null) =>
    draw(graph(episodes, { implicit: [[0, 2, 3]] }), { look: { selected } }).flatMap(({ d, ...path }) =>
      path['stroke-dasharray'] === '1 4' ? [(d ?? '').split('M').length - 1] : [],
    )
  expect(dotted(null)).toEqual([])
  expect(dotted(0)).toEqual([2])
  expect(dotted(2)).toEqual([1])
  expect(dotted(1)).toEqual([])
})

test.each([
  ['selected', { selected: 2 }, 'selection'],
  ['pointed at', { hovered: 2 }, 'selection'],
  ['at the keyboard', { focused: 2 }, 'selection'],
  ['changed by the step', { touched: 2 }, 'error'],
])('the episode that is %s has a ring', (_, look, colour) => {
  const rings = (look: Partial<GraphLook>) =>
    draw(pairs(4), { look }).filter(
      ({ tag, stroke, fill }) => tag === 'rect' && fill === 'none' && stroke === colour,
    )
  expect(rings(look)).toHaveLength(1)
  expect(rings({})).toEqual([])
})

test('what comes after the cut is a dashed outline without a fill', () => {
  const drawn = draw(pairs(2), { look: { turn: 2 } })
  expect(outlines(drawn).map((box) => box['stroke-dasharray'])).toEqual([
    undefined,
    '3 2.5',
    undefined,
    '3 2.5',
  ])
  const fills = drawn.filter(({ fill }) => /^(explore|act)-solid$/.test(fill ?? ''))
  expect(fills).toHaveLength(2)
})

test('a step moves the episode that it takes from, and no other', () => {
  const scene = new Scene()
  const graphed = pairs(3)
  scene.setGraph(graphed)
  const take = (levels: number[]) => {
    scene.levels = levels
    scene.left = graphed.episodes.map(({ kept_at }, at) => kept_at[levels[at] ?? 0] ?? 0)
  }
  take([0, 0, 0, 0, 0, 0])
  expect(scene.advance(0, false)).toBe(false)
  take([0, 0, 2, 0, 0, 0])
  const seen: number[] = []
  let now = 0
  for (let moving = true; moving; now += 16) {
    moving = scene.advance(now, false)
    expect([...scene.shares].filter((share, at) => at !== 2 && share !== 1)).toEqual([])
    seen.push(scene.shares[2] ?? 0)
  }
  // It runs down without a leap, and ends soon where it belongs.
  expect(seen).toEqual([...seen].sort((a, b) => b - a))
  expect(seen.filter((share) => share > 0.5 && share < 1).length).toBeGreaterThan(5)
  expect(seen.at(-1)).toBe(0.5)
  expect(now).toBeLessThan(1000)
  take([0, 0, 4, 0, 0, 0])
  expect(scene.advance(now, true)).toBe(false)
  expect(scene.shares[2]).toBeCloseTo(0.05)
})
