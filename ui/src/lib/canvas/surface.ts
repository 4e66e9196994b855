import { drawnSize, textScale, watchDrawn } from './drawn'
import { Hatches, readPalette, type Palette } from './palette'
import { KeptPart, Parts, PixelPart } from './parts'
import type { Hatching, Pen, Trail } from './pen'
import type { FillBar, Raster } from './raster'
import { Stamps, type Stamp } from './stamps'

/** A sheet to draw on: the pen and the size, in pixels at the normal size of text, and the colours. */
export interface Sheet {
  ctx: Pen
  width: number
  height: number
  /** How many pixels of the screen one of the pen's is. */
  ratio: number
  palette: Palette
  hatches: Hatching
  /** Begins a path that is kept. */
  path(): Trail
  /**
   * Draws a named part of the picture that stays the same from frame to frame while its key does; `rows` are those that it
   * may draw in. It has no text but in stamps: on a canvas apart from the page, a browser may set text in another way. A sheet
   * that is drawn once has no use for it, and the part is drawn as the rest.
   */
  keep?(name: string, key: readonly unknown[], draw: (sheet: Sheet) => void, rows?: Rows): void
  /** Draws the rows from `top` to `foot` pixel by pixel, over what is there. A file is no screen and has no pixels. */
  pixels?(top: number, foot: number, draw: (raster: Raster) => void): void
  /** Copies a mark to a place, where the sheet keeps the looks of marks; `stampAt` asks for it. */
  stamp?(stamp: Stamp, x: number, y: number): void
}

/** Rows of a drawing: the top one, and the foot below the last one, pixels. */
export type Rows = readonly [top: number, foot: number]

/** Draws a part that stays the same while its key does: kept where the sheet keeps parts, else as the rest. */
export function keepPart(
  sheet: Sheet,
  name: string,
  key: readonly unknown[],
  draw: (sheet: Sheet) => void,
  rows?: Rows,
): void {
  if (sheet.keep) sheet.keep(name, key, draw, rows)
  else draw(sheet)
}

/** Draws many bars in the rows from `top` to `foot`: as pixels where the sheet has them, else with its pen. */
export function drawBars(sheet: Sheet, top: number, foot: number, draw: (fill: FillBar) => void): void {
  const { ctx } = sheet
  if (sheet.pixels) return sheet.pixels(top, foot, (raster) => draw(raster.bar))
  draw((x, y, width, height, colour, alpha = 1) => {
    ctx.globalAlpha = alpha
    ctx.fillStyle = colour
    ctx.fillRect(x, y, width, height)
  })
  ctx.globalAlpha = 1
}

/** Everything that a surface shows. */
export interface Drawing {
  /** Draws a frame on an empty sheet; true to draw another one next. */
  draw(sheet: Sheet): boolean
  /**
   * Tells the columns, from and to in pixels of the drawing, outside of which the next frame is as the last one was;
   * `null` where any may differ. A screen without a graphics card takes longer to show pixels than to draw them.
   */
  changed?(width: number): readonly [from: number, to: number] | null
}

const MAX_RATIO = 2
const MAX_WIDTH = 4096

/**
 * A canvas that is drawn only when something changed, at most once per frame, sharp at any pixel ratio,
 * and again when its size, the size of text, the theme or the fonts change.
 */
export class Surface {
  readonly canvas: HTMLCanvasElement
  private readonly drawing: Drawing
  private readonly unwatch: () => void
  private frame = 0
  private palette: Palette | null = null
  private hatches = new Hatches()
  private readonly kept = new Parts(() => new KeptPart())
  private readonly pixelParts = new Parts(() => new PixelPart())
  private readonly stamps = new Stamps()
  /** A frame of which only a part goes to the screen. */
  private readonly back = document.createElement('canvas')
  private closed = false
  /** True when no part of the next frame may be left as it is. */
  private isWhole = true
  private scale = 1
  /** Its size, pixels at the normal size of text. */
  width = 0
  height = 0

  constructor(canvas: HTMLCanvasElement, drawing: Drawing) {
    this.canvas = canvas
    this.drawing = drawing
    this.unwatch = watchDrawn(canvas, { size: () => this.measure(), look: () => this.recolour() })
    this.measure()
    document.fonts.addEventListener('loadingdone', this.redraw)
  }

  invalidate(): void {
    if (this.frame === 0 && !this.closed) this.frame = requestAnimationFrame(() => this.paint())
  }

  private readonly redraw = () => {
    this.isWhole = true
    this.stamps.clear()
    this.invalidate()
  }

  close(): void {
    this.closed = true
    document.fonts.removeEventListener('loadingdone', this.redraw)
    cancelAnimationFrame(this.frame)
    this.unwatch()
  }

  private measure(): void {
    const { width, height } = drawnSize(this.canvas)
    this.scale = textScale()
    this.width = Math.min(width, MAX_WIDTH / this.scale)
    this.height = height
    this.invalidate()
  }

  private recolour(): void {
    this.palette = null
    this.isWhole = true
    this.hatches = new Hatches()
    this.stamps.clear()
    this.measure()
  }

  private paint(): void {
    this.frame = 0
    const { canvas, width, height } = this
    const ctx = canvas.getContext('2d')
    if (!ctx || width === 0 || height === 0) return
    const ratio = Math.min(window.devicePixelRatio || 1, MAX_RATIO) * this.scale
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)] as const
    if (fit(canvas, pixels)) this.isWhole = true
    this.palette ??= readPalette(canvas)
    const span = this.isWhole ? null : (this.drawing.changed?.(width) ?? null)
    this.isWhole = false
    if (span === null) this.drawOn(ctx, ratio, this.palette)
    else if (span[0] < span[1]) {
      const own = this.back.getContext('2d')
      fit(this.back, pixels)
      if (own) this.drawOn(own, ratio, this.palette)
      const from = Math.max(0, Math.floor(span[0] * ratio))
      const wide = Math.min(pixels[0], Math.ceil(span[1] * ratio)) - from
      if (wide <= 0) return
      ctx.resetTransform()
      ctx.clearRect(from, 0, wide, pixels[1])
      ctx.drawImage(this.back, from, 0, wide, pixels[1], from, 0, wide, pixels[1])
    }
  }

  private drawOn(ctx: CanvasRenderingContext2D, ratio: number, palette: Palette): void {
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0)
    ctx.textRendering = this.scale === 1 ? 'auto' : 'geometricPrecision'
    ctx.clearRect(0, 0, this.width, this.height)
    if (this.drawing.draw(this.sheetOf(ctx, ratio, palette))) this.invalidate()
  }

  private sheetOf(ctx: CanvasRenderingContext2D, ratio: number, palette: Palette): Sheet {
    const { width, height, hatches, kept, pixelParts, stamps } = this
    return {
      ctx,
      width,
      height,
      ratio,
      palette,
      hatches,
      path,
      keep: (name, key, draw, rows = [0, height]) =>
        kept.of(name).put(ctx, rows, key, (own) => draw(this.sheetOf(own, ratio, palette))),
      // Parts of the same rows share their memory.
      pixels: (top, foot, draw) => pixelParts.of(`${top}-${foot}`).put(ctx, [top, foot], draw),
      stamp: (stamp, x, y) => stamps.put(ctx, ratio, stamp, x, y),
    }
  }
}

/** Gives a canvas its size; true when it had another one. */
function fit(canvas: HTMLCanvasElement, [width, height]: readonly [number, number]): boolean {
  if (canvas.width === width && canvas.height === height) return false
  canvas.width = width
  canvas.height = height
  return true
}

const path = (): Trail => new Path2D()

export const FONT = '"Inter Variable", Inter, system-ui, sans-serif'

/** Grows when fonts have come: what was measured before was measured in others. */
let nArrivals = 0
if (typeof document !== 'undefined') document.fonts?.addEventListener('loadingdone', () => (nArrivals += 1))

/** Widths of texts, remembered: measuring is the slow part of a label. */
export class Widths {
  private readonly known = new Map<string, number>()
  private measuredAt = nArrivals

  of(ctx: Pen, font: string, text: string): number {
    if (this.measuredAt !== nArrivals) {
      this.known.clear()
      this.measuredAt = nArrivals
    }
    // Letters that are drawn larger are as wide as measured only where they were measured for that.
    const key = `${ctx.textRendering}|${font}|${text}`
    let width = this.known.get(key)
    if (width === undefined) {
      if (this.known.size > 20_000) this.known.clear()
      ctx.font = font
      width = ctx.measureText(text).width
      this.known.set(key, width)
    }
    return width
  }

  /** `text` cut with an ellipsis so that it fits, or nothing when not even that is useful. */
  fit(ctx: Pen, font: string, text: string, room: number): string {
    if (this.of(ctx, font, text) <= room) return text
    let low = 0
    let high = text.length
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.of(ctx, font, `${text.slice(0, middle)}…`) <= room) low = middle
      else high = middle - 1
    }
    return low < 2 ? '' : `${text.slice(0, low)}…`
  }
}
