// The line of a block opens in the editor that the user's settings name.

import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ENV, KIND, LIMIT, Stage, until } from './app.mjs'
import { shown } from './page.mjs'
import { after, before, test } from './runner.mjs'

const options = { timeout: LIMIT, window: true, skip: KIND !== 'window' && 'a page in a browser starts no editor' }
const CONFIG = join(ENV.XDG_CONFIG_HOME, 'cwl-inspector')

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Presses the place of the first block in view, and tells which line it says. */
function pressLine(app) {
  return until('a block with a line', () =>
    app.run(`
      const link = document.querySelector('.line-number')
      link?.click()
      return link && Number(link.textContent.replace(/[^0-9]/g, ''))
    `),
  )
}

const said = (app) => app.run(`return document.querySelector('.toasts')?.textContent ?? ''`)

test('without an editor the place is told', options, async () => {
  await rm(join(CONFIG, 'settings.toml'), { force: true })
  const file = await stage.sample('pi/quickstart')
  const app = await stage.open([file])
  await until('the graph is drawn', () => shown(app))
  const line = await pressLine(app)
  await until('the place is told', async () => (await said(app)).includes(`Line ${line} of ${file}`))
})

test('a named editor gets the log and the line, and no shell reads them', options, async () => {
  const folder = await stage.folder()
  const [editor, told] = [join(folder, 'editor'), join(folder, 'told')]
  await writeFile(editor, `#!/bin/sh\nprintf '%s\\n' "$@" > '${told}.part' && mv '${told}.part' '${told}'\n`)
  await chmod(editor, 0o755)
  await mkdir(CONFIG, { recursive: true })
  await writeFile(join(CONFIG, 'settings.toml'), `editor = ["${editor}", "--at", "{file}:{line}", "$(touch x)"]\n`)
  const file = await stage.sample('pi/quickstart')
  const app = await stage.open([file])
  await until('the graph is drawn', () => shown(app))
  const line = await pressLine(app)
  const words = await until('the editor was started', () => readFile(told, 'utf8').catch(() => null))
  assert.deepEqual(words.trimEnd().split('\n'), ['--at', `${file}:${line}`, '$(touch x)'])
  await until('it is said', async () => (await said(app)).includes('in your editor'))

  await writeFile(join(CONFIG, 'settings.toml'), 'editor = ["vi"]\n')
  await pressLine(app)
  await until('a setting that is not understood is said', async () => (await said(app)).includes('no word has {file}'))
  await rm(join(CONFIG, 'settings.toml'))
})
