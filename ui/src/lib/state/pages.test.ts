import { expect, test } from 'vitest'

import { PAGE, Pages } from './pages'

const tick = () => new Promise((done) => setImmediate(done))

test('only the pages of what is visible are fetched, once', async () => {
  const asked: number[] = []
  const pages = new Pages<number>(async (offset, limit) => {
    asked.push(offset)
    return { n: 5000, items: Array.from({ length: limit }, (_, at) => offset + at) }
  })
  pages.ensure(0, 20)
  pages.ensure(5, 25)
  await tick()
  pages.ensure(PAGE - 5, PAGE + 5)
  await tick()
  expect(asked).toEqual([0, PAGE])
  expect(pages.at(PAGE + 3)).toBe(PAGE + 3)
  expect(pages.at(PAGE * 7)).toBeUndefined()
})

test('old rows stay in place until the new ones are there, and late answers to an old question are dropped', async () => {
  let word = 'old'
  const answers: (() => void)[] = []
  const pages = new Pages<string>((offset, limit) => {
    const items = Array.from({ length: limit }, (_, at) => `${word} ${offset + at}`)
    return new Promise((done) => answers.push(() => done({ n: 200, items })))
  })
  pages.ensure(0, 10)
  answers.shift()?.()
  await tick()
  expect(pages.at(3)).toBe('old 3')
  pages.reset()
  word = 'new'
  pages.reset()
  expect(pages.at(3)).toBe('old 3')
  const [late, right] = answers
  right?.()
  await tick()
  expect(pages.at(3)).toBe('new 3')
  late?.()
  await tick()
  expect(pages.at(3)).toBe('new 3')
})

test('a list that became shorter than what is visible fetches its new end', async () => {
  let n = 1000
  const pages = new Pages<number>(async (offset, limit) => ({
    n,
    items: Array.from({ length: Math.max(0, Math.min(limit, n - offset)) }, (_, at) => offset + at),
  }))
  pages.ensure(900, 920)
  await tick()
  n = 250
  pages.reset()
  await tick()
  await tick()
  expect(pages.store.get().n).toBe(250)
  expect(pages.at(249)).toBe(249)
})

test('a list that shows its end goes to its new end, and all rows are exchanged at once', async () => {
  let n = 990
  let asked: number[] = []
  const seen: [number, number | undefined][] = []
  const pages = new Pages<number>(async (offset, limit) => {
    asked.push(offset / PAGE)
    return {
      n,
      items: Array.from({ length: Math.max(0, Math.min(limit, n - offset)) }, (_, at) => offset + at),
    }
  })
  pages.ensure(970, 989)
  await tick()
  pages.store.subscribe(() => seen.push([pages.store.get().n, pages.at(pages.store.get().n - 1)]))
  const grown = async (to: number) => {
    n = to
    asked = []
    pages.reset()
    for (let round = 0; round < 4; round += 1) await tick()
    return asked
  }
  expect(await grown(1010)).toEqual([9, 10])
  expect(await grown(5000)).toEqual([9, 10, 47, 48, 49])
  expect(await grown(120)).toEqual([49, 1])
  expect(seen).toEqual([1010, 5000, 120].map((length) => [length, length - 1]))
})

test('a list that shows its end keeps its rows where nothing is told, and one that was empty fills again', async () => {
  let n: number | null = 500
  const pages = new Pages<number>(async (offset, limit) =>
    n === null
      ? null
      : {
          n,
          items: Array.from({ length: Math.max(0, Math.min(limit, n - offset)) }, (_, at) => offset + at),
        },
  )
  const reset = async (to: number | null) => {
    n = to
    pages.reset()
    for (let round = 0; round < 4; round += 1) await tick()
    return [pages.store.get().n, pages.at(pages.store.get().n - 1)]
  }
  pages.ensure(480, 499)
  await tick()
  expect(await reset(null)).toEqual([500, 499])
  expect(await reset(0)).toEqual([0, undefined])
  pages.ensure(480, 499)
  expect(await reset(20)).toEqual([20, 19])
})

test('a failure is shown, and goes when an answer comes', async () => {
  let broken = true
  const pages = new Pages<number>(async () => {
    if (broken) throw new Error('bad pattern')
    return { n: 1, items: [1] }
  })
  pages.ensure(0, 1)
  await tick()
  expect(pages.store.get().failure?.message).toBe('bad pattern')
  broken = false
  pages.reset()
  await tick()
  expect(pages.store.get()).toMatchObject({ failure: null, n: 1, ready: true })
})

test('memory stays bounded however far one scrolls', async () => {
  const pages = new Pages<number>(async (offset, limit) => ({
    n: 1e6,
    items: Array.from({ length: limit }, (_, at) => offset + at),
  }))
  for (let page = 0; page < 300; page += 1) {
    pages.ensure(page * PAGE, page * PAGE + 1)
    await tick()
  }
  const held = Array.from({ length: 300 }, (_, page) => pages.at(page * PAGE)).filter(
    (item) => item !== undefined,
  )
  expect(held.length).toBeLessThanOrEqual(81)
  expect(pages.at(299 * PAGE)).toBe(299 * PAGE)
})

test('the row at the top goes along to its new place, and all rows are exchanged at once', async () => {
  let shift = 0
  let n = 1000
  const seen: (string | undefined)[] = []
  const pages = new Pages<string>(
    async (offset, limit) => ({
      n,
      items: Array.from(
        { length: Math.max(0, Math.min(limit, n - offset)) },
        (_, at) => `row ${offset + at - shift}`,
      ),
    }),
    async (item) => Number(item.slice(4)) + shift,
  )
  pages.ensure(290, 310)
  await tick()
  pages.top = 295
  pages.store.subscribe(() => seen.push(pages.at(pages.store.get().moved?.to ?? 295)))
  shift = 340
  pages.reset()
  await tick()
  await tick()
  expect(pages.store.get().moved).toEqual({ from: 295, to: 635, wish: 1 })
  expect(pages.at(635)).toBe('row 295')
  expect(pages.at(295)).toBeUndefined()
  expect(seen).toEqual(['row 295'])
  shift = 0
  pages.top = 635
  pages.reset()
  await tick()
  await tick()
  expect(pages.store.get().moved).toEqual({ from: 635, to: 295, wish: 2 })
  expect(pages.at(295)).toBe('row 295')
  n = 100
  pages.top = 295
  pages.reset()
  for (let round = 0; round < 4; round += 1) await tick()
  expect(pages.store.get()).toMatchObject({ n: 100, moved: { to: 99 } })
  expect(pages.at(99)).toBe('row 99')
})

test('of two questions only the newer one moves anything', async () => {
  const places: ((at: number) => void)[] = []
  const pages = new Pages<string>(
    async (offset, limit) => ({
      n: 1000,
      items: Array.from({ length: limit }, (_, at) => `row ${offset + at}`),
    }),
    () => new Promise((done) => places.push(done)),
  )
  pages.ensure(0, 20)
  await tick()
  pages.top = 5
  pages.reset()
  pages.reset()
  places[0]?.(700)
  await tick()
  expect(pages.store.get().moved).toBeNull()
  places[1]?.(8)
  await tick()
  await tick()
  expect(pages.store.get().moved).toEqual({ from: 5, to: 8, wish: 1 })
})
