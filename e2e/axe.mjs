// Checks the page with axe, for people who do not see it or do not use a pointer.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ROOT, until } from './app.mjs'

const AXE = join(ROOT, 'ui/node_modules/axe-core/axe.min.js')

/** The rules whose answer depends on colours and sizes. The others read the document, which is the same in every look. */
const OF_LOOKS = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable']

/** Returns the findings of axe on the page as it is: of all rules, or of those that depend on how the page looks. */
export async function violations(app, { all = true } = {}) {
  await app.run(
    `if (window.axe === undefined) {
      ${await readFile(AXE, 'utf8')}
    }
    window.cwlAxe = null
    setTimeout(() => axe.run(document, arguments[0]).then(
      ({ violations, passes }) => (window.cwlAxe = {
        nPasses: passes.length,
        found: violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target).join(' ')),
      }),
      (error) => (window.cwlAxe = { nPasses: 0, found: [String(error)] }),
    ))
    return 1`,
    all ? {} : { runOnly: OF_LOOKS },
  )
  const { nPasses, found } = await until('axe is through', () => app.run('return window.cwlAxe'), 60_000)
  assert.ok(nPasses > (all ? 10 : 0) || found.length > 0, 'axe looked at something')
  return found
}
