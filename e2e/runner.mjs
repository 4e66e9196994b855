// `test`, `before` and `after` of the test files: those of Playwright Test in a browser, Node's own in the window. So one file runs
// in both.

import { IS_ALL, KIND, LIMIT, emptyHome } from './ground.mjs'

/** The acts after each test, whichever file it is in. */
const afterwards = []

/** Does `act` after each test; a test during which it throws is red. */
export const afterEach = (act) => afterwards.push(act)

const { declare, before, after } = KIND === 'browser' ? await playwright() : await node()

export { after, before }

/**
 * Declares a test. Its options: `timeout` in milliseconds; `skip`, a reason to leave it out here; `window`, true if the gate runs
 * it in the window and not in a browser; `all`, true if only `make test-all` runs it. `act` is given the test: `after` does
 * something when it has ended, `diagnostic` tells a line.
 */
export function test(name, ...more) {
  const act = more.pop()
  const { timeout = LIMIT, skip = false, window = false, all = false } = more[0] ?? {}
  const isWanted = IS_ALL || (KIND === 'window' ? window : !all && !window)
  if (isWanted) declare(name, { timeout, skip }, act)
}

async function playwright() {
  const { test: plain } = await import('../ui/node_modules/@playwright/test/index.mjs')
  const complaints = async ({}, use) => {
    await use()
    for (const act of afterwards) await act()
  }
  const declared = plain.extend({ complaints: [complaints, { auto: true }] })
  return {
    declare(name, { timeout, skip }, act) {
      if (skip) return declared.skip(name, { annotation: { type: 'skip', description: String(skip) } }, () => undefined)
      declared(name, async ({}, info) => {
        info.setTimeout(timeout)
        const ends = []
        const diagnostic = (description) => info.annotations.push({ type: 'diagnostic', description })
        try {
          await act({ diagnostic, after: (end) => ends.push(end) })
        } finally {
          for (const end of ends.reverse()) await end()
        }
      })
    },
    // A worker runs several files, one after another, and each begins as on a new machine.
    before: (act) =>
      declared.beforeAll(async () => {
        emptyHome()
        await act()
      }),
    after: (act) => declared.afterAll(() => act()),
  }
}

async function node() {
  const node = await import('node:test')
  node.afterEach(async () => {
    for (const act of afterwards) await act()
  })
  return { declare: node.test, before: node.before, after: node.after }
}
