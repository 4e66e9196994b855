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
/** The properties whose values are plain numbers. */
const PLAIN = new Map([
  ['z', 'z-index'],
  ['weight', 'font-weight'],
  ['lines', '-webkit-line-clamp'],
])
const CLASS =
  /(?<![\w./:#-])(-?(?:m[xytrbl]?|top|right|bottom|left)|p[xytrbl]?|gap(?:-x)?|(?:min-|max-)?[wh]|z|weight|lines|leading)-(\d+)((?:-\d+){0,3})(%|ch|vh)?(?![\w%.-])/g
/** Classes whose values have names: sizes of letters, radii, edges, and colours (`tokens.css`). */
const NAMED =
  /(?<![\w./:#-])(text|rounded|border|bg)-(xs|s|m|l|xl|xxl|full|[2468]|[trbl]|[a-z]+\d?(?:-[a-z]+)*)(?![\w.-])/g
const COLOURS: ReadonlySet<string> = new Set(
  Array.from(
    readFileSync(join(SOURCES, 'styles/tokens.css'), 'utf8').matchAll(/--([\w-]+): #/g),
    ([, name = '']) => name,
  ),
)

const step = (number: string): string => {
  if (number === '0') return '0'
  if (!STEPS.includes(Number(number))) throw new Error(`${number} is no step of src/styles/scales.css`)
  return `var(--s-${number})`
}

/** The declaration of a class that holds numbers, as `gap-8`, `p-4-12` (down and across), `-ml-4` or `max-w-110ch`. */
export function declarationOf(name: string, numbers: readonly string[], unit = 'px'): string {
  const [first = ''] = numbers
  const size = SIZED.get(name) ?? (name === 'leading' ? 'line-height' : undefined)
  if (size) return `${size}: ${first}${unit}`
  const plain = PLAIN.get(name)
  if (plain) return `${plain}: ${first}`
  const isLess = name.startsWith('-')
  const [, what = '', axis = ''] = /^-?(.+?)-?([xy]?)$/.exec(name) ?? []
  const values = numbers.map((number) => (isLess ? `calc(-1 * ${step(number)})` : step(number)))
  const both = { x: ['0', ...values], y: [...values, '0'] }[axis] ?? values
  return `${STEPPED.get(what)}: ${both.join(' ')}`
}

/** The declaration of a class with a name in it, as `text-s`, `rounded-4`, `border-b` or `bg-panel`; undefined for other words. */
function namedDeclarationOf(kind: string, name: string): string | undefined {
  if (kind === 'rounded') return /^([2468]|full)$/.test(name) ? `border-radius: var(--r-${name})` : undefined
  if (kind === 'text' && /^(xs|s|m|l|x+l)$/.test(name)) return `font-size: var(--text-${name})`
  if (kind === 'border' && name in SIDES)
    return `border-${SIDES[name as keyof typeof SIDES]}: 1px solid var(--line)`
  if (!COLOURS.has(name)) return undefined
  return `${{ text: 'color', border: 'border-color', bg: 'background' }[kind]}: var(--${name})`
}

/** The rules of all classes with numbers or names of values that a source holds, each once. */
export function rulesOf(source: string): string[] {
  const named = Array.from(source.matchAll(NAMED), ([whole, kind = '', name = '']) => {
    const declaration = namedDeclarationOf(kind, name)
    return declaration === undefined ? '' : `.${whole} { ${declaration} }`
  })
  const numbered = Array.from(source.matchAll(CLASS), ([whole, name = '', first = '', others = '', unit]) => {
    const numbers = [first, ...others.split('-').slice(1)]
    return `.${whole.replace('%', '\\%')} { ${declarationOf(name, numbers, unit)} }`
  })
  const rules = [...new Set([...named, ...numbered])].filter((rule) => rule !== '').sort()
  // The colour of an edge comes after the edge.
  const isColour = (rule: string) => rule.includes('border-color')
  return [...rules.filter((rule) => !isColour(rule)), ...rules.filter(isColour)]
}

/** The files that name classes: components, and what tells how a text looks. */
const namers = (): string[] =>
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx$|^lib.view.(?!testing)[^.]*\.ts$/.test(name))
    .map((name) => join(SOURCES, name))

/** The text between quotes, the only place of class names. */
const quoted = (source: string): string => (source.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []).join('\n')

/** Puts the classes with numbers that sources name in the place of `@steps`. */
export const stepClasses = {
  postcssPlugin: 'step-classes',
  AtRule: {
    steps(rule: { replaceWith: (css: string) => void }, { result }: { result: { messages: object[] } }) {
      result.messages.push({
        type: 'dir-dependency',
        dir: SOURCES,
        glob: '**/*.{ts,tsx}',
        plugin: 'step-classes',
      })
      rule.replaceWith(
        rulesOf(
          namers()
            .map((path) => quoted(readFileSync(path, 'utf8')))
            .join('\n'),
        ).join('\n'),
      )
    },
  },
}
