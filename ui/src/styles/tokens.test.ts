import { readFileSync, readdirSync } from 'node:fs'

import { expect, test } from 'vitest'

const CSS = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8').replace(/\/\*.*?\*\//gs, '')

/** The colours of a look: later rules go over earlier ones. */
function colours(...selectors: string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, selector = '', body = ''] of CSS.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (!selectors.includes(selector.trim())) continue
    for (const [, name = '', value = ''] of body.matchAll(/--([\w-]+):\s*([^;]+);/g))
      found.set(name, value.trim())
  }
  return found
}

const DARK = "[data-theme='dark']"
const HIGH = "[data-contrast='high']"
const LOOKS = {
  light: { colours: colours(':root'), text: 4.5, outline: 3, line: 1 },
  dark: { colours: colours(':root', DARK), text: 4.5, outline: 3, line: 1 },
  'light, high contrast': { colours: colours(':root', HIGH), text: 7, outline: 4.5, line: 4.5 },
  'dark, high contrast': {
    colours: colours(':root', DARK, HIGH, `${DARK}${HIGH}`),
    text: 7,
    outline: 4.5,
    line: 4.5,
  },
}

function luminance(colour: string): number {
  const [, hex] = /^#([\da-f]{6})$/.exec(colour) ?? []
  if (hex === undefined) throw new Error(`${colour} is no colour of six digits`)
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const GROUNDS = ['bg', 'panel', 'panel2']
/** The colours of text, each with its grounds. */
const TEXTS: Record<string, readonly string[]> = {
  text: [...GROUNDS, 'mark', 'error-soft', 'ok-soft'],
  muted: GROUNDS,
  error: ['bg', 'panel', 'error-soft'],
  ok: ['bg', 'panel', 'ok-soft'],
  active: ['bg', 'panel'],
  'explore-ink': ['bg', 'panel'],
  'act-ink': ['bg', 'panel'],
  'loose-ink': ['bg', 'panel'],
  'warn-ink': ['warn'],
  'warn-text': ['bg', 'panel'],
  'code-word': ['bg', 'panel'],
  'code-string': ['bg', 'panel'],
  'code-value': ['bg', 'panel'],
  'code-name': ['bg', 'panel'],
  info: ['bg', 'panel'],
  // Buttons and flags with a ground of their own.
  bg: ['selection', 'error', 'active', 'info', 'simulated'],
  'column-0': ['bg', 'panel'],
  'column-1': ['bg', 'panel'],
  'column-2': ['bg', 'panel'],
  'column-3': ['bg', 'panel'],
  'column-4': ['bg', 'panel'],
  'column-5': ['bg', 'panel'],
  'column-6': ['bg', 'panel'],
  'column-7': ['bg', 'panel'],
}
/** The colours of lines and outlines. */
const OUTLINES = ['explore', 'act', 'loose', 'active', 'error', 'edge', 'selection']

for (const [look, { colours, text, outline, line }] of Object.entries(LOOKS)) {
  test(`contrast is enough: ${look}`, () => {
    const of = (name: string) => colours.get(name) ?? `no --${name}`
    const check = (name: string, ground: string, least: number) => {
      const ratio = contrast(of(name), of(ground))
      return ratio < least ? [`${name} on ${ground}: ${ratio.toFixed(2)}, wanted ${least}`] : []
    }
    expect([
      ...Object.entries(TEXTS).flatMap(([name, grounds]) =>
        grounds.flatMap((ground) => check(name, ground, text)),
      ),
      ...OUTLINES.flatMap((name) => ['bg', 'panel'].flatMap((ground) => check(name, ground, outline))),
      ...GROUNDS.flatMap((ground) => check('line', ground, line)),
    ]).toEqual([])
  })
}

test('every text has a colour whose contrast is computed', () => {
  const folder = new URL('../', import.meta.url)
  const odd = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css'))
    .flatMap((name) => [
      ...readFileSync(new URL(name, folder), 'utf8').matchAll(/(?<![\w-])color:\s*([^;]+);/g),
    ])
    .map(([, value = '']) => value.trim())
    // The ink of a kind is one of three that stand above.
    .filter((value) => !['inherit', 'CanvasText', 'var(--kind-ink)'].includes(value))
    .filter((value) => !((/^var\(--([\w-]+)\)$/.exec(value)?.[1] ?? '') in TEXTS))
  expect(odd).toEqual([])
})

test('contrast is what the standard says it is', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrast('#123456', '#123456')).toBe(1)
})

test('every look has every colour', () => {
  const names = [...LOOKS.light.colours.keys()]
  expect(names.length).toBeGreaterThan(40)
  const dark = colours(DARK)
  expect(names.filter((name) => !dark.has(name))).toEqual([])
})
