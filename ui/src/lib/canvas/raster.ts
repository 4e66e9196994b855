/** A rectangle that is filled, in pixels of the drawing: thousands of them make the picture of a long session. */
export type FillBar = (
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
  alpha?: number,
) => void

/**
 * Pixels that are set one by one. A canvas takes some microseconds for each rectangle and each curve; here they cost as
 * much as the pixels that they cover. Edges of a rectangle fall between pixels of the screen, and each is at least one
 * pixel wide and high.
 */
export class Raster {
  width = 0
  height = 0
  /** One number for each pixel of the screen, row by row: red, green, blue and opacity, a byte each. */
  pixels = new Uint32Array()
  /** How many pixels of the screen one of the drawing's is. */
  private ratio = 1
  /** The row of the screen with which the pixels begin. */
  private top = 0
  private readonly colourOf: (colour: string) => ArrayLike<number>
  private readonly inks = new Map<string, number>()
  /** The ink that was asked for last: neighbours mostly have the same. */
  private asked: readonly [colour: string, alpha: number, ink: number] = ['', 0, 0]
  /** The last pixel that shone through, what lay below it, and both together. */
  private blended: readonly [ink: number, ground: number, both: number] = [0, 0, 0]

  /** `colourOf` reads a colour: red, green, blue and opacity, 0 to 255. */
  constructor(colourOf: (colour: string) => ArrayLike<number>) {
    this.colourOf = colourOf
  }

  /** Begins a picture without a set pixel; true when the size is another one than before. */
  begin(width: number, height: number, top: number, ratio: number): boolean {
    const isSame = this.width === width && this.height === height
    if (isSame) this.pixels.fill(0)
    else this.pixels = new Uint32Array(width * height)
    Object.assign(this, { width, height, top, ratio })
    return !isSame
  }

  /** Fills a rectangle; what lies below shines through a faint one. */
  readonly bar: FillBar = (x, y, width, height, colour, alpha = 1) => {
    const { pixels, ratio, top } = this
    const [left, right] = between(x * ratio, (x + width) * ratio, this.width)
    const [high, low] = between(y * ratio - top, (y + height) * ratio - top, this.height)
    const ink = this.ink(colour, alpha)
    for (let row = high * this.width; row < low * this.width; row += this.width)
      for (let at = row + left; at < row + right; at += 1) {
        const ground = pixels[at] ?? 0
        pixels[at] = alpha >= 1 || ground === 0 ? ink : this.over(ink, ground)
      }
  }

  /**
   * Draws a line that leaves one point downwards and reaches the other downwards, like an edge between two lanes. Lines
   * of one ink do not add up where they cross.
   */
  bend(x0: number, y0: number, x1: number, y1: number, ink: number): void {
    const { pixels, ratio, top, width } = this
    const first = Math.round(y0 * ratio) - top
    const shape = bendOf(Math.max(1, Math.round(y1 * ratio) - top - first))
    const [start, way] = [x0 * ratio, (x1 - x0) * ratio]
    let before = start
    for (let at = 0; at < shape.length; at += 1) {
      const x = start + way * (shape[at] ?? 1)
      const left = Math.max(0, Math.floor(Math.min(before, x)))
      const right = Math.min(width - 1, Math.floor(Math.max(before, x)))
      const row = first + at
      before = x
      if (row < 0 || row >= this.height) continue
      for (let pixel = row * width + left; pixel <= row * width + right; pixel += 1) pixels[pixel] = ink
    }
  }

  /** Returns a colour as a pixel. */
  ink(colour: string, alpha = 1): number {
    const [lastColour, lastAlpha, last] = this.asked
    if (lastColour === colour && lastAlpha === alpha) return last
    const ink = this.inkOf(colour, alpha)
    this.asked = [colour, alpha, ink]
    return ink
  }

  private inkOf(colour: string, alpha: number): number {
    const key = `${colour}/${alpha}`
    const known = this.inks.get(key)
    if (known !== undefined) return known
    const [r = 0, g = 0, b = 0, a = 0] = Array.from(this.colourOf(colour))
    const ink = pixelOf(r, g, b, a * alpha)
    if (this.inks.size > MOST_INKS) this.inks.clear()
    this.inks.set(key, ink)
    return ink
  }

  private over(ink: number, ground: number): number {
    const [lastInk, lastGround, both] = this.blended
    if (lastInk === ink && lastGround === ground) return both
    const mixed = over(ink, ground)
    this.blended = [ink, ground, mixed]
    return mixed
  }
}

const MOST_INKS = 500

/** The pixels that a stretch covers, at least one, within `0..end`. */
function between(from: number, to: number, end: number): [number, number] {
  const first = Math.round(from)
  return [Math.max(0, first), Math.min(end, Math.max(first + 1, Math.round(to)))]
}

const pixelOf = (...bytes: [r: number, g: number, b: number, a: number]): number =>
  new Uint32Array(Uint8ClampedArray.from(bytes).buffer)[0] ?? 0

/** Returns one pixel over another, both with colours that are not multiplied by their opacity. */
function over(ink: number, ground: number): number {
  const [above, below] = [
    new Uint8Array(Uint32Array.of(ink).buffer),
    new Uint8Array(Uint32Array.of(ground).buffer),
  ]
  const [a, b] = [(above[3] ?? 0) / 255, (below[3] ?? 0) / 255]
  const alpha = a + b * (1 - a)
  const mixed = (at: number) => ((above[at] ?? 0) * a + (below[at] ?? 0) * b * (1 - a)) / alpha
  return pixelOf(mixed(0), mixed(1), mixed(2), alpha * 255)
}

const bends = new Map<number, Float32Array>()

/** How far to the side a bend has come in each of its rows, 0 to 1; the same curve as the one that a pen draws. */
function bendOf(rows: number): Float32Array {
  const known = bends.get(rows)
  if (known) return known
  const shape = new Float32Array(rows)
  for (let row = 0, t = 0; row < rows; row += 1) {
    const wanted = (row + 1) / rows
    while (t < 1 && BEND * 3 * t * (1 - t) * (1 - t) + (1 - BEND) * 3 * t * t * (1 - t) + t ** 3 < wanted)
      t += 1 / (16 * rows)
    shape[row] = Math.min(1, 3 * t * t - 2 * t ** 3)
  }
  shape[rows - 1] = 1
  if (bends.size > 20) bends.clear()
  bends.set(rows, shape)
  return shape
}

/** How far below its begin an edge begins to bend, as a share of its height; and how far above its end it ends. */
export const BEND = 0.62
