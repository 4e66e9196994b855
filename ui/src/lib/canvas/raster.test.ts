import { expect, test } from 'vitest'

import { Raster } from './raster'

const COLOURS: Record<string, number[]> = { red: [255, 0, 0, 255], blue: [0, 0, 255, 255] }
const raster = () => new Raster((colour) => COLOURS[colour] ?? [0, 0, 0, 255])

/** The picture as signs: `.` nothing, `r` red, `b` blue, `m` a mixture. */
function shown({ pixels, width, height }: Raster): string[] {
  const sign = (at: number) => {
    const [red = 0, , blue = 0, alpha = 0] = new Uint8Array(pixels.buffer, at * 4, 4)
    return alpha === 0 ? '.' : red > 0 && blue > 0 ? 'm' : red > 0 ? 'r' : 'b'
  }
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, at) => sign(row * width + at)).join(''),
  )
}

test.each<[string, [number, number, number, number], string[]]>([
  ['a rectangle', [1, 0, 2, 2], ['.rr.', '.rr.', '....']],
  ['a narrow one has a pixel', [2, 1, 0.1, 0.1], ['....', '..r.', '....']],
  ['edges fall between pixels', [0.4, 0.6, 2.2, 1], ['....', 'rrr.', '....']],
  ['what is outside is cut off', [-3, -3, 5, 4], ['rr..', '....', '....']],
  ['nothing is in view', [9, 0, 2, 2], ['....', '....', '....']],
])('a bar: %s', (_, [x, y, width, height], picture) => {
  const made = raster()
  made.begin(4, 3, 0, 1)
  made.bar(x, y, width, height, 'red')
  expect(shown(made)).toEqual(picture)
})

test('a bar is as large as the screen is sharp, and rows above the first are left out', () => {
  const made = raster()
  made.begin(6, 2, 2, 2)
  made.bar(1, 0.5, 1, 1, 'red')
  expect(shown(made)).toEqual(['..rr..', '......'])
})

test('a faint bar lets through what is below it, and nothing where there is nothing', () => {
  const made = raster()
  made.begin(4, 1, 0, 1)
  made.bar(0, 0, 2, 1, 'red')
  made.bar(1, 0, 2, 1, 'blue', 0.5)
  expect(shown(made)).toEqual(['rmb.'])
  expect([...new Uint8Array(made.pixels.buffer, 4, 8)]).toEqual([127, 0, 128, 255, 0, 0, 255, 128])
})

test('a bend leaves and arrives vertically, without a gap', () => {
  const made = raster()
  made.begin(8, 6, 0, 1)
  made.bend(1, 0, 7, 6, made.ink('red'))
  const picture = shown(made)
  expect(picture[0]?.indexOf('r')).toBe(1)
  expect(picture.at(-1)?.lastIndexOf('r')).toBe(7)
  for (const [at, row] of picture.entries()) {
    expect(row).toMatch(/^\.*r+\.*$/)
    const above = picture[at - 1]
    if (above) expect(row.indexOf('r')).toBeLessThanOrEqual(above.lastIndexOf('r') + 1)
  }
})

test('a picture begins without a set pixel', () => {
  const made = raster()
  expect(made.begin(2, 1, 0, 1)).toBe(true)
  made.bar(0, 0, 2, 1, 'red')
  expect(made.begin(2, 1, 0, 1)).toBe(false)
  expect(shown(made)).toEqual(['..'])
})
