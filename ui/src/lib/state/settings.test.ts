import { expect, test } from 'vitest'

import { CHOICES, DEFAULTS, TEXT_SCALES, looksOf, settings, settingsOf, textBy } from './settings'

test('what was stored is taken where it fits', () => {
  const check = (stored: unknown, expected: object) =>
    expect(settingsOf(stored), JSON.stringify(stored)).toEqual({ ...DEFAULTS, ...expected })
  check({}, {})
  check({ theme: 'dark', textSize: 4, graph: false }, { theme: 'dark', textSize: 4, graph: false })
  check({ theme: 'pink', contrast: 1, motion: null, axis: 'years' }, {})
  check({ below: 300.4, aside: '300', under: -1 }, { below: 300 })
  check({ below: Infinity, aside: NaN, under: 1e9 }, {})
  check({ textSize: 5 }, {})
  check({ textSize: -1 }, {})
  check({ textSize: 0.5 }, {})
  check({ textSize: 'length' }, {})
  check({ graph: 'no', timeline: 0 }, {})
  check({ unknown: 1, __proto__: { theme: 'dark' } }, {})
  for (const odd of [null, undefined, 1, 'x', [], [1], true]) check(odd, {})
})

test('what is set is read back the same', () => {
  for (const [name, values] of Object.entries(CHOICES))
    for (const value of values) {
      const set = { ...DEFAULTS, [name]: value }
      expect(settingsOf(JSON.parse(JSON.stringify(set)))).toEqual(set)
    }
})

test('a choice goes before what the system asks for', () => {
  const loud = { dark: true, contrast: true, still: true, forced: false }
  const quiet = { dark: false, contrast: false, still: false, forced: false }
  const looks = (set: object, system = quiet) => {
    const { theme, contrast, motion, scale } = looksOf({ ...DEFAULTS, ...set }, system)
    return [theme, contrast, motion, scale].join(' ')
  }
  expect(looks({})).toBe('light normal full 1')
  expect(looks({}, loud)).toBe('dark high reduced 1')
  expect(looks({ theme: 'light', contrast: 'normal', motion: 'full' }, loud)).toBe('light normal full 1')
  expect(looks({ theme: 'light' }, { ...loud, forced: true }), 'colours of the system go before').toBe(
    'dark high reduced 1',
  )
  expect(looks({ theme: 'dark', contrast: 'high', motion: 'reduced', textSize: 4 })).toBe(
    'dark high reduced 1.5',
  )
})

test('text grows and shrinks in steps and stays at the ends', () => {
  for (let n = 0; n < 9; n += 1) textBy(1)
  expect(settings.get().textSize).toBe(TEXT_SCALES.length - 1)
  for (let n = 0; n < 9; n += 1) textBy(-1)
  expect(settings.get().textSize).toBe(0)
  settings.set({ textSize: DEFAULTS.textSize })
})
