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
  /** The columns of the rectangle that is drawn, and where its first row begins and its last one ends. */
  private left = 0
  private right = 0
  private start = 0
  private end = 0
  private readonly colourOf: (colour: string) => ArrayLike<number>
  /** Inks by strength, then by colour: most are asked for thousands of times in a picture. */
  private readonly inks = new Map<number, Map<string, number>>()
  private nInks = 0
  /** The last pixel that shone through, what lay below it, and both together. */
  private blendedInk = 0
  private blendedGround = 0
  private blended = 0

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
    const ink = this.ink(colour, alpha)
    if (alpha < 1) this.veil(x, y, width, height, ink)
    else this.fill(x, y, width, height, ink)
  }

  /** Fills a rectangle with an ink through which nothing shines. It is called thousands of times for a picture. */
  fill(x: number, y: number, width: number, height: number, ink: number): void {
    this.cover(x, y, width, height)
    const { pixels, left, right, end, width: stride } = this
    for (let row = this.start; row < end; row += stride)
      for (let at = row + left; at < row + right; at += 1) pixels[at] = ink
  }

  /** Lays a faint ink over a rectangle. */
  private veil(x: number, y: number, width: number, height: number, ink: number): void {
    this.cover(x, y, width, height)
    const { pixels, left, right, end, width: stride } = this
    for (let row = this.start; row < end; row += stride)
      for (let at = row + left; at < row + right; at += 1) {
        const ground = pixels[at] ?? 0
        pixels[at] = ground === 0 ? ink : this.over(ink, ground)
      }
  }

  /** Works out the pixels that a rectangle covers: at least one each way, and none outside of the picture. */
  private cover(x: number, y: number, width: number, height: number): void {
    const { ratio, top, width: stride } = this
    const column = Math.round(x * ratio)
    const row = Math.round(y * ratio - top)
    this.left = Math.max(0, column)
    this.right = Math.min(stride, Math.max(column + 1, Math.round((x + width) * ratio)))
    this.start = Math.max(0, row) * stride
    this.end = Math.min(this.height, Math.max(row + 1, Math.round((y + height) * ratio - top))) * stride
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
    return this.inks.get(alpha)?.get(colour) ?? this.inkOf(colour, alpha)
  }

  private inkOf(colour: string, alpha: number): number {
    const [r = 0, g = 0, b = 0, a = 0] = Array.from(this.colourOf(colour))
    const ink = pixelOf(r, g, b, a * alpha)
    if (this.nInks > MOST_INKS) {
      this.inks.clear()
      this.nInks = 0
    }
    const ofStrength = this.inks.get(alpha) ?? new Map<string, number>()
    this.inks.set(alpha, ofStrength.set(colour, ink))
    this.nInks += 1
    return ink
  }

  private over(ink: number, ground: number): number {
    if (this.blendedInk !== ink || this.blendedGround !== ground) {
      this.blended = over(ink, ground)
      this.blendedInk = ink
      this.blendedGround = ground
    }
    return this.blended
  }
}

const MOST_INKS = 500

/** A pixel has red in its lowest byte, as images have it on every machine that a browser runs on. */
const pixelOf = (r: number, g: number, b: number, a: number): number =>
  (byteOf(r) | (byteOf(g) << 8) | (byteOf(b) << 16) | (byteOf(a) << 24)) >>> 0

const byteOf = (value: number) => Math.max(0, Math.min(255, Math.round(value)))

/** Returns one pixel over another, both with colours that are not multiplied by their opacity. */
function over(ink: number, ground: number): number {
  const [a, b] = [(ink >>> 24) / 255, (ground >>> 24) / 255]
  const alpha = a + b * (1 - a)
  const [above, below] = [a / alpha, (b * (1 - a)) / alpha]
  const mixed = (shift: number) => ((ink >>> shift) & 255) * above + ((ground >>> shift) & 255) * below
  return pixelOf(mixed(0), mixed(8), mixed(16), alpha * 255)
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
