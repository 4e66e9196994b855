import { describe, expect, it } from 'vitest'

import type { RowDifference } from '../ipc/generated/RowDifference'
import type { PairedFigure } from '../ipc/generated/PairedFigure'
import type { SideRow } from '../ipc/generated/SideRow'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import { besideView, figureText, figuresShown, moreText, rowsShown } from './beside'

const VIEW: ViewSettings = {
  policy: 'mask',
  budget: '60k',
  tokenizer: 'o200k',
  overhead: 'auto',
  window: null,
  options: { keep: '3' },
  branch: null,
  annotation: 'inferred',
  pins: [],
  probes: [],
}

const figure = (over: Partial<PairedFigure>): PairedFigure => ({
  name: 'turns',
  title: 'turns',
  unit: 'count',
  a: 1,
  b: 1,
  more: 0,
  ...over,
})

describe('figures of two sessions', () => {
  it('have a sign', () => {
    const check = (over: Partial<PairedFigure>, expected: string) =>
      expect(moreText(figure(over))).toBe(expected)
    check({ more: 0 }, '0')
    check({ more: 1200 }, '+1,200')
    check({ more: -3 }, '−3')
    check({ more: null }, '')
    check({ unit: 'money', more: 1_250_000 }, '+$1.25')
  })

  it('tell money only of a model with a price', () => {
    expect(figureText('money', null, false)).toBe('unpriced')
    expect(figureText('money', null)).toBe('–')
    expect(figureText('tokens', null, false)).toBe('–')
    expect(figuresShown([figure({ name: 'cost', unit: 'money', a: null, b: null })])).toHaveLength(1)
  })

  it('are left out where both have nothing', () => {
    const all = [
      figure({ a: 0, b: 0 }),
      figure({ a: 0, b: 2 }),
      figure({ a: null, b: null }),
      figure({ a: null, b: 1 }),
    ]
    expect(figuresShown(all).map(({ a, b }) => [a, b])).toEqual([
      [0, 2],
      [null, 1],
    ])
  })
})

describe('rows of two sessions', () => {
  it('are all of them, or those with other work or marks', () => {
    const kinds: RowDifference[] = ['nothing', 'texts', 'marks', 'work']
    const rows: SideRow[] = kinds.map((differs) => ({ differs, a: null, b: null }))
    expect(rowsShown(rows, false).map(({ at }) => at)).toEqual([0, 1, 2, 3])
    expect(rowsShown(rows, true).map(({ at }) => at)).toEqual([2, 3])
  })
})

describe('the view of the session beside', () => {
  it('has nothing that is of the open session alone', () => {
    const own = { branch: 'leaf', pins: ['x'], probes: ['y'] }
    expect(besideView({ ...VIEW, ...own })).toEqual(VIEW)
    expect(besideView({ ...VIEW, ...own, annotation: 'second-look' })).toEqual({
      ...VIEW,
      annotation: 'auto',
    })
  })
})
