import { expect, test } from 'vitest'

import type { Pen } from './pen'
import { Widths } from './surface'

/** A pen whose letters are `wide` pixels wide; `asked` lists what it measured. */
function pen(textRendering: CanvasTextRendering, wide: number, asked: string[]): Pen {
  const measureText = (text: string) => {
    asked.push(text)
    return { width: text.length * wide }
  }
  return { textRendering, measureText } as unknown as Pen
}

test('a width is measured once, and again when letters are drawn larger', () => {
  const widths = new Widths()
  const asked: string[] = []
  const usual = pen('auto', 6, asked)
  const larger = pen('geometricPrecision', 7, asked)
  expect([usual, usual, larger, larger, usual].map((one) => widths.of(one, '11px Inter', 'name'))).toEqual([
    24, 24, 28, 28, 24,
  ])
  expect(asked).toEqual(['name', 'name'])
})

test('what does not fit is cut, and what is left of it says something', () => {
  const widths = new Widths()
  const fit = (room: number) => widths.fit(pen('auto', 10, []), '11px Inter', 'name', room)
  expect([40, 39, 30, 29].map(fit)).toEqual(['name', 'na…', 'na…', ''])
})
