/** A part of a text that is code, and in which language. */
export interface Code {
  from: number
  to: number
  language: string
}

/** The languages that code is coloured as, by the names that people give them. */
const NAMES: Record<string, string> = {
  bash: 'bash', sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', fish: 'bash',
  c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', hpp: 'cpp', 'c++': 'cpp',
  css: 'css', scss: 'css', less: 'css',
  diff: 'diff', patch: 'diff',
  go: 'go', golang: 'go',
  html: 'xml', htm: 'xml', xml: 'xml', svg: 'xml', vue: 'xml', svelte: 'xml',
  ini: 'ini', toml: 'ini', cfg: 'ini', conf: 'ini',
  java: 'java', kt: 'java', kotlin: 'java',
  js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript', javascript: 'javascript',
  json: 'json', jsonl: 'json', json5: 'json', jsonc: 'json',
  md: 'markdown', markdown: 'markdown', mdx: 'markdown',
  py: 'python', python: 'python', pyi: 'python', python3: 'python',
  rs: 'rust', rust: 'rust',
  sql: 'sql', sqlite: 'sql', psql: 'sql',
  ts: 'typescript', tsx: 'typescript', mts: 'typescript', cts: 'typescript', typescript: 'typescript',
  yaml: 'yaml', yml: 'yaml',
} // prettier-ignore

/** Files that are named otherwise than by what is in them. */
const FILES: Record<string, string> = {
  '.bashrc': 'bash',
  '.profile': 'bash',
  '.zshrc': 'bash',
  'cargo.lock': 'ini',
}

const own = (table: Record<string, string>, name: string): string | null =>
  Object.hasOwn(table, name) ? (table[name] ?? null) : null

/** The language of a name such as a fence has it. */
export const languageNamed = (name: string): string | null => own(NAMES, name.toLowerCase())

/** The language of a file, by its name. */
export function languageOfPath(path: string): string | null {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? ''
  const known = own(FILES, name)
  if (known !== null) return known
  const dot = name.lastIndexOf('.')
  return dot < 0 ? null : languageNamed(name.slice(dot + 1))
}

/** The language that the beginning of a text tells: a shebang, a patch, a value of JSON. */
export function languageOfText(text: string): string | null {
  const line = text.slice(0, 200).split('\n', 1)[0] ?? ''
  const program = /^#!\s*(?:\S*\/)?(?:env\s+(?:-S\s+)?)?([a-z]+)/.exec(line)?.[1]
  if (program !== undefined) return program === 'node' ? 'javascript' : languageNamed(program)
  if (/^(diff --git |--- \S|@@ -\d|Index: )/.test(text)) return 'diff'
  const start = text.trimStart()
  if ((start.startsWith('{') || start.startsWith('[')) && text.length < 100_000) {
    try {
      JSON.parse(text)
      return 'json'
    } catch {
      return null
    }
  }
  return null
}

/** The code that sentences quote: what stands between fences that name a language. */
export function fencesOf(text: string): Code[] {
  const found: Code[] = []
  if (!text.includes('```') && !text.includes('~~~')) return found
  let open: { mark: string; language: string | null; from: number } | null = null
  let at = 0
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line)
    if (open === null) {
      if (fence?.[1]) {
        open = { mark: fence[1], language: languageNamed(fence[2] ?? ''), from: at + line.length + 1 }
      }
    } else if (fence?.[1]?.startsWith(open.mark) && line.trim() === fence[1]) {
      if (open.language !== null && at > open.from)
        found.push({ from: open.from, to: at, language: open.language })
      open = null
    }
    at += line.length + 1
  }
  if (open?.language && open.from < text.length) {
    found.push({ from: open.from, to: text.length, language: open.language })
  }
  return found
}
