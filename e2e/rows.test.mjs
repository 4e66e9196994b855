// A row of a list, and the tools that show when it is pointed at or has the keyboard.

import assert from 'node:assert/strict'
import { join } from 'node:path'

import { LIMIT, SAMPLES, Stage, until } from './app.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

test('the tools of a row hide the words below them', { timeout: LIMIT }, async () => {
  const app = await stage.open([join(SAMPLES, 'pi/long/input.jsonl'), '--budget', '40000'], { width: 1000, height: 700 })
  const seen = await until('a row has its tools', () =>
    app.run(`
      const tools = document.querySelector('.block .block-tools')
      tools?.querySelector('button')?.focus()
      if (!tools || getComputedStyle(tools).opacity !== '1') return null
      return [...tools.children].map((tool) => [tool.ariaLabel || tool.textContent, getComputedStyle(tool).backgroundColor])
    `),
  )
  assert.ok(seen.length > 2, 'the tools are found')
  const through = seen.filter(([, colour]) => colour === 'transparent' || /, 0\)$/.test(colour))
  assert.deepEqual(through, [], 'no tool lets words through')
})
