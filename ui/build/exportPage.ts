import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, type Plugin } from 'vite'

import { scaleWithText } from './scale.ts'
import { stepClasses } from './steps.ts'

const NAME = 'virtual:export-page'
const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Unpacks the script of the page and runs it. The policy names both by their hashes. */
const LOADER = `
const letters = atob(document.getElementById('script').textContent)
const bytes = new Uint8Array(letters.length)
for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at)
const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
const script = document.createElement('script')
script.type = 'module'
script.textContent = await new Response(unpacked).text()
document.body.append(script)
`
const hashOf = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`

/** An exported page does not export in turn, so it gets an empty template. */
export const withoutExportPage: Plugin = {
  name: 'without-export-page',
  resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
  load: (id) => (id === `\0${NAME}` ? "export default ''" : undefined),
}

/**
 * Builds the page for exports: one file with its script, styles and fonts in it, and a policy that lets nothing run but these
 * and the engine, which a worker made of the page's script runs, and nothing be loaded. The window has its text as a module; `cwl` finds it beside the other files.
 */
async function pageOf(): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [react({ jsxImportSource: '#page' }), withoutExportPage],
    root: here('.'),
    css: { postcss: { plugins: [stepClasses, scaleWithText] } },
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: () => true,
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 4000,
      rolldownOptions: { input: here('src/export/main.tsx'), output: { codeSplitting: false } },
    },
  })
  const files = (Array.isArray(output) ? output : [output]).flatMap((one) =>
    'output' in one ? one.output : [],
  )
  const scripts = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : []))
  const styles = files.flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
  )
  const [script, style] = [scripts[0], styles[0]]
  if (scripts.length !== 1 || styles.length !== 1 || script === undefined || style === undefined)
    throw new Error(`the page for exports is made of ${files.map((file) => file.fileName).join(', ')}`)
  const look = style.replaceAll(/<\/style/gi, '<\\/style')
  // Packed it has less than half the size, and no text in it can end its element.
  const packed = gzipSync(script, { level: 9 }).toString('base64')
  const policy = [
    "default-src 'none'",
    'worker-src blob:',
    `script-src 'wasm-unsafe-eval' ${hashOf(LOADER)} ${hashOf(script)}`,
    `style-src ${hashOf(look)}`,
    'img-src data: blob:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const html = await readFile(here('export.html'), 'utf8')
  // The replacements are functions, because the inserted text may hold `$`.
  return html
    .replace(
      '<meta charset="utf-8" />',
      (charset) => `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    )
    .replace('</title>', (end) => `${end}\n    <style>${look}</style>`)
    .replace(
      /<script type="module" src="[^"]*"><\/script>/,
      () =>
        `<script id="script" type="text/plain">${packed}</script><script type="module">${LOADER}</script>`,
    )
}

export function exportPage(): Plugin {
  let page: Promise<string> | undefined
  return {
    name: 'export-page',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return undefined
      page ??= pageOf()
      const source = await page
      if (this.meta.watchMode === false && 'emitFile' in this)
        this.emitFile({ type: 'asset', fileName: 'export.html', source })
      return `export default ${JSON.stringify(source)}`
    },
  }
}
