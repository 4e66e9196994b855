// Distances, sizes of letters and radii come from the scales in `src/styles/scales.css`; `npm run lint` refuses any other.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url))
/** How many steps each scale may have. */
const MOST = { s: 10, text: 7, r: 5 }
/** How many lines all styles may have together. */
const MOST_LINES = 3276

/** The properties of each scale. */
const SCALED = {
  s: /^(padding|margin|gap|row-gap|column-gap|inset|top|right|bottom|left)(-|$)/,
  text: /^font(-size)?$/,
  r: /^border(-\w+)*-radius$/,
}
/** A length that is written out; `0` is none, and a share of the whole is no distance. */
const LENGTH = /(?<![\w.#-])-?\d*\.?\d+(px|rem|em|pt|ch|ex)\b/

const bare = (css) => css.replaceAll(/\/\*.*?\*\//gs, (comment) => comment.replaceAll(/[^\n]/g, ' '))

/** Returns the declarations that do not use the scales, each as `line: declaration`. */
export function offScale(css) {
  const text = bare(css)
  return [...text.matchAll(/(?<=[{;]\s*)([\w-]+):\s*([^;{}]+);/g)]
    .filter(
      ([, name, value]) => Object.values(SCALED).some((scaled) => scaled.test(name)) && LENGTH.test(value),
    )
    .map((found) => `${text.slice(0, found.index).split('\n').length}: ${found[0].replaceAll(/\s+/g, ' ')}`)
}

/** Returns the scales that have more steps than they may. */
export const tooLong = (css) =>
  Object.entries(MOST).flatMap(([scale, most]) => {
    const steps = [...bare(css).matchAll(new RegExp(`--${scale}-\\w+:`, 'g'))].length
    return steps > most ? [`--${scale}-* has ${steps} steps, and may have ${most}`] : []
  })

function check() {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  )
  const styles = files.map((name) => [name, readFileSync(SOURCES + name, 'utf8')])
  const lines = styles.reduce((sum, [, css]) => sum + css.split('\n').length - 1, 0)
  const odd = styles.flatMap(([name, css]) =>
    name === join('styles', 'scales.css') ? tooLong(css) : offScale(css).map((found) => `${name}:${found}`),
  )
  if (lines > MOST_LINES) odd.push(`the styles have ${lines} lines, and may have ${MOST_LINES}`)
  for (const line of odd) console.error(line)
  if (odd.length > 0) console.error('Use a step of src/styles/scales.css, or a class that is there.')
  return odd.length === 0
}

if (argv[1] === fileURLToPath(import.meta.url) && !check()) exit(1)
