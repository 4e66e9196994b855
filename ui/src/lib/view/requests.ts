/** Lays out one value per request as the outline of columns, pixels; `top` is the value at the upper edge. */
export function columnsPath(values: readonly number[], top: number, width: number, height: number): string {
  const n = values.length
  if (n === 0 || top <= 0) return ''
  const y = (value: number) => (height * (1 - Math.min(value, top) / top)).toFixed(1)
  const x = (at: number) => ((width * at) / n).toFixed(1)
  const steps = values.map((value, at) => `V${y(value)}H${x(at + 1)}`)
  return `M0 ${height}${steps.join('')}V${height}Z`
}

/** Lays out one value per request as a line through the right ends of its columns. */
export function linePath(values: readonly number[], top: number, width: number, height: number): string {
  const n = values.length
  if (n === 0 || top <= 0) return ''
  const points = values.map(
    (value, at) => `${((width * (at + 1)) / n).toFixed(1)} ${(height * (1 - value / top)).toFixed(1)}`,
  )
  return `M0 ${height}L${points.join('L')}`
}

/** Returns at most one value per pixel; `pick` chooses of two that share one. */
export function condense(
  values: readonly number[],
  width: number,
  pick: (one: number, other: number) => number,
): readonly number[] {
  const n = Math.max(1, Math.floor(width))
  if (values.length <= n) return values
  const condensed: number[] = []
  values.forEach((value, at) => {
    const place = Math.floor((at * n) / values.length)
    const known = condensed[place]
    condensed[place] = known === undefined ? value : pick(known, value)
  })
  return condensed
}

/** The sums of all values up to each. */
export function runningSums(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => (sum += value))
}

/** The place of the request at a distance from the left edge. */
export const requestAt = (px: number, width: number, n: number): number =>
  Math.min(n - 1, Math.max(0, Math.floor((px / Math.max(1, width)) * n)))
