// How Playwright Test runs the tests in a browser; `run.mjs` starts it.

import { availableParallelism } from 'node:os'

import { defineConfig } from '../ui/node_modules/@playwright/test/index.mjs'
import { LIMIT } from './ground.mjs'

export default defineConfig({
  testDir: '.',
  testMatch: '*.test.mjs',
  outputDir: '../test-output/traces',
  workers: Number(process.env.CWL_E2E_JOBS) || availableParallelism(),
  timeout: LIMIT,
  // A test that fails runs once more, to leave a trace. It is red all the same.
  retries: 1,
  failOnFlakyTests: true,
  forbidOnly: true,
  use: { trace: 'on-first-retry' },
  reporter: './reporter.mjs',
})
