import { readColour } from './palette'
import { Raster } from './raster'

/** A part of a picture as pixels, which frames copy as long as its key stays the same. */
export class KeptPart {
  private readonly canvas = document.createElement('canvas')
  private key: readonly unknown[] = []
  private isDrawn = false

  put(
    ctx: CanvasRenderingContext2D,
    [top, foot]: readonly [number, number],
    wanted: readonly unknown[],
    draw: (ctx: CanvasRenderingContext2D) => void,
  ): void {
    const { width, height } = ctx.canvas
    const { a: ratio } = ctx.getTransform()
    const key = [width, height, top, foot, ...wanted]
    if (key.length !== this.key.length || key.some((part, at) => !Object.is(part, this.key[at]))) {
      // A key that is another one in every frame, as in a drag of the cut, is not worth pixels of its own.
      this.key = key
      this.isDrawn = false
      draw(ctx)
      return
    }
    if (!this.isDrawn) {
      this.isDrawn = true
      this.canvas.width = width
      this.canvas.height = height
      const own = this.canvas.getContext('2d')
      if (own) {
        own.setTransform(ctx.getTransform())
        own.textRendering = ctx.textRendering
        draw(own)
      }
    }
    ctx.save()
    ctx.resetTransform()
    ctx.globalAlpha = 1
    // Without a graphics card it takes as long as it has pixels.
    const first = Math.max(0, Math.floor(top * ratio))
    const rows = Math.min(height, Math.ceil(foot * ratio)) - first
    if (width > 0 && rows > 0) ctx.drawImage(this.canvas, 0, first, width, rows, 0, first, width, rows)
    ctx.restore()
  }
}

/** A canvas of its own for the pixels of a raster. */
export class PixelPart {
  private readonly canvas = document.createElement('canvas')
  private readonly raster = new Raster(readColour)
  private image: ImageData | null = null

  put(
    ctx: CanvasRenderingContext2D,
    [top, foot]: readonly [number, number],
    draw: (raster: Raster) => void,
  ): void {
    const { canvas, raster } = this
    const { a: ratio } = ctx.getTransform()
    const first = Math.max(0, Math.floor(top * ratio))
    const height = Math.min(ctx.canvas.height, Math.ceil(foot * ratio)) - first
    if (height <= 0 || ctx.canvas.width === 0) return
    if (raster.begin(ctx.canvas.width, height, first, ratio) || !this.image) {
      canvas.width = raster.width
      canvas.height = raster.height
      this.image = new ImageData(new Uint8ClampedArray(raster.pixels.buffer), raster.width, raster.height)
    }
    draw(raster)
    canvas.getContext('2d')?.putImageData(this.image, 0, 0)
    ctx.save()
    ctx.resetTransform()
    ctx.globalAlpha = 1
    ctx.drawImage(canvas, 0, first)
    ctx.restore()
  }
}

/** Parts of a picture by their names. */
export class Parts<Part> {
  private readonly known = new Map<string, Part>()
  private readonly make: () => Part

  constructor(make: () => Part) {
    this.make = make
  }

  of(name: string): Part {
    const known = this.known.get(name)
    if (known) return known
    // Rows that were drawn at another size are not drawn again.
    if (this.known.size > MOST_PARTS) this.known.clear()
    const made = this.make()
    this.known.set(name, made)
    return made
  }
}

/** More parts than one picture has. */
const MOST_PARTS = 8
