// Checks the page with axe, for people who do not see it or do not use a pointer.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ROOT, until } from './app.mjs'

const AXE = join(ROOT, 'ui/node_modules/axe-core/axe.min.js')

/** Returns the findings of axe on the page as it is. */
export async function violations(app) {
  await app.run(`
    ${await readFile(AXE, 'utf8')}
    window.cwlAxe = null
    setTimeout(() => axe.run(document).then(
      ({ violations, passes }) => (window.cwlAxe = {
        nPasses: passes.length,
        found: violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target).join(' ')),
      }),
      (error) => (window.cwlAxe = { nPasses: 0, found: [String(error)] }),
    ))
    return 1
  `)
  const { nPasses, found } = await until('axe is through', () => app.run('return window.cwlAxe'), 60_000)
  assert.ok(nPasses > 10 || found.length > 0, 'axe looked at something')
  return found
}
