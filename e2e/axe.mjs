// Checks the page with axe, for people who do not see it or do not use a pointer.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ROOT, until } from './app.mjs'

const AXE = join(ROOT, 'ui/node_modules/axe-core/axe.min.js')

/** The rules whose answer depends on colours and sizes. The others read the document, which is the same in every look. */
const OF_LOOKS = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable']

let source

/**
 * Puts axe into the page, with a function `cwlAxe` that looks. Contrast is judged of texts, too, that axe leaves to a person by
 * default: those in a box with a drawn edge or mark (`::before`), and those of one sign.
 */
async function put(app) {
  source ??= await readFile(AXE, 'utf8')
  await app.run(`${source}
    axe.configure({ checks: [{ id: 'color-contrast', options: {
      ignorePseudo: true, ignoreLength: true, ignoreUnicode: false, pseudoSizeThreshold: 0.25, shadowOutlineEmMax: 0.2,
      textStrokeEmMin: 0.03, boldValue: 700, boldTextPt: 14, largeTextPt: 18,
      contrastRatio: { normal: { expected: 4.5 }, large: { expected: 3 } },
    } }] })
    const thrown = ({ any, all, none }) => [...any, ...all, ...none].find(({ id }) => id === 'error-occurred')
    /** Marks the elements of the parts that scroll around an element and that are not in view: axe gives a rule up at such a place. */
    const markUnseen = (element) => {
      const scrolls = (part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight
      const parts = [document.body]
      for (let part = element.parentElement; part; part = part.parentElement) if (scrolls(part)) parts.push(part)
      const edges = parts.map((part) => part.getBoundingClientRect())
      const most = (side) => Math.max(...edges.map((edge) => edge[side]))
      const least = (side) => Math.min(...edges.map((edge) => edge[side]))
      for (const inner of (parts[1] ?? document.body).querySelectorAll('*')) {
        const { left, right, top, bottom } = inner.getBoundingClientRect()
        const [x, y] = [(left + right) / 2, (top + bottom) / 2]
        if (x < most('left') || x > least('right') || y < most('top') || y > least('bottom')) inner.setAttribute('data-axe-unseen', '')
      }
    }
    window.cwlAxe = async (options, nTries = 4) => {
      const { violations, passes, incomplete } = await axe.run({ exclude: ['[data-axe-unseen]'] }, options)
      const failed = incomplete.flatMap(({ id, nodes }) => nodes.filter(thrown).map((node) => ({ id, node })))
      if (failed.length > 0 && nTries > 0) {
        for (const { node } of failed) markUnseen(document.querySelector(node.target.join(' ')))
        return window.cwlAxe(options, nTries - 1)
      }
      for (const marked of document.querySelectorAll('[data-axe-unseen]')) marked.removeAttribute('data-axe-unseen')
      // A tooltip belongs to its element, wherever it stands in the document.
      const isTip = ({ target }) => document.querySelector(target.join(' '))?.closest('[role=tooltip]')
      const faults = violations
        .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => id !== 'region' || !isTip(node)) }))
        .filter(({ nodes }) => nodes.length > 0)
      return {
        nPasses: passes.length,
        found: [
          ...faults.map(({ id, nodes }) => id + ': ' + nodes.map(({ target, any }) => target + (any[0]?.data?.contrastRatio ? ' (' + any[0].data.contrastRatio + ')' : '')).join(' ')),
          ...failed.map(({ id, node }) => id + ' was given up at ' + node.target + ': ' + thrown(node).data.message),
        ],
      }
    }
    return 1`)
}

/** Returns the findings of axe on the page as it is: of all rules, or of those that depend on how the page looks. */
export async function violations(app, { all = true } = {}) {
  if (!(await app.run('return window.cwlAxe !== undefined'))) await put(app)
  await app.run(
    `window.cwlFound = null
    // Of rules that hold one place each is enough.
    const options = { ...arguments[0], resultTypes: ['violations', 'incomplete'] }
    setTimeout(() => window.cwlAxe(options).then(
      (found) => (window.cwlFound = found),
      (error) => (window.cwlFound = { nPasses: 0, found: [String(error)] }),
    ))
    return 1`,
    all ? {} : { runOnly: OF_LOOKS },
  )
  const { nPasses, found } = await until('axe is through', () => app.run('return window.cwlFound'), 60_000)
  assert.ok(nPasses > (all ? 10 : 0) || found.length > 0, 'axe looked at something')
  return found
}
