// No button is dead: each one in view of an open session is pressed with the pointer, and something of the page is then another.

import assert from 'node:assert/strict'

import { LIMIT, SAMPLES, Stage, until } from './app.mjs'
import { KEY, shown, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** In the middle of a pass: there is a step before and one after. */
const PLACE = { session: `${SAMPLES}/pi/long/input.jsonl`, turn: '236', step: '12', tau: '60k' }

/** Returns the names of all buttons and tabs in view outside of lists, in their order. */
const buttonsOf = (app) =>
  app.run(`
    const isInView = (button) => {
      const { left, top, right, bottom } = button.getBoundingClientRect()
      return right > left && button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
    }
    return [...document.querySelectorAll('button, [role=tab]')]
      .filter((button) => !button.closest('.rows, [role=tabpanel], [data-testid=sentence]') && !button.disabled && isInView(button))
      .map((button) => button.dataset.testid ?? button.ariaLabel ?? button.textContent)
  `)

/**
 * Returns all that a press can change, as one text: words, fields, states, what is there, the look, the drawings. Tooltips
 * and announcements are left out, because they follow an earlier press or the pointer some time later.
 */
const stateOf = (app) =>
  app.run(`
    const states = ['aria-pressed', 'aria-selected', 'aria-expanded', 'aria-checked', 'aria-label', 'data-testid', 'role']
    const late = '[role=tooltip], [data-testid=spoken]'
    const all = [...document.body.querySelectorAll('*')].filter((one) => !one.closest(late))
    const parts = all.map((one) => states.map((name) => one.getAttribute(name) ?? '').join())
    const words = all
      .flatMap((one) => [...one.childNodes])
      .filter((node) => node.nodeType === Node.TEXT_NODE && node.parentElement.checkVisibility())
      .map((node) => node.data)
    const drawn = [...document.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL())
    const fields = [...document.querySelectorAll('input')].map((field) => field.value + field.checked)
    const { theme } = document.documentElement.dataset
    return [theme, location.search, words.join(), fields.join(), parts.join(';'), ...drawn].join('|')
  `)

/** Waits until nothing changes by itself, and no short message is left that would go by itself, and returns the state. */
async function stillState(app) {
  let last
  return until('the page stands still', async () => {
    if (await app.run(`return document.querySelector('[data-testid=said]') !== null`)) return false
    const now = await stateOf(app)
    const isSame = now === last
    last = now
    return isSame && now
  })
}

/** Presses the first button of that name, by the pointer. */
async function press(app, name) {
  const isThere = await app.run(
    `document.querySelector('[data-e2e-button]')?.removeAttribute('data-e2e-button')
    const button = [...document.querySelectorAll('button, [role=tab]')].find(
      (one) => (one.dataset.testid ?? one.ariaLabel ?? one.textContent) === arguments[0] && one.getClientRects().length > 0)
    button?.setAttribute('data-e2e-button', '')
    return !!button`,
    name,
  )
  if (isThere) await app.click('[data-e2e-button]')
  return isThere
}

test('each button in view does something', { timeout: 2 * LIMIT, window: true, all: true }, async () => {
  const app = await stage.open([`cwl-inspector://open?${new URLSearchParams(PLACE)}`])
  await until('the graph is drawn', () => shown(app))
  await untilAt(app, 'the place of the link', ({ turn, step }) => turn === 236 && step === 12)
  const names = await buttonsOf(app)
  const [dead, gone] = [[], []]
  const isOpen = `return document.querySelector('[role=dialog], [role=menu], .popup[data-open], .presentation, .modal-back') !== null`
  for (const name of names) {
    // A dialog may open after the page has begun to change, and the presentation loads when it is first shown.
    await until('no dialog is open and the tabs are there', async () => {
      await stillState(app)
      const open = await app.run(isOpen)
      if (open) await app.press(KEY.escape)
      return !open && (await app.run(`return document.querySelector('.tabs [role=tab]') !== null`))
    })
    // Each begins at the first tab, and from nearer where it may lead out.
    if (!name.startsWith('tab-')) await app.run(`document.querySelector('.tabs [role=tab]').click()`)
    if (/^(Zoom|Show the whole)/.test(name)) await app.press('+')
    const before = await stillState(app)
    const isSelected = () => app.run(`return document.querySelector('[data-e2e-button]').ariaSelected === 'true'`)
    if (!(await press(app, name))) {
      gone.push(name)
      continue
    }
    // The tab that is open already may stay as it is.
    if (name === names.find((one) => one.startsWith('tab-')) && (await isSelected())) continue
    await until(`${name} does something`, async () => (await stateOf(app)) !== before, 5_000).catch(() => dead.push(name))
    // Escape closes a dialog; another press brings back whatever went, and stops the playing.
    for (let n = 0; n < 3 && (await app.run(isOpen)); n += 1) await app.press(KEY.escape)
    const isOn = await app.run(`return document.querySelector('[data-e2e-button]')?.ariaPressed === 'true'`)
    const there = await buttonsOf(app)
    if (isOn || names.some((one) => !there.includes(one))) await app.run(`document.querySelector('[data-e2e-button]')?.click()`)
  }
  assert.deepEqual({ dead, gone }, { dead: [], gone: [] })
  assert.ok(names.length > 25, `${names.length} buttons were pressed: ${names.join(', ')}`)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})
