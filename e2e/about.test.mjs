// About, in the settings: the tables in force with their rows, sources and days, as `cwl db tables` says them.

import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ENV, LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY } from './page.mjs'
import { after, before, test } from './runner.mjs'

const CONFIG = join(ENV.XDG_CONFIG_HOME, 'cwl-inspector')
const OWN = '[[row]]\nname = "mine"\nformats = ["pi"]\nmodels = ["*my-model*"]\ncarried = "never"\nsource = "its page"\n'

let stage
before(async () => (stage = await Stage.start()))
after(async () => {
  await rm(join(CONFIG, 'carried.toml'), { force: true })
  await stage?.stop()
})

test('each table tells its rows with source and day, those of the user first', { timeout: LIMIT }, async () => {
  await mkdir(CONFIG, { recursive: true })
  await writeFile(join(CONFIG, 'carried.toml'), OWN)
  const { tables } = JSON.parse(await cwl('db', 'tables', '--json'))
  const app = await stage.open([])
  const about = await until('About is there', async () => {
    const told = await app.run(`
      return [...document.querySelectorAll('[data-testid="about"] [data-testid^="rows-"]')].map((rows) => [
        rows.dataset.testid.slice('rows-'.length), [...rows.querySelectorAll('li')].map((row) => row.textContent)])
    `)
    if (told.length > 0) return new Map(told)
    await app.press(',', KEY.control)
    return null
  })
  assert.deepEqual([...about.keys()], tables.map(({ name }) => name))
  for (const { name, rows } of tables) {
    const told = rows.map((row) => {
      const parts = [`${row.name}: ${row.says}`, row.as_of ?? 'no day', row.source ?? 'no source']
      return [...parts, ...(row.is_own ? ['yours'] : [])].join('; ')
    })
    assert.deepEqual(about.get(name), told, name)
  }
  assert.equal(about.get('carried')[0], 'mine: never: *my-model* of pi; no day; its page; yours')
})
