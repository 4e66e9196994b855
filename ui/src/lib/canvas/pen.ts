/** A path that is kept: what `Path2D` is to a canvas. */
export type Trail = Pick<Path2D, 'moveTo' | 'lineTo' | 'bezierCurveTo' | 'closePath'>

type Plain = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineJoin'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
  | 'save'
  | 'restore'
  | 'translate'
  | 'scale'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'arc'
  | 'rect'
  | 'roundRect'
  | 'closePath'
  | 'fillRect'
  | 'strokeRect'
  | 'setLineDash'
  | 'fillText'
  | 'strokeText'
>

/**
 * The pen of a drawing: the part of a canvas's context that drawings use. A file is written with another pen, by the
 * same drawings.
 */
export interface Pen extends Plain {
  fill(trail?: Trail): void
  stroke(trail?: Trail): void
  clip(): void
  measureText(text: string): { width: number }
  /** True when letters that are drawn larger keep the proportions that were measured. */
  textRendering?: CanvasTextRendering
}

/** Gives a drawing its fill for a stripped level. */
export interface Hatching {
  fill(pen: Pen, colour: string, ground: string, level: number, ratio: number): CanvasPattern | string
}

/** Strokes of one hatch: the side of its tile and the width of a line, pixels, and whether lines cross. */
export function hatchOf(level: number): { size: number; line: number; crossed: boolean } {
  return {
    size: level === 1 ? 7 : level === 2 ? 4 : 3,
    line: level === 1 ? 1.2 : 1,
    crossed: level >= 3,
  }
}
