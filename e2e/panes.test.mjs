// The lists of blocks: find, places that are kept, the diff, images, and what the keyboard does with a block.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, setBudget, textOf } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The row at the top of a list: its place, its block, and where it begins below the upper edge. */
function topRow(app, list) {
  return app.run(
    `
    const list = document.querySelector('[data-testid="' + arguments[0] + '"]')
    if (!list) return null
    const edge = list.getBoundingClientRect().top
    const rows = [...list.querySelectorAll('.rows-place')].map((place) => {
      const { top, bottom } = place.getBoundingClientRect()
      const block = place.querySelector('[data-block]')?.dataset.block ?? null
      return { index: Number(place.dataset.index), block, top: Math.round(top - edge), bottom: bottom - edge }
    })
    rows.sort((a, b) => a.index - b.index)
    const first = rows.find(({ bottom }) => bottom > 1)
    return first && { ...first, n: Number(list.dataset.items) }
  `,
    list,
  )
}

/** Waits until the row at the top stands still, and returns it. */
async function settledTop(app, list, fits = () => true) {
  let last
  let same = 0
  return until('the row at the top stands still', async () => {
    const now = await topRow(app, list)
    same = now?.block && JSON.stringify(now) === JSON.stringify(last) ? same + 1 : 0
    last = now
    return same >= 4 && fits(now) && now
  })
}

const found = (app, testid) =>
  app.run(
    `
    const bar = document.querySelector('[data-testid="' + arguments[0] + '"]')
    return bar && { n: Number(bar.dataset.matches), number: Number(bar.dataset.number) }
  `,
    testid,
  )

async function open(args, size) {
  const app = await stage.open(args, size)
  await until('the context is shown', () => topRow(app, 'context-list').then((row) => row?.block))
  return app
}

test('a row that a person reads stays where it is when τ and the list change', { timeout: 2 * LIMIT }, async () => {
  const file = await stage.sample('pi/long')
  const app = await open([file, '--budget', '80k'])
  await app.run(`
    const list = document.querySelector('[data-testid="context-list"]')
    list.scrollTop = list.scrollHeight * 0.6
  `)
  const first = await settledTop(app, 'context-list', ({ index }) => index > 300)
  assert.ok(first.n > 1000, 'a long list')
  for (const budget of ['60k', '120k', '30k', '80k']) {
    await setBudget(app, budget)
    await until('the context is of that budget', async () =>
      (await app.run(`return document.querySelector('[data-testid="context-total"]').dataset.total`)) !== '',
    )
    const now = await settledTop(app, 'context-list')
    assert.deepEqual({ block: now.block, top: now.top }, { block: first.block, top: first.top }, budget)
  }
  await clickOn(app, 'as-sent')
  let sent = await settledTop(app, 'context-list', ({ n }) => n < first.n)
  // A description stays only while what it describes is gone.
  while (sent.block.startsWith('residue:')) {
    await app.run(`document.querySelector('[data-testid="context-list"]').scrollTop += 60`)
    sent = await settledTop(app, 'context-list')
  }
  await setBudget(app, '200k')
  const wide = await settledTop(app, 'context-list', ({ n }) => n > sent.n)
  assert.deepEqual({ block: wide.block, top: wide.top }, { block: sent.block, top: sent.top })
  assert.notEqual(wide.index, sent.index, 'it stands at another place of the list')
})

test('all of every text is searched, and a match that is folded away is opened', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/long')
  const app = await open([file, '--budget', '80k'])
  await app.press('/')
  const { items } = JSON.parse(await cwl('context', file, '--budget', '80k', '--json'))
  const times = (text) => text.toLowerCase().split('record_pass').length - 1
  const n = items.reduce((sum, { text }) => sum + times(text), 0)
  const far = items.some(({ text }) => text.toLowerCase().indexOf('record_pass') > 2000)
  assert.ok(far, 'some of it stands behind what a row shows')
  // Until the last letter is searched, the matches of the letters before it are there, of which there may be as many.
  const inView = (text = 'record_pass') =>
    until(`${text} is in view`, () =>
      app.run(
        `
        const mark = document.querySelector('mark.current')
        const list = document.querySelector('[data-testid="context-list"]').getBoundingClientRect()
        if (!mark) return false
        const { top, bottom } = mark.getBoundingClientRect()
        return top >= list.top && bottom <= list.bottom && mark.textContent === arguments[0] && { top }
      `,
        text,
      ),
    )
  await app.type('[data-find]', 'record_')
  const before = await inView('record_')
  // The mark cuts no word of the code now, which is another number of elements.
  await app.type('[data-find]', 'pass')
  assert.deepEqual(await inView(), before, 'it stays where it is while its last letters are typed')
  const { number } = await until(`it is found ${n} times, as cwl has it`, async () => {
    const now = await found(app, 'context-find')
    return now?.n === n && now
  })
  let at = number
  for (let step = 0; step < Math.min(n, 6); step += 1) {
    await inView()
    await app.press(KEY.enter)
    at = (at % n) + 1
    await until('the next match', async () => (await found(app, 'context-find')).number === at)
  }
  await clickOn(app, 'context-find-regex')
  await app.type('[data-find]', '(')
  await until('the field says what is wrong', () =>
    app.run(`return document.querySelector('.find-problem')?.textContent.includes('no regular expression')`),
  )
})

test('a diff adds up, and leads from change to change', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await open([file, '--budget', '8k'])
  await clickOn(app, 'tab-diff')
  const sums = await until('the diff is there', () =>
    app.run(`
      const sums = document.querySelector('[data-testid="diff-sums"]')?.dataset
      return sums && Object.fromEntries(Object.entries(sums).filter(([key]) => key !== 'testid').map(([k, v]) => [k, Number(v)]))
    `),
  )
  assert.equal(sums.after - sums.before, sums.added - sums.removed)
  const total = async (policy) =>
    JSON.parse(await cwl('context', file, '--budget', '8k', '--policy', policy, '--json')).total
  assert.deepEqual([sums.before, sums.after], [await total('none'), await total('cwl')], 'as cwl has it')
  await app.press('n')
  const active = () => app.run(`return document.querySelector('.rows-place.active [data-change]')?.dataset.change ?? null`)
  const change = await until('a change has the keyboard', active)
  assert.ok(['added', 'removed', 'changed'].includes(change), change)
  const runs = await app.run(`return document.querySelectorAll('[data-testid="diff-run"]').length`)
  if (runs > 0) {
    const before = await app.run(`return Number(document.querySelector('[data-testid="diff-list"]').dataset.items)`)
    const n = await app.run(`return Number(document.querySelector('[data-testid="diff-run"]').dataset.n)`)
    await app.click('[data-testid="diff-run"]')
    await until('the run is open', async () => {
      const now = await app.run(`return Number(document.querySelector('[data-testid="diff-list"]').dataset.items)`)
      return now === before + n - 1
    })
  }
})

test('the keyboard walks blocks, opens them, copies them and tells their lines', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await open([file, '--budget', '8k'])
  // It opens at its end, and stands there before it is scrolled.
  await settledTop(app, 'context-list')
  await app.run(`document.querySelector('[data-testid="context-list"]').scrollTop = 0`)
  await settledTop(app, 'context-list', ({ index }) => index === 0)
  const active = () => app.run(`return document.querySelector('.rows-place.active [data-block]')?.dataset.block ?? null`)
  await app.press('j')
  const first = await until('a block has the keyboard', active)
  await app.press('j')
  await until('the next one has it', async () => (await active()) !== first)
  await app.press('k')
  await until('the first one has it again', async () => (await active()) === first)
  const named = await app.run(`
    const list = document.querySelector('[data-testid="context-list"]')
    return document.activeElement === list && document.getElementById(list.getAttribute('aria-activedescendant')) !== null
  `)
  assert.ok(named, 'a screen reader is told which')
  const { items } = JSON.parse(await cwl('context', file, '--budget', '8k', '--json'))
  const { text, line } = items.find(({ block }) => block === first)
  await app.press('c')
  await until('it says what was copied', async () =>
    app.run(`return document.body.innerText.includes(arguments[0])`, `${[...text].length.toLocaleString('en')} characters`),
  )
  await app.press('o')
  await until('it tells the line', () => app.run(`return document.body.innerText.includes(arguments[0])`, `Line ${line} of`))
})

test('an image is shown on request, out of the log', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('pi/long')
  const { items } = JSON.parse(await cwl('context', file, '--budget', '900k', '--json'))
  const image = items.find(({ n_images }) => n_images > 0)
  assert.ok(image, 'the sample has an image')
  const app = await open([file, '--budget', '900k'])
  await app.run(
    `
    const list = document.querySelector('[data-testid="context-list"]')
    list.scrollTop = list.scrollHeight * arguments[0]
  `,
    items.indexOf(image) / items.length,
  )
  await until('the image is in the list', () =>
    app.run(`
      const show = document.querySelector('[data-testid="image-show"]')
      show?.scrollIntoView({ block: 'center' })
      if (show) return true
      const list = document.querySelector('[data-testid="context-list"]')
      const rows = [...list.querySelectorAll('.rows-place')].map((place) => Number(place.dataset.index))
      list.scrollTop += Math.min(...rows) > arguments[0] ? -400 : 400
      return false
    `, items.indexOf(image)),
  )
  assert.equal(await app.run(`return document.querySelectorAll('img.shown-image').length`), 0, 'not before')
  // A row that is measured anew under the pointer takes no click.
  await until('the image is shown', async () => {
    const isAsked = await app.run(`return !!document.querySelector('[data-testid="image-show"][aria-expanded="true"]')`)
    if (!isAsked) await clickOn(app, 'image-show')
    return app.run(`return document.querySelector('img.shown-image')?.naturalWidth > 0`)
  })
  assert.match(await app.run(`return document.querySelector('img.shown-image').src.slice(0, 15)`), /^data:image\/png/)
})

test('problems stand by what they mean, and lead to their lines', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/long')
  const app = await open([file])
  await clickOn(app, 'tab-problems')
  const groups = await until('the groups are there', async () => {
    const codes = await app.run(`return [...document.querySelectorAll('[data-testid="lint-group"]')].map((g) => g.dataset.code)`)
    return codes.length > 0 && codes
  })
  assert.equal(new Set(groups).size, groups.length, 'each kind once')
  assert.match(await textOf(app, 'lint-group'), /What to do:/)
  // A row that is measured anew under the pointer takes no click.
  await until('the Context tab shows', async () => {
    const isListed = await app.run(`return !!document.querySelector('[data-testid="problem"] .go')`)
    if (isListed) await app.click('[data-testid="problem"] .go')
    return topRow(app, 'context-list').then((row) => row?.block)
  })
})

test('what acts use and do not name stands among the problems as hints, and leads to both episodes', { timeout: LIMIT, all: true }, async () => {
  const app = await open([await stage.sample('pi/long')])
  await clickOn(app, 'tab-problems')
  const number = (testId, name) =>
    app.run(`return Number(document.querySelector('[data-testid="' + arguments[0] + '"]')?.dataset[arguments[1]] ?? 0)`, testId, name)
  const nHints = await until('the hints are there', () => number('lint-hints', 'hints'))
  const nProblems = await number('lint-sum', 'problems')
  const badge = await app.run(`return Number(document.querySelector('[data-testid="tab-problems"] .badge').textContent)`)
  assert.equal(nProblems, badge, 'a hint is no problem')
  await app.type('[data-testid="lint-filter"]', 'keys-respect-text-fields')
  await until('the hints of one act', async () => {
    const n = await number('lint-hints', 'hints')
    return n > 0 && n < nHints
  })
  assert.match(await textOf(app, 'lint-hint-group'), /Hint.*heuristic/)
  const hint = await until('a hint is listed', () => textOf(app, 'hint'))
  assert.match(hint, /`?keys-respect-text-fields`? uses/i)
  const selected = () => app.run(`return document.querySelector('[data-testid="inspector"]')?.dataset.episode ?? null`)
  for (const kind of ['act', 'expl']) {
    const name = await app.run(`return document.querySelector('[data-testid="hint"] .chip.' + arguments[0]).textContent`, kind)
    await app.click(`[data-testid="hint"] .chip.${kind}`)
    await until(`${name} is selected`, async () => (await selected()) === name)
  }
})

test('findings stand by cost or by turn, and the blocks that speak for one open', { timeout: LIMIT }, async () => {
  const app = await open([await stage.sample('pi/long')])
  await clickOn(app, 'tab-problems')
  await until('the hints are there', () => app.run(`return !!document.querySelector('[data-testid="lint-hints"]')`))
  const values = (name) =>
    app.run(
      `
      const rows = [...document.querySelectorAll('.rows-place')].filter((place) => place.querySelector('.problem'))
      rows.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
      return rows.map((row) => row.querySelector('.problem').dataset[arguments[0]]).filter(Boolean).map(Number)
    `,
      name,
    )
  const isHead = () => app.run(`return !!document.querySelector('.lint-head')`)
  for (const [order, name, sign] of [['cost', 'cost', -1], ['turn', 'turn', 1]]) {
    await clickOn(app, `lint-by-${order}`)
    await until('the heads are gone', async () => !(await isHead()))
    const listed = await values(name)
    assert.ok(listed.length > 3, `findings have their ${name}`)
    assert.deepEqual(listed, [...listed].sort((a, b) => sign * (a - b)), `by ${name}`)
  }
  await clickOn(app, 'lint-by-cost')
  await until('evidence is listed', () => textOf(app, 'lint-evidence'))
  await clickOn(app, 'lint-evidence')
  await until('the Context tab shows', () => topRow(app, 'context-list').then((row) => row?.block))
})
