import { expect, test } from 'vitest'

import { SvgPen, escaped } from './svg'

const pen = () => new SvgPen((text, font) => text.length * Number(/([\d.]+)px/.exec(font)?.[1]) * 0.5)
const size = { width: 100, height: 50 }

/** Returns the elements that a drawing writes, without the frame of the file. */
function drawn(draw: (ctx: SvgPen) => void): string {
  const ctx = pen()
  draw(ctx)
  return ctx.document(size, 't', 'a').split('\n').slice(3, -2).join('\n')
}

/** Tells whether every opened element is closed, in order. */
function balanced(xml: string): boolean {
  const open: string[] = []
  for (const [, end, name, self] of xml.matchAll(/<(\/?)([a-zA-Z]+)(?:"[^"]*"|[^">])*?(\/?)>/g)) {
    if (end === '/') {
      if (open.pop() !== name) return false
    } else if (self !== '/') open.push(name ?? '')
  }
  return open.length === 0
}

const check = (draw: (ctx: SvgPen) => void, expected: string) => expect(drawn(draw)).toBe(expected)

test('boxes and paths are written where they are drawn', () => {
  check((ctx) => {
    ctx.fillStyle = '#ff0000'
    ctx.fillRect(1, 2, 3.14159, 4)
  }, '<rect x="1" y="2" width="3.14" height="4" fill="#ff0000"/>')
  check((ctx) => ctx.fillRect(10, 2, -3, 4), '<rect x="7" y="2" width="3" height="4" fill="#000000"/>')
  check((ctx) => {
    ctx.translate(10, 20)
    ctx.beginPath()
    ctx.moveTo(0, 0)
    ctx.lineTo(5, 5)
    ctx.closePath()
    ctx.setLineDash([3, 2.5])
    ctx.globalAlpha = 0.5
    ctx.stroke()
  }, '<path d="M10 20L15 25Z" fill="none" stroke="#000000" stroke-width="1" stroke-dasharray="3 2.5" opacity="0.5"/>')
  check((ctx) => {
    const trail = ctx.path()
    trail.moveTo(0, 0)
    trail.bezierCurveTo(1, 2, 3, 4, 5, 6)
    ctx.fill(trail)
  }, '<path d="M0 0C1 2 3 4 5 6" fill="#000000"/>')
})

test('a larger file shows the same drawing', () => {
  const file = pen().document({ ...size, scale: 1.5 }, 't', 'a')
  expect(file).toContain('width="150" height="75" viewBox="0 0 100 50"')
})

test('a whole circle is two arcs, a part of one is one', () => {
  const circle = (to: number) =>
    drawn((ctx) => {
      ctx.beginPath()
      ctx.arc(10, 10, 5, 0, to)
      ctx.fill()
    })
  expect(circle(2 * Math.PI)).toContain('d="M15 10A5 5 0 0 1 5 10A5 5 0 0 1 15 10"')
  expect(circle(Math.PI / 2)).toContain('d="M15 10A5 5 0 0 1 10 15"')
})

test('what is saved comes back, and groups are closed', () => {
  const file = drawn((ctx) => {
    ctx.save()
    ctx.fillStyle = '#ff0000'
    ctx.beginPath()
    ctx.rect(0, 0, 10, 10)
    ctx.clip()
    ctx.scale(2)
    ctx.fillRect(0, 0, 1, 1)
    ctx.restore()
    ctx.fillRect(0, 0, 2, 2)
    ctx.beginPath()
    ctx.rect(0, 0, 5, 5)
    ctx.clip()
  })
  expect(file.match(/<g /g)).toHaveLength(3)
  expect(balanced(file)).toBe(true)
  expect(file).toContain('width="2" height="2" fill="#000000"')
})

test('a hatch is one pattern however often it is used', () => {
  const ctx = pen()
  for (const level of [1, 2, 2, 1]) {
    ctx.fillStyle = ctx.hatches.fill(ctx, '#123456', '#ffffff', level, 2)
    ctx.fillRect(0, 0, 9, 9)
  }
  const file = ctx.document(size, '', '')
  expect(file.match(/<pattern /g)).toHaveLength(2)
  expect(file.match(/url\(#hatch1\)/g)).toHaveLength(2)
  expect(balanced(file)).toBe(true)
})

test('a text keeps its place, font and width', () => {
  const file = drawn((ctx) => {
    ctx.font = '650 11.5px "Inter Variable", Inter'
    ctx.textAlign = 'center'
    ctx.fillText('map', 10, 20)
    ctx.fillText('', 10, 20)
  })
  expect(file).toBe(
    '<text x="10" y="20" text-anchor="middle" font-family="&quot;Inter Variable&quot;, Inter" font-size="11.5" ' +
      'font-weight="650" textLength="17.25" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="#000000">map</text>',
  )
})

test('a text of a log is only a text', () => {
  const cases = [
    '<script>alert(1)</script>',
    '" onload="alert(1)',
    ']]>',
    '&lt;',
    "a'b",
    '\u0000\u001b[2J',
    '\ud800x',
  ]
  for (const words of cases) {
    const ctx = pen()
    ctx.fillText(words, 0, 0)
    const file = ctx.document(size, words, words)
    expect(balanced(file), words).toBe(true)
    expect(file).not.toMatch(/<script|" onload/)
    expect(file).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/)
    expect(file).not.toMatch(/\p{Cs}/u)
  }
  expect(escaped('a\tb\nc')).toBe('a\tb\nc')
  expect(escaped('\ud83d\ude00')).toBe('\ud83d\ude00')
})
