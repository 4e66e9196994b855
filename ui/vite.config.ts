import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [react()],
  // Relative, so that the same bundle opens from the app's own scheme and from a file server.
  base: './',
  build: { target: 'es2022', modulePreload: { polyfill: false }, chunkSizeWarningLimit: 900 },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
})
