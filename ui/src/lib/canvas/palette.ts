import type { Band } from '../ipc/generated/Band'
import { hatchOf, type Hatching, type Pen } from './pen'

/** The colours of a theme as canvases need them: plain strings, read once per theme. */
export interface Palette {
  bg: string
  panel: string
  panel2: string
  line: string
  text: string
  muted: string
  active: string
  error: string
  warn: string
  warnInk: string
  info: string
  edge: string
  selection: string
  human: string
  /** The least opacity of a name, 0 to 1. */
  faintest: number
  /** Per lane: outline and full fill, two paler tones, the tone of what is gone, and text. */
  lanes: { solid: string; tone1: string; tone2: string; ghost: string; ink: string }[]
  band(name: Band): string
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element)
  const value = (name: string) => plain(style.getPropertyValue(`--${name}`).trim())
  const lane = (name: string) => ({
    solid: value(name),
    tone1: value(`${name}-1`),
    tone2: value(`${name}-2`),
    ghost: value(`${name}-ghost`),
    ink: value(`${name}-ink`),
  })
  const bands = new Map<string, string>()
  return {
    bg: value('bg'),
    panel: value('panel'),
    panel2: value('panel2'),
    line: value('line'),
    text: value('text'),
    muted: value('muted'),
    active: value('active'),
    error: value('error'),
    warn: value('warn'),
    warnInk: value('warn-ink'),
    info: value('info'),
    edge: value('edge'),
    selection: value('selection'),
    human: value('band-human'),
    faintest: Number(style.getPropertyValue('--faintest')) || 0,
    lanes: [lane('loose'), lane('explore'), lane('act')],
    band(name) {
      const known = bands.get(name)
      if (known !== undefined) return known
      const colour = value(`band-${name}`) || value('loose')
      bands.set(name, colour)
      return colour
    },
  }
}

let asking: CanvasRenderingContext2D | null | undefined

/** Returns a colour as a screen shows it: red, green, blue and opacity, 0 to 255. */
export function readColour(colour: string): ArrayLike<number> {
  asking ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  if (!asking) return [0, 0, 0, 255]
  asking.clearRect(0, 0, 1, 1)
  asking.fillStyle = colour
  asking.fillRect(0, 0, 1, 1)
  return asking.getImageData(0, 0, 1, 1).data
}

/** A colour that the system names (`CanvasText`) as it is now: a picture is also looked at elsewhere. */
function plain(colour: string): string {
  if (!/^[a-z]+$/i.test(colour)) return colour
  asking ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  if (!asking) return colour
  asking.fillStyle = colour
  // A highlight may let through what is below it, which lines may not.
  return asking.fillStyle.replace(/^rgba\((\d+, \d+, \d+), [\d.]+\)$/, 'rgb($1)')
}

/** Fills for stripped levels: hatches of rising density, made once per colour. */
export class Hatches implements Hatching {
  private readonly made = new Map<string, CanvasPattern | string>()

  fill(_: Pen, colour: string, ground: string, level: number, ratio: number): CanvasPattern | string {
    const key = `${colour}/${ground}/${level}/${ratio}`
    const known = this.made.get(key)
    if (known) return known
    const hatch = hatchOf(level)
    const size = Math.round(hatch.size * ratio)
    const tile = document.createElement('canvas')
    tile.width = size
    tile.height = size
    const pen = tile.getContext('2d')
    if (!pen) return colour
    pen.fillStyle = ground
    pen.fillRect(0, 0, size, size)
    pen.strokeStyle = colour
    pen.lineWidth = Math.max(1, ratio * hatch.line)
    pen.beginPath()
    // Three parallel strokes, so that neighbouring tiles join without a seam.
    for (const shift of [-size, 0, size]) {
      pen.moveTo(shift, size)
      pen.lineTo(shift + size, 0)
    }
    if (hatch.crossed) {
      for (const shift of [-size, 0, size]) {
        pen.moveTo(shift, 0)
        pen.lineTo(shift + size, size)
      }
    }
    pen.stroke()
    const pattern = pen.createPattern(tile, 'repeat')
    if (!pattern) return colour
    // Patterns live in device pixels; the context is scaled.
    pattern.setTransform(new DOMMatrix().scale(1 / ratio))
    this.made.set(key, pattern)
    return pattern
  }
}
