// A session marked by the reader that the user's settings name: in the window, and not by a page in a browser.

import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ENV, KIND, LIMIT, Stage, until } from './app.mjs'
import { cwlIn } from './ground.mjs'
import { shown, textOf } from './page.mjs'
import { after, before, test } from './runner.mjs'

const options = { timeout: LIMIT, window: true, skip: KIND !== 'window' && 'a page in a browser starts no reader' }
const CONFIG = join(ENV.XDG_CONFIG_HOME, 'cwl-inspector')
const SETTINGS = join(CONFIG, 'settings.toml')
const SAMPLE = 'claude-code/compaction'

/** Clean marks of the sample. */
const MARKS = {
  episodes: [
    { name: 'look', type: 'expl', first: 4, last: 19, description: 'The pool keeps idle connections.' },
    { name: 'fix', type: 'act', first: 21, last: 29, dependencies: ['look'] },
    { name: 'note', type: 'act', first: 34, last: 40, dependencies: [] },
  ],
}

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Presses what has this test id, once it is there. */
const press = (app, testid) =>
  until(`${testid} can be pressed`, () =>
    app.run(
      `
      const button = document.querySelector('[data-testid="' + arguments[0] + '"]')
      if (!button || button.disabled) return false
      button.click()
      return true
    `,
      testid,
    ),
  )

const isThere = (app, testid) => app.run(`return !!document.querySelector('[data-testid="' + arguments[0] + '"]')`, testid)

/** Names a shell script as the reader; its name is that of the marks. */
async function nameReader(name, script) {
  const file = join(await stage.folder(), name)
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
  await mkdir(CONFIG, { recursive: true })
  await writeFile(SETTINGS, `reader = ["${file}", "$(touch x)"]\n`)
  return file
}

/** Opens the sample, and the dialog. */
async function openDialog() {
  const file = await stage.sample(SAMPLE)
  const dataDir = join(await stage.folder(), 'data')
  const app = await stage.open([file], { dataDir })
  await until('the graph is drawn', () => shown(app))
  await press(app, 'graph-marks')
  await press(app, 'marks-reader')
  await until('the dialog is there', () => isThere(app, 'reader-dialog'))
  return { app, file, dataDir }
}

test('without a reader the settings are told, then the command before it starts, and its marks are shown', options, async () => {
  await rm(SETTINGS, { force: true })
  const { app, file, dataDir } = await openDialog()
  const none = await until('the way out is told', async () => (await isThere(app, 'reader-none')) && textOf(app, 'reader-none'))
  assert.ok(none.includes(SETTINGS) && none.includes('reader = ["claude", "-p"]'), none)

  const prompt = join(await stage.folder(), 'prompt')
  const reader = await nameReader('good-reader', `cat > '${prompt}'; echo Here:; echo '${JSON.stringify(MARKS)}'`)
  await press(app, 'reader-look')
  const says = await until('it is told what would go', async () => (await isThere(app, 'reader-says')) && textOf(app, 'reader-says'))
  assert.match(says, /^1 prompt, [\d,]+ tokens: .*with secrets, names and paths redacted.*be billed for it\.$/)
  assert.equal(await textOf(app, 'reader-command'), `${reader} '$(touch x)'`)
  assert.equal(await readFile(prompt).catch(() => null), null, 'nothing was started')

  await press(app, 'reader-start')
  await until('its marks are shown', async () => {
    const annotation = await app.run(`return document.querySelector('[data-testid="annotation"]')?.dataset.value`)
    return annotation === 'good-reader' && !(await isThere(app, 'reader-dialog'))
  })
  assert.ok((await readFile(prompt, 'utf8')).startsWith('How to mark the episodes of this session'))
  assert.equal(await cwlIn(dataDir, 'annotate', file, '--list'), 'good-reader  3 marks, by good-reader\n')
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('what is wrong with the answers is listed with the draft, and a reader can be stopped', options, async () => {
  const odd = { episodes: MARKS.episodes.slice(0, 2) }
  await nameReader('odd-reader', `cat > /dev/null; echo '${JSON.stringify(odd)}'`)
  const { app, file, dataDir } = await openDialog()
  await press(app, 'reader-start')
  const refused = await until('it is refused', async () => (await isThere(app, 'reader-refused')) && textOf(app, 'reader-refused'))
  assert.match(refused, /Nothing was saved: 3 answers in a row had problems\./)
  assert.match(refused, /line 36: 1 call on line 36 belongs to no episode/i)
  const draft = JSON.parse(await readFile(await textOf(app, 'reader-draft'), 'utf8'))
  assert.deepEqual(draft.episodes.map(({ name }) => name), ['look', 'fix'])

  await nameReader('slow-reader', 'exec sleep 600')
  await press(app, 'reader-cancel')
  await press(app, 'marks-reader')
  await press(app, 'reader-start')
  await until('its first try is told', async () => (await isThere(app, 'reader-attempt')) && (await textOf(app, 'reader-attempt')).includes('try 1 of 3'))
  await press(app, 'reader-cancel')
  await until('it was stopped', async () => (await isThere(app, 'reader-refused')) && (await textOf(app, 'reader-refused')).includes('it was stopped'))

  await writeFile(SETTINGS, 'raeder = ["claude"]\n')
  await press(app, 'reader-cancel')
  await press(app, 'marks-reader')
  const failure = await until('a setting that is not understood is told', async () => (await isThere(app, 'reader-failure')) && textOf(app, 'reader-failure'))
  assert.ok(failure.includes('line 1: unknown field `raeder`') && failure.includes(SETTINGS), failure)
  await rm(SETTINGS)
  assert.equal(await cwlIn(dataDir, 'annotate', file, '--list'), '', 'nothing was saved')
})

test('a page in a browser has no such button', { timeout: LIMIT, skip: KIND === 'window' && 'it is there in the window' }, async () => {
  await nameReader('browser-reader', 'cat')
  const app = await stage.open([await stage.sample(SAMPLE)])
  await until('the graph is drawn', () => shown(app))
  await press(app, 'graph-marks')
  await until('the set of marks is there', () => isThere(app, 'marks-set'))
  assert.equal(await isThere(app, 'marks-reader'), false)
  await rm(SETTINGS)
})
