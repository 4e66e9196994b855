import type { Pen } from './pen'
import type { Sheet } from './surface'

/** A mark that looks the same wherever it stands. */
export interface Stamp {
  /** Names its look: marks of one key are alike on one surface. */
  key: string
  /** How far it reaches from its middle, pixels. */
  left: number
  right: number
  up: number
  down: number
  /** Draws it with its middle at the origin. */
  draw(pen: Pen): void
}

/**
 * Draws a mark with its middle at a place. Without a graphics card a canvas takes longer for one curve or one text than
 * for the pixels of a whole mark, and a long session has hundreds of marks in view: a sheet that keeps stamps draws each
 * look once and copies it, at whole pixels of the screen.
 */
export function stampAt(sheet: Pick<Sheet, 'ctx' | 'stamp'>, stamp: Stamp, x: number, y: number): void {
  if (sheet.stamp) return sheet.stamp(stamp, x, y)
  const { ctx } = sheet
  ctx.save()
  ctx.translate(x, y)
  stamp.draw(ctx)
  ctx.restore()
}

/** More looks than one picture has: a count of marks has its own. */
const MOST_LOOKS = 400

/** The looks of one surface, each on a canvas of its own. */
export class Stamps {
  private readonly known = new Map<string, HTMLCanvasElement>()
  private ratio = 0

  /** Forgets all looks, as when colours or fonts are others. */
  clear(): void {
    this.known.clear()
  }

  put(ctx: CanvasRenderingContext2D, ratio: number, stamp: Stamp, x: number, y: number): void {
    if (this.ratio !== ratio || this.known.size > MOST_LOOKS) this.clear()
    this.ratio = ratio
    let own = this.known.get(stamp.key)
    if (!own) {
      own = drawn(stamp, ratio, ctx.textRendering)
      this.known.set(stamp.key, own)
    }
    const at = (place: number, reach: number) => Math.round(place * ratio) - Math.ceil(reach * ratio)
    // Without a scale, as a picture that is scaled at all is blurred.
    if (ratio !== 1) ctx.setTransform(1, 0, 0, 1, 0, 0)
    ctx.drawImage(own, at(x, stamp.left), at(y, stamp.up))
    if (ratio !== 1) ctx.setTransform(ratio, 0, 0, ratio, 0, 0)
  }
}

function drawn(stamp: Stamp, ratio: number, textRendering: CanvasTextRendering): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  const [left, right, up, down] = [stamp.left, stamp.right, stamp.up, stamp.down].map((reach) =>
    Math.ceil(reach * ratio),
  ) as [number, number, number, number]
  canvas.width = left + right
  canvas.height = up + down
  const own = canvas.getContext('2d')
  if (own) {
    own.setTransform(ratio, 0, 0, ratio, left, up)
    own.textRendering = textRendering
    stamp.draw(own)
  }
  return canvas
}
