import { drawnSize, textScale, watchDrawn } from './drawn'
import { Hatches, readPalette, type Palette } from './palette'
import type { Hatching, Pen, Trail } from './pen'

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
   * Draws a part of the picture that stays the same from frame to frame while its key does. A sheet that is drawn once
   * has no use for it, and the part is drawn as the rest.
   */
  keep?(key: readonly unknown[], draw: (pen: Pen) => void): void
}

/** A part of a picture as pixels, which frames copy as long as its key stays the same. */
class KeptPart {
  private readonly canvas = document.createElement('canvas')
  private key: readonly unknown[] = []
  private isDrawn = false

  put(ctx: CanvasRenderingContext2D, wanted: readonly unknown[], draw: (pen: Pen) => void): void {
    const { width, height } = ctx.canvas
    const key = [width, height, ...wanted]
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
      own?.setTransform(ctx.getTransform())
      if (own) draw(own)
    }
    ctx.save()
    ctx.resetTransform()
    ctx.globalAlpha = 1
    ctx.drawImage(this.canvas, 0, 0)
    ctx.restore()
  }
}

const MAX_RATIO = 2
const MAX_WIDTH = 4096

/**
 * A canvas that is drawn only when something changed, at most once per frame, sharp at any pixel ratio,
 * and again when its size, the size of text, the theme or the fonts change.
 */
export class Surface {
  readonly canvas: HTMLCanvasElement
  private readonly draw: (sheet: Sheet) => boolean
  private readonly unwatch: () => void
  private frame = 0
  private palette: Palette | null = null
  private hatches = new Hatches()
  private readonly kept = new KeptPart()
  private closed = false
  private scale = 1
  /** Its size, pixels at the normal size of text. */
  width = 0
  height = 0

  /** `draw` answers true to be called again in the next frame. */
  constructor(canvas: HTMLCanvasElement, draw: (sheet: Sheet) => boolean) {
    this.canvas = canvas
    this.draw = draw
    this.unwatch = watchDrawn(canvas, { size: () => this.measure(), look: () => this.recolour() })
    this.measure()
    document.fonts.addEventListener('loadingdone', this.redraw)
  }

  invalidate(): void {
    if (this.frame === 0 && !this.closed) this.frame = requestAnimationFrame(() => this.paint())
  }

  private readonly redraw = () => this.invalidate()

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
    this.hatches = new Hatches()
    this.measure()
  }

  private paint(): void {
    this.frame = 0
    const { canvas, width, height } = this
    const ctx = canvas.getContext('2d')
    if (!ctx || width === 0 || height === 0) return
    const ratio = Math.min(window.devicePixelRatio || 1, MAX_RATIO) * this.scale
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)] as const
    if (canvas.width !== pixels[0]) canvas.width = pixels[0]
    if (canvas.height !== pixels[1]) canvas.height = pixels[1]
    this.palette ??= readPalette(canvas)
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0)
    ctx.textRendering = this.scale === 1 ? 'auto' : 'geometricPrecision'
    ctx.clearRect(0, 0, width, height)
    const { palette, hatches, kept } = this
    const keep: Sheet['keep'] = (key, draw) => kept.put(ctx, key, draw)
    const again = this.draw({ ctx, width, height, ratio, palette, hatches, path, keep })
    if (again) this.invalidate()
  }
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
    const key = `${font}|${text}`
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
