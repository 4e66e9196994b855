import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

import { scaleWithText } from './build/scale.ts'
import { stepClasses } from './build/steps.ts'
import { exportPage } from './build/exportPage.ts'
import { bundleLimit } from './build/limit.ts'

export default defineConfig({
  plugins: [react({ jsxImportSource: '#page' }), exportPage(), bundleLimit],
  // Relative, so that the same bundle opens from the app's own scheme and from a file server.
  base: './',
  css: { postcss: { plugins: [stepClasses, scaleWithText] } },
  build: {
    target: 'es2022',
    // A small font would become a data: address, which the policy of the window refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // `bundleLimit` measures what loads at once; the page for exports is one piece.
    chunkSizeWarningLimit: 2000,
  },
  // A process of its own for each of a hundred files would take five times as long as all tests. The limit is for a test that
  // hangs: `make test` runs these beside the compiler.
  test: { include: ['{src,build}/**/*.test.ts'], environment: 'node', isolate: false, testTimeout: 120_000 },
})
