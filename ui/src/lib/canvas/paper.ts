import { drawPicture, sizeOf, type Picture } from './picture'
import { Hatches, readPalette } from './palette'
import { SvgPen, type Measure } from './svg'

/** The pixels of a saved PNG per pixel of the page. */
const SHARP = 2

/** The picture as an SVG file in the present theme. `fonts` are style rules that go into it. */
export function svgOf(picture: Picture, fonts: string): string {
  const pen = new SvgPen(screenMeasure())
  const size = sizeOf(picture)
  const palette = readPalette(onScreen())
  drawPicture({ ctx: pen, ...size, ratio: 1, palette, hatches: pen.hatches, path: pen.path }, picture)
  return pen.document({ ...size, scale: picture.scale }, picture.title, picture.caption.join('\n'), fonts)
}

/** The picture as a PNG file in the present theme. */
export async function pngOf(picture: Picture): Promise<Uint8Array> {
  const size = sizeOf(picture)
  const ratio = SHARP * picture.scale
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(size.width * ratio)
  canvas.height = Math.round(size.height * ratio)
  const ctx = canvas.getContext('2d')
  if (!ctx) throw new Error('there is no canvas to draw on')
  ctx.scale(ratio, ratio)
  ctx.textRendering = 'geometricPrecision'
  const palette = readPalette(onScreen())
  const path = () => new Path2D()
  drawPicture({ ctx, ...size, ratio, palette, hatches: new Hatches(), path }, picture)
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (!blob) throw new Error('the picture could not be made')
  return new Uint8Array(await blob.arrayBuffer())
}

/** A drawing of the page, for its colours. */
const onScreen = () => document.querySelector('canvas') ?? document.documentElement

/** Measures as the page does. */
function screenMeasure(): Measure {
  const ctx = document.createElement('canvas').getContext('2d')
  return (text, font) => {
    if (!ctx) return text.length * 6
    if (ctx.font !== font) ctx.font = font
    return ctx.measureText(text).width
  }
}
