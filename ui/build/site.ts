// Builds the page without a host (`make site`): static files for any web server, with the engine as WebAssembly in them.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

import { withoutExportPage } from './exportPage.ts'
import { bundleLimit } from './limit.ts'
import { scaleWithText } from './scale.ts'
import { stepClasses } from './steps.ts'

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const given = (name: string) => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set; make site sets it`)
  return resolve(here('..'), value)
}

/** The policy of the page: run its own scripts and the engine, and load files of its own origin. A worker is made of the script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const policyInPage: Plugin = {
  name: 'policy-in-page',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
      injectTo: 'head-prepend',
    },
  ],
}

export default defineConfig({
  root: here('site'),
  plugins: [react({ jsxImportSource: '#page' }), withoutExportPage, policyInPage, bundleLimit],
  // Relative, so that the files work in any folder of a server.
  base: './',
  resolve: { alias: [{ find: /^cwl-engine\.wasm/, replacement: given('CWL_ENGINE') }] },
  css: { postcss: { plugins: [stepClasses, scaleWithText] } },
  build: {
    outDir: given('CWL_SITE'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
})
