import { gzipSync } from 'node:zlib'

import type { Plugin } from 'vite'

/** How many bytes, packed with gzip, a page may load before it shows anything: scripts and styles, without fonts. */
const MOST_BYTES = 350_000

interface BundlePart {
  type: 'chunk' | 'asset'
  isEntry?: boolean
  imports?: string[]
  code?: string
  source?: string | Uint8Array
  viteMetadata?: { importedCss: Set<string> }
}

/** Returns the names of what an entry loads at once: its script, the scripts that it imports, and their styles. */
export function loadedAtOnce(parts: Readonly<Record<string, BundlePart>>): string[] {
  const names = new Set<string>()
  const add = (name: string) => {
    const part = parts[name]
    if (!part || names.has(name)) return
    names.add(name)
    for (const other of [...(part.imports ?? []), ...(part.viteMetadata?.importedCss ?? [])]) add(other)
  }
  for (const [name, part] of Object.entries(parts)) if (part.isEntry) add(name)
  return [...names]
}

const packed = ({ code, source = '' }: BundlePart) => gzipSync(code ?? source, { level: 9 }).length

/** Refuses a build whose page loads more at once than it may: what is not needed first is imported when it is. */
export const bundleLimit: Plugin = {
  name: 'bundle-limit',
  apply: 'build',
  writeBundle(_, bundle) {
    const parts = bundle as Readonly<Record<string, BundlePart>>
    const sizes = loadedAtOnce(parts).map((name) => [name, packed(parts[name] as BundlePart)] as const)
    const sum = sizes.reduce((all, [, bytes]) => all + bytes, 0)
    this.info(
      `${Math.round(sum / 1000)} KB load at once: ${sizes.map(([name, bytes]) => `${name} ${Math.round(bytes / 1000)}`).join(', ')}`,
    )
    if (sum > MOST_BYTES) this.error(`the page loads ${sum} bytes at once, and may load ${MOST_BYTES}`)
  },
}
