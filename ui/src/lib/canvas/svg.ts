import { hatchOf, type Hatching, type Pen, type Trail } from './pen'

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** A text as it stands in XML: what steers is escaped, what XML forbids is replaced. */
export const escaped = (text: string): string =>
  text
    .replace(/[\p{Cs}\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char)

/** A number as short as a picture needs it. */
const n = (value: number): string => String(Math.round(value * 100) / 100)

/** The commands of a path, in the places of the picture. */
class SvgTrail implements Trail {
  d = ''
  private readonly origin: () => readonly [number, number]

  constructor(origin: () => readonly [number, number]) {
    this.origin = origin
  }

  private to(command: string, ...places: number[]): void {
    const [dx, dy] = this.origin()
    this.d += command + places.map((value, at) => n(value + (at % 2 === 0 ? dx : dy))).join(' ')
  }

  moveTo = (x: number, y: number) => this.to('M', x, y)
  lineTo = (x: number, y: number) => this.to(this.d === '' ? 'M' : 'L', x, y)
  bezierCurveTo = (a: number, b: number, c: number, d: number, x: number, y: number) =>
    this.to('C', a, b, c, d, x, y)
  closePath = () => void (this.d += 'Z')

  rect(x: number, y: number, width: number, height: number): void {
    this.moveTo(x, y)
    this.lineTo(x + width, y)
    this.lineTo(x + width, y + height)
    this.lineTo(x, y + height)
    this.closePath()
  }

  /** A part of a circle; a whole one is two halves, for an arc from a point to itself is nothing. */
  arc(x: number, y: number, radius: number, from: number, to: number): void {
    const at = (angle: number) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const
    this.lineTo(...at(from))
    const [dx, dy] = this.origin()
    const sweep = Math.min(2 * Math.PI, to - from)
    const parts = sweep > Math.PI ? 2 : 1
    for (let part = 1; part <= parts; part += 1) {
      const [endX, endY] = at(from + (sweep * part) / parts)
      this.d += `A${n(radius)} ${n(radius)} 0 0 1 ${n(endX + dx)} ${n(endY + dy)}`
    }
  }

  roundRect(x: number, y: number, width: number, height: number, wanted: number): void {
    const r = Math.max(0, Math.min(wanted, width / 2, height / 2))
    this.moveTo(x + r, y)
    this.arc(x + width - r, y + r, r, -Math.PI / 2, 0)
    this.arc(x + width - r, y + height - r, r, 0, Math.PI / 2)
    this.arc(x + r, y + height - r, r, Math.PI / 2, Math.PI)
    this.arc(x + r, y + r, r, Math.PI, 1.5 * Math.PI)
    this.closePath()
  }
}

/** How wide a text is in a font, pixels: a file has no screen to ask. */
export type Measure = (text: string, font: string) => number

/** A pen that writes an SVG file. */
export class SvgPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = '#000000'
  strokeStyle: string | CanvasGradient | CanvasPattern = '#000000'
  lineWidth = 1
  lineJoin: CanvasLineJoin = 'miter'
  globalAlpha = 1
  font = '10px sans-serif'
  textAlign: CanvasTextAlign = 'left'
  textBaseline: CanvasTextBaseline = 'alphabetic'
  private dash = ''
  private origin: readonly [number, number] = [0, 0]
  /** How many groups are open that clip or scale. */
  private groups = 0
  /** The functions that bring back each saved state. */
  private readonly held: (() => void)[] = []
  private readonly parts: string[] = []
  private readonly defs: string[] = []
  private readonly patterns = new Map<string, string>()
  private readonly measure: Measure
  private trail: SvgTrail

  constructor(measure: Measure) {
    this.measure = measure
    this.trail = this.path()
  }

  /** The hatches of the screen, as patterns of the file. */
  readonly hatches: Hatching = { fill: (_, colour, ground, level) => this.hatch(colour, ground, level) }

  /** A path to be kept. */
  path = (): SvgTrail => new SvgTrail(() => this.origin)

  /** The file, where a pixel of the drawing is `scale` large. `style` goes into it as it is, `title` and `about` as texts for those who cannot see the picture. */
  document(
    size: { width: number; height: number; scale?: number },
    title: string,
    about: string,
    style = '',
  ): string {
    const { width, height, scale = 1 } = size
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width * scale)}" height="${n(height * scale)}" ` +
        `viewBox="0 0 ${n(width)} ${n(height)}" role="img" aria-labelledby="title about">`,
      `<title id="title">${escaped(title)}</title><desc id="about">${escaped(about)}</desc>`,
      `<defs>${style === '' ? '' : `<style>${style}</style>`}${this.defs.join('')}</defs>`,
      ...this.parts,
      ...Array<string>(this.groups).fill('</g>'),
      '</svg>\n',
    ].join('\n')
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, lineJoin, globalAlpha, font, textAlign, textBaseline } = this
    const { dash, origin, groups } = this
    const pen = { fillStyle, strokeStyle, lineWidth, lineJoin, globalAlpha, font, textAlign, textBaseline }
    this.held.push(() => {
      for (let open = this.groups; open > groups; open -= 1) this.parts.push('</g>')
      Object.assign(this, pen, { dash, origin, groups })
    })
  }

  restore(): void {
    this.held.pop()?.()
  }

  translate(x: number, y: number): void {
    const [dx, dy] = this.origin
    this.origin = [dx + x, dy + y]
  }

  /** Scales both ways alike. */
  scale(by: number): void {
    const [dx, dy] = this.origin
    this.parts.push(`<g transform="scale(${by})">`)
    this.groups += 1
    this.origin = [dx / by, dy / by]
  }

  setLineDash(segments: Iterable<number>): void {
    this.dash = [...segments].map(n).join(' ')
  }

  beginPath(): void {
    this.trail = this.path()
  }
  moveTo(x: number, y: number): void {
    this.trail.moveTo(x, y)
  }
  lineTo(x: number, y: number): void {
    this.trail.lineTo(x, y)
  }
  arc(x: number, y: number, radius: number, from: number, to: number): void {
    this.trail.arc(x, y, radius, from, to)
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.trail.rect(x, y, width, height)
  }
  roundRect(x: number, y: number, width: number, height: number, radii?: unknown): void {
    this.trail.roundRect(x, y, width, height, typeof radii === 'number' ? radii : 0)
  }
  closePath(): void {
    this.trail.closePath()
  }

  clip(): void {
    const id = `clip${this.defs.length}`
    this.defs.push(`<clipPath id="${id}"><path d="${this.trail.d}"/></clipPath>`)
    this.parts.push(`<g clip-path="url(#${id})">`)
    this.groups += 1
  }

  fill(trail?: Trail): void {
    this.put(trail, `fill="${colourOf(this.fillStyle)}"${this.alpha()}`)
  }

  stroke(trail?: Trail): void {
    this.put(trail, `fill="none" ${this.line()}`)
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const [left, top] = [width < 0 ? x + width : x, height < 0 ? y + height : y]
    const paint = `fill="${colourOf(this.fillStyle)}"${this.alpha()}`
    this.box(left, top, Math.abs(width), Math.abs(height), paint)
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.box(x, y, width, height, `fill="none" ${this.line()}`)
  }

  fillText(text: string, x: number, y: number): void {
    this.say(text, x, y, `fill="${colourOf(this.fillStyle)}"${this.alpha()}`)
  }

  strokeText(text: string, x: number, y: number): void {
    this.say(text, x, y, `fill="none" aria-hidden="true" ${this.line()}`)
  }

  measureText(text: string): { width: number } {
    return { width: this.measure(text, this.font) }
  }

  private hatch(colour: string, ground: string, level: number): string {
    const { origin } = this
    const key = `${colour}/${ground}/${level}/${origin.join(',')}`
    const known = this.patterns.get(key)
    if (known !== undefined) return known
    const { size, line, crossed } = hatchOf(level)
    // Three parallel strokes, so that neighbouring tiles join without a seam.
    const strokes = [-size, 0, size].map(
      (shift) => `M${shift} ${size}L${shift + size} 0${crossed ? `M${shift} 0L${shift + size} ${size}` : ''}`,
    )
    const id = `hatch${this.patterns.size}`
    this.defs.push(
      `<pattern id="${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse" ` +
        `patternTransform="translate(${origin.map(n).join(' ')})">` +
        `<rect width="${size}" height="${size}" fill="${ground}"/>` +
        `<path d="${strokes.join('')}" fill="none" stroke="${colour}" stroke-width="${line}"/></pattern>`,
    )
    this.patterns.set(key, `url(#${id})`)
    return `url(#${id})`
  }

  private put(trail: Trail | undefined, paint: string): void {
    const { d } = trail instanceof SvgTrail ? trail : this.trail
    if (d !== '') this.parts.push(`<path d="${d}" ${paint}/>`)
  }

  private box(x: number, y: number, width: number, height: number, paint: string): void {
    if (!(width >= 0 && height >= 0)) return
    const [dx, dy] = this.origin
    const place = `x="${n(x + dx)}" y="${n(y + dy)}" width="${n(width)}" height="${n(height)}"`
    this.parts.push(`<rect ${place} ${paint}/>`)
  }

  private say(text: string, x: number, y: number, paint: string): void {
    if (text === '') return
    const { font, textAlign, textBaseline, origin } = this
    const parsed = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(font)
    const [, weight = '400', size = '10', family = 'sans-serif'] = parsed ?? []
    // The middle of a line is where most letters have theirs.
    const drop = textBaseline === 'middle' ? Number(size) * 0.36 : 0
    const anchor = textAlign === 'center' ? 'middle' : textAlign === 'right' ? 'end' : 'start'
    const width = this.measureText(text).width
    this.parts.push(
      `<text x="${n(x + origin[0])}" y="${n(y + origin[1] + drop)}" text-anchor="${anchor}" ` +
        `font-family="${escaped(family)}" font-size="${size}" font-weight="${weight}" ` +
        // Where the font is not there, its stand-in takes as much room.
        `textLength="${n(width)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ` +
        `${paint}>${escaped(text)}</text>`,
    )
  }

  private alpha(): string {
    return this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : ''
  }

  private line(): string {
    const { lineWidth, lineJoin, dash } = this
    return (
      `stroke="${colourOf(this.strokeStyle)}" stroke-width="${n(lineWidth)}"` +
      (lineJoin === 'miter' ? '' : ` stroke-linejoin="${lineJoin}"`) +
      (dash === '' ? '' : ` stroke-dasharray="${dash}"`) +
      this.alpha()
    )
  }
}

/** The colour of a style; gradients and the patterns of a screen are nothing that a file has. */
const colourOf = (style: string | CanvasGradient | CanvasPattern): string =>
  typeof style === 'string' ? style : 'none'
