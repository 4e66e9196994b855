import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../src', import.meta.url))
/** As in `src/styles/scales.css`. */
const STEPS = [1, 2, 4, 6, 8, 10, 12, 16, 24, 32]

const SIDES = { t: 'top', r: 'right', b: 'bottom', l: 'left' } as const
/** The properties whose values are steps of the scale, by the first part of a class. */
const STEPPED = new Map([
  ['p', 'padding'],
  ['m', 'margin'],
  ['gap', 'gap'],
  ...Object.entries(SIDES).flatMap(([letter, side]) => [
    [`p${letter}`, `padding-${side}`] as const,
    [`m${letter}`, `margin-${side}`] as const,
    [side, side] as const,
  ]),
])
/** The properties whose values are any number of pixels at the normal size of text. */
const SIZED = new Map([
  ['w', 'width'],
  ['h', 'height'],
  ['min-w', 'min-width'],
  ['min-h', 'min-height'],
  ['max-w', 'max-width'],
  ['max-h', 'max-height'],
])
const CLASS =
  /(?<![\w./:#-])(p[xytrbl]?|m[xytrbl]?|gap(?:-x)?|top|right|bottom|left|(?:min-|max-)?[wh])-(\d+)(?:-(\d+))?(?![\w.-])/g

const step = (number: string): string => {
  if (number === '0') return '0'
  if (!STEPS.includes(Number(number))) throw new Error(`${number} is no step of src/styles/scales.css`)
  return `var(--s-${number})`
}

/** The declaration of a class that holds numbers, as `gap-8`, `p-4-12` (down and across) or `max-w-560`. */
export function declarationOf(name: string, first: string, second?: string): string {
  const size = SIZED.get(name)
  if (size) return `${size}: ${first}px`
  if (/^(p|m)x$|^gap-x$/.test(name)) return `${STEPPED.get(name.replace(/-?x$/, ''))}: 0 ${step(first)}`
  if (/^(p|m)y$/.test(name)) return `${STEPPED.get(name[0] ?? '')}: ${step(first)} 0`
  return `${STEPPED.get(name)}: ${[first, ...(second ? [second] : [])].map(step).join(' ')}`
}

/** The rules of all classes with numbers that a source names, each once. */
export function rulesOf(source: string): string[] {
  const rules = [...source.matchAll(CLASS)].map(
    ([whole, name = '', first = '', second]) => `.${whole} { ${declarationOf(name, first, second)} }`,
  )
  return [...new Set(rules)].sort()
}

const components = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? components(path) : entry.name.endsWith('.tsx') ? [path] : []
  })

/** The text between quotes, the only place of class names. */
const quoted = (source: string): string => (source.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []).join('\n')

/** Puts the classes with numbers that components name in the place of `@steps`. */
export const stepClasses = {
  postcssPlugin: 'step-classes',
  AtRule: {
    steps(rule: { replaceWith: (css: string) => void }, { result }: { result: { messages: object[] } }) {
      result.messages.push({ type: 'dir-dependency', dir: SOURCES, glob: '**/*.tsx', plugin: 'step-classes' })
      rule.replaceWith(
        rulesOf(
          components(SOURCES)
            .map((path) => quoted(readFileSync(path, 'utf8')))
            .join('\n'),
        ).join('\n'),
      )
    },
  },
}
