// The presenter's script: every row of the table in docs/demo.md is done as it stands there, and what it promises is on the screen.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { KIND, LIMIT, ROOT, Stage, keepPicture, until } from './app.mjs'
import { KEY } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const KEYS = { space: KEY.space, Esc: KEY.escape, End: KEY.end }

/** The rows of the script: what is done, and the words that must then be on the screen. */
async function script() {
  const text = await readFile(join(ROOT, 'docs/demo.md'), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| \d+:\d\d /.test(line))
  return rows.map((row) => {
    const [, at, does, shows] = row.split('|').map((cell) => cell.trim())
    const acts = [...does.matchAll(/<kbd>([^<]+)<\/kbd>|\*\*([^*]+)\*\*|`([^`]+)`/g)].map(([, key, name, run]) => ({ key, name, run }))
    return { at, does, acts, shows: [...shows.matchAll(/`([^`]+)`/g)].map(([, words]) => words) }
  })
}

/** The arguments with which `make demo` starts the window. */
async function argumentsOf(target) {
  const makefile = await readFile(join(ROOT, 'Makefile'), 'utf8')
  const [, recipe] = new RegExp(`^${target}:.*\\n((?:\\t.*\\n)+)`, 'm').exec(makefile) ?? []
  const [, args] = /cwl-inspector (.+)/.exec(recipe ?? '') ?? []
  assert.ok(args, `make ${target} starts the window`)
  return args.trim().split(' ')
}

/** All that a person reads or hears: the words on the page, and the names of its buttons. */
const screen = (app) =>
  app.run(`
    const names = [...document.querySelectorAll('[aria-label]')].filter((one) => one.getClientRects().length > 0)
    return [document.body.innerText, ...names.map((one) => one.getAttribute('aria-label')),
      ...[...document.querySelectorAll('svg text')].map((one) => one.textContent)].join('\\n').replace(/\\s+/g, ' ')
  `)

/** Presses the first button or tab of that name that is in view. */
const press = (app, name) =>
  app.run(
    `
    const found = [...document.querySelectorAll('button, [role=tab]')].find(
      (one) => one.getClientRects().length > 0 && one.innerText.trim() === arguments[0])
    found?.click()
    return !!found
  `,
    name,
  )

test('every step of the script is on the screen', { timeout: 3 * LIMIT, all: true }, async () => {
  const steps = await script()
  assert.ok(steps.length > 6, 'the script is read')
  let app
  for (const { at, does, acts, shows } of steps) {
    assert.ok(acts.length > 0 && shows.length > 0, `${at} says what to do and what is seen`)
    for (const [n, { key, name, run }] of acts.entries()) {
      if (run !== undefined) {
        const [make, target] = run.split(' ')
        assert.equal(make, 'make')
        const [file, ...more] = await argumentsOf(target)
        app = await stage.open([join(ROOT, file), ...more])
      } else if (key === 'Shift') {
        assert.ok(acts[n + 1]?.key, 'Shift stands before another key')
      } else if (key !== undefined) {
        await app.run('document.activeElement?.blur(); return 1')
        await app.press(KEYS[key] ?? (acts[n - 1]?.key === 'Shift' ? key : key.toLowerCase()))
      } else {
        await until(`${name} is there`, () => press(app, name))
      }
    }
    for (const words of shows) {
      let last = ''
      await until(`${at}, after “${does}”, the screen shows “${words}”`, async () => {
        last = await screen(app)
        return last.includes(words)
      }).catch((error) => {
        throw new Error(`${error.message}\n${last.slice(0, 3000)}`, { cause: error })
      })
    }
    if (KIND === 'browser') await keepPicture(app, `demo-${at.replace(':', '-')}`)
  }
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})
