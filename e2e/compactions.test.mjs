// The Compactions tab: what each compaction took, what was needed again, what others would have kept, and the text to copy.

import assert from 'node:assert/strict'

import { KIND, LIMIT, Stage, cwl, until } from './app.mjs'
import { violations } from './axe.mjs'
import { clickOn, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Opens a sample at the tab, and returns the page. */
async function open(sample) {
  const file = await stage.sample(sample)
  const app = await stage.open([file])
  await until('the tab is there', () =>
    app.run(`return !!document.querySelector('[data-testid="tab-compactions"]')`),
  )
  await clickOn(app, 'tab-compactions')
  return { app, file }
}

/** The cards as the page shows them. */
const cards = (app) =>
  app.run(`
    return [...document.querySelectorAll('[data-testid="compaction"]')].map((card) => ({
      turn: Number(card.dataset.turn),
      says: [...card.querySelectorAll('.says li')].map((line) => line.textContent),
      kinds: [...card.querySelectorAll('[data-testid="kinds"] tbody tr')].map((row) => [
        row.dataset.kind,
        ...[...row.querySelectorAll('td')].map((cell) => cell.textContent),
      ]),
      names: [...card.querySelectorAll('[data-testid="needed"] tbody tr')].map((row) => [
        row.querySelector('th').textContent,
        row.dataset.fate,
      ]),
      policies: [...card.querySelectorAll('[data-testid="instead"] tbody tr')].map((row) => [
        row.dataset.policy,
        Number(row.children[1].textContent),
      ]),
      canCopy: !card.querySelector('[data-testid="recovery"]').disabled,
    }))
  `)

test('the page shows the audit that the command line prints', { timeout: LIMIT }, async () => {
  const { app, file } = await open('pi/compacted')
  const shown = await until('the audit is shown', async () => {
    const found = await cards(app)
    return found.length > 0 && found
  })
  const { compactions } = JSON.parse(await cwl('compactions', file, '--json'))
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)
  const expected = compactions.map(({ turn, says, kinds, needed, instead, after, n_recoverable }) => ({
    turn,
    says: [says.gone, says.kinds, says.questions, says.needed, says.again, says.edit].map(
      (sentence) => `${capital(sentence)}.`,
    ),
    kinds: kinds
      .filter((kind) => kind.n_all > 0)
      .map((one) => {
        const named = ['file', 'command'].includes(one.kind) ? one.n_named : ''
        return [one.kind, one.n_all, one.n_literal, named, one.n_lost, one.n_needed, one.n_needed_lost].map(
          String,
        )
      }),
    names: needed.names.map(({ name, fate }) => [name, fate]),
    policies:
      needed.n_names === 0
        ? []
        : [['the harness', needed.n_kept], ...instead.map(({ policy, n_kept }) => [policy, n_kept])],
    canCopy: n_recoverable > 0 && after > 0,
  }))
  assert.deepEqual(shown, expected)
  assert.deepEqual(await violations(app), [], 'axe finds nothing')

  await app.click('[data-testid="compaction"] .go-turn')
  await untilAt(app, 'the turn of the compaction', ({ turn }) => turn === compactions[0].turn)

  await clickOn(app, 'recovery')
  await until('the toast says what was copied', () =>
    app.run(`return document.body.textContent.includes('Copied: 4 outputs')`),
  )
  if (KIND === 'browser') {
    const copied = await app.run('return navigator.clipboard.readText()')
    assert.equal(copied.trimEnd(), (await cwl('compactions', file, '--recovery', '1')).trimEnd())
  }
})

for (const [sample, hint] of [
  ['pi/quickstart', 'This session never reached that point'],
  ['opencode/pruned', 'cleared old outputs 2 times'],
]) {
  test(`a log without compactions says so: ${sample}`, { timeout: LIMIT, all: sample !== 'pi/quickstart' }, async () => {
    const { app } = await open(sample)
    await until('the pane says that there is none, and why', () =>
      app.run(
        `
        const empty = document.querySelector('.panel .empty > :first-child')
        const isNone = empty?.textContent === 'The log records no compaction.'
        return isNone && empty.parentElement.textContent.includes(arguments[0])
      `,
        hint,
      ),
    )
  })
}
