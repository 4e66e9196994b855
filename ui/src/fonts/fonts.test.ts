import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(SRC, '../node_modules')

/** Reads which code points a WOFF2 file has glyphs for: from its `cmap` table, formats 4 and 12. */
function glyphsOf(file: string): Set<number> {
  const bytes = readFileSync(file)
  let at = 48
  const number = () => {
    let value = 0
    for (;;) {
      const byte = bytes.readUInt8(at++)
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
  }
  let start = 0
  let end = 0
  let offset = 0
  for (let left = bytes.readUInt16BE(12); left > 0; left -= 1) {
    const flags = bytes.readUInt8(at++)
    const known = flags & 63
    if (known === 63) at += 4
    // Only glyf (10) and loca (11) are transformed when the two upper bits are 0.
    const isTransformed = (known === 10 || known === 11) === flags < 64
    const plain = number()
    const length = isTransformed ? number() : plain
    if (known === 0) [start, end] = [offset, offset + length]
    offset += length
  }
  const cmap = brotliDecompressSync(bytes.subarray(at)).subarray(start, end)
  const found = new Set<number>()
  const add = (first: number, last: number) => {
    for (let code = first; code <= last; code += 1) found.add(code)
  }
  for (let table = 0; table < cmap.readUInt16BE(2); table += 1) {
    const from = cmap.readUInt32BE(8 + 8 * table)
    const format = cmap.readUInt16BE(from)
    if (format === 4) {
      const ends = cmap.readUInt16BE(from + 6)
      for (let i = 0; i < ends; i += 2)
        add(cmap.readUInt16BE(from + 16 + ends + i), cmap.readUInt16BE(from + 14 + i))
    } else if (format === 12) {
      for (let i = from + 16; i < from + 16 + 12 * cmap.readUInt32BE(from + 12); i += 12)
        add(cmap.readUInt32BE(i), cmap.readUInt32BE(i + 4))
    }
  }
  return found
}

interface Face {
  family: string
  has: (code: number) => boolean
}

/** Reads the `@font-face` rules of a style sheet: a face has a sign when its range and its file have it. */
function facesOf(sheet: string): Face[] {
  const css = readFileSync(sheet, 'utf8')
  return [...css.matchAll(/@font-face\s*\{([^}]*)\}/g)].map(([, rule = '']) => {
    const one = (pattern: RegExp) => pattern.exec(rule)?.[1] ?? ''
    const url = one(/url\(['"]?([^'")]+)/)
    const glyphs = glyphsOf(url.startsWith('.') ? join(dirname(sheet), url) : join(MODULES, url))
    const ranges = [...one(/unicode-range:([^;]*)/).matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/gi)].map(
      ([, first = '', last = first]) => [parseInt(first, 16), parseInt(last, 16)] as const,
    )
    const inRange = (code: number) =>
      ranges.length === 0 || ranges.some(([first, last]) => first <= code && code <= last)
    return { family: one(/font-family:\s*['"]([^'"]+)/), has: (code) => inRange(code) && glyphs.has(code) }
  })
}

/** Collects the signs beyond ASCII in the texts of a source file: strings, templates and the text between tags. */
function signsOf(file: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node) => {
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node)
    )
      found.push(...node.text)
    node.forEachChild(visit)
  }
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.css'))
    for (const [, content = ''] of text.matchAll(/(?:content|list-style-type):\s*['"]([^'"]*)/g))
      found.push(...content)
  else visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX))
  // U+FFFD is no sign of a text: it stands for a character that a file cannot hold.
  return found.filter((sign) => sign > '\u007f' && sign !== '\ufffd')
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.(tsx?|css)$/.test(name) && !/\.test\.ts$|generated\//.test(name),
)
const signs = new Map(files.flatMap((name) => signsOf(join(SRC, name)).map((sign) => [sign, name] as const)))
const packaged = ['inter', 'jetbrains-mono'].map((name) =>
  join(MODULES, `@fontsource-variable/${name}/wght.css`),
)
const extra = join(SRC, 'fonts/signs.css')

describe('every sign in a text of the page is in a font that comes', () => {
  test('there are signs to look for', () => {
    expect([...signs.keys()]).toEqual(expect.arrayContaining(['τ', '→', '←', '≠', '⌘', '…', '▶']))
  })
  for (const [page, sheets] of Object.entries({
    'with the window': [...packaged, extra],
    'with the exported page': [join(SRC, 'export/fonts.css'), extra],
  })) {
    const faces = sheets.flatMap(facesOf)
    for (const family of ['Inter Variable', 'JetBrains Mono Variable'])
      test(`${page}, in ${family}`, () => {
        const own = faces.filter((face) => face.family === family)
        const missing = [...signs].filter(([sign]) => !own.some((face) => face.has(sign.codePointAt(0) ?? 0)))
        expect(missing).toEqual([])
      })
  }
})
