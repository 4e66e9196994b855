import type { Stack } from './bands'

/**
 * The height scale of the timeline: linear up to `top`, and above that a narrow band up to `most`, so that nothing leaves the
 * picture. Without a band, `most` is `top`.
 */
export interface TokenScale {
  top: number
  most: number
}

/** The scale while no session is drawn. */
export const NO_SCALE: TokenScale = { top: 1000, most: 1000 }

/** The factor above requests and τ from which a value stands in a band, as it would flatten them. */
const OUT_OF_PROPORTION = 2.5

/** Tells whether a scale has a band above its linear part. */
export const isBroken = ({ top, most }: TokenScale): boolean => most > top

/** The factor above everything else up to which the model's window is on the scale. */
const NEAR = 1.3

/** The lines across the timeline, tokens: the τ to which requests are held, and the model's window; `null` without one. */
export interface Limits {
  budget: number | null
  window: number | null
}

/**
 * Returns the scale that holds every request, τ, the full history and all reported sizes; with `fitsAll` without a band. A τ
 * far above the history does not flatten it, nor does a window: the scale reaches up to a window that is near, or with
 * `fitsAll` to any.
 */
export function scaleOfTokens(stack: Stack, { budget, window }: Limits, fitsAll: boolean): TokenScale {
  const { mostAfter, mostFull, mostReported } = stack
  const drawn = Math.max(mostAfter, mostFull, mostReported)
  const limit = Math.min((budget ?? 0) * 1.18, drawn * 1.5)
  const close = Math.max(mostAfter * 1.12, limit, 1000)
  const all = Math.max(drawn * 1.06, close)
  const isLarge = !fitsAll && all > close * OUT_OF_PROPORTION
  const isNear = window !== null && (fitsAll || window <= all * NEAR)
  const most = isNear ? Math.max(all, window * 1.04) : all
  return { top: isLarge ? close : most, most }
}

/** Tells whether anything stands apart from the linear part of a scale, or above all of it. */
export const hasMore = (scale: TokenScale, window: number | null): boolean =>
  isBroken(scale) || (window ?? 0) > scale.most

/** Tells whether two scales are the same. */
export const isSameScale = (a: TokenScale, b: TokenScale): boolean => a.top === b.top && a.most === b.most
