// `cwl serve` before a real browser: what other pages cannot do, and what several tabs can.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFile, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { KIND, LIMIT, SAMPLES, Stage, cwl, ended, until } from './app.mjs'
import { after, before, test } from './runner.mjs'

const only = { timeout: LIMIT, skip: KIND !== 'browser' && 'the window has no address' }

let stage
const servers = []
before(async () => (stage = await Stage.start()))
after(async () => {
  for (const server of servers) await ended(server)
  await stage?.stop()
})

/** Serves a log; returns the process, the whole printed address, where that is, and the token in it. */
async function serve(file) {
  const { server, address } = await stage.host.serve([file, '--data-dir', join(await stage.folder(), 'data')])
  servers.push(server)
  const { origin, port, hash } = new URL(address)
  return { server, address, origin, port, token: hash.replace('#token=', '') }
}

/** How many episodes a page shows; `null` before it shows any. */
const nShown = (page) =>
  page.evaluate(`Number(document.querySelector('[data-episodes]')?.dataset.episodes) || null`)

const untilText = (page, text) =>
  until(`the page says ${text}`, () => page.evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`))

test('the token leaves the address, and is there for a reload and a link in another tab', only, async () => {
  const { address, origin, token } = await serve(await stage.sample('pi/quickstart'))
  const page = await stage.host.newPage()
  await page.goto(`${origin}/`)
  await untilText(page, 'The server refuses this page')
  await page.goto('about:blank')
  await page.goto(address)
  await until('the session is shown', () => nShown(page))
  assert.ok(!page.url().includes(token), page.url())
  await page.reload()
  await until('it is shown again', () => nShown(page))
  const other = await stage.host.newPage()
  await other.goto(`${origin}/`)
  await until('it is shown in another tab', () => nShown(other))
  await other.close()
  await page.close()
})

test('a log that is not there is told where the server was started', only, async () => {
  const missing = join(await stage.folder(), 'session.jsonl')
  const { address } = await serve(missing)
  await until('the server says so', () => stage.host.said.includes(`${missing}: there is no such file`))
  const page = await stage.host.newPage()
  await page.goto(address)
  await untilText(page, 'This file does not exist')
  await page.close()
})

test('a page of another origin can neither read nor do anything, even with the token', only, async () => {
  const file = await stage.sample('pi/quickstart')
  const { origin, token } = await serve(file)
  const evil = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>hello')).listen(0)
  await once(evil, 'listening')
  const page = await stage.host.newPage()
  try {
    await page.goto(`http://127.0.0.1:${evil.address().port}/`)
    const found = await page.evaluate(
      async ({ origin, token }) => {
        const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const outcome = (asked) =>
          asked.then(
            (answer) => `${answer.type} ${answer.status}`,
            () => 'failed',
          )
        const loaded = (element, attributes) =>
          new Promise((done) => {
            Object.assign(element, attributes, { onload: () => done('loaded'), onerror: () => done('failed') })
            document.body.append(element)
          })
        const streamed = new Promise((done) => {
          const stream = new EventSource(`${origin}/push?token=${token}`)
          Object.assign(stream, { onopen: () => done('open'), onerror: () => done('failed') })
        })
        return {
          page: await outcome(fetch(`${origin}/`)),
          call: await outcome(fetch(`${origin}/call/defaults`, { method: 'POST', headers: json, body: '{}' })),
          push: await outcome(fetch(`${origin}/push`, { headers: json })),
          blind: await outcome(fetch(`${origin}/call/defaults`, { method: 'POST', mode: 'no-cors', body: '{}' })),
          script: await loaded(document.createElement('script'), { src: `${origin}/index.html` }),
          stream: await streamed,
        }
      },
      { origin, token },
    )
    assert.deepEqual(found, {
      page: 'failed',
      call: 'failed',
      push: 'failed',
      blind: 'failed',
      script: 'failed',
      stream: 'failed',
    })
    // A form asks no permission first, and gets a refusal.
    await page.setContent(`<form method=post enctype=text/plain action="${origin}/call/defaults"><input name=a></form>`)
    const [refused] = await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith('/call/defaults')),
      page.evaluate('document.forms[0].submit()'),
    ])
    assert.equal(refused.status(), 403)
    await until('the refusal is shown', () => page.url().endsWith('/call/defaults'))
    await page.goto(`http://127.0.0.1:${evil.address().port}/`)
    const [framed] = await Promise.all([
      page.waitForResponse((answer) => answer.url() === `${origin}/`),
      page.evaluate(
        (src) => document.body.append(Object.assign(document.createElement('iframe'), { src })),
        `${origin}/`,
      ),
    ])
    assert.equal(framed.status(), 403, 'a frame gets the refusal and not the page')
  } finally {
    await page.close()
    evil.close()
  }
})

test('another page leads the browser to an address, which asks before it opens a file', only, async () => {
  const { address, origin } = await serve(await stage.sample('pi/quickstart'))
  const other = await stage.sample('pi/compacted')
  const marks = await stage.file('marks.json', '{}')
  const evil = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>hello')).listen(0)
  await once(evil, 'listening')
  const page = await stage.host.newPage()
  /** Answers with that which the page shows first at the address that another page led to. */
  const led = async (query) => {
    await page.goto(`http://127.0.0.1:${evil.address().port}/`)
    const there = `${origin}/?${new URLSearchParams(query)}`
    await page.evaluate((there) => {
      location.href = there
    }, there)
    await page.waitForURL(`${origin}/**`)
    return answer()
  }
  const answer = () =>
    until('an answer to the address', () =>
      page.evaluate(() => {
        const textOf = (id) => document.querySelector(`[data-testid="${id}"]`)?.textContent
        const [asked, marks] = [textOf('link-path'), textOf('link-marks')]
        if (asked) return marks ? { asked, marks } : { asked }
        const failure = document.querySelector('[data-testid="failure"]')
        if (failure) return { refused: failure.dataset.code }
        const opened = document.querySelector('.session-name')?.dataset.path
        return opened ? { opened } : null
      }),
    )
  const press = (id) => page.evaluate((id) => document.querySelector(`[data-testid="${id}"]`).click(), id)
  try {
    // The token is in the storage of this origin from here on.
    await page.goto(address)
    const { opened } = await answer()
    assert.deepEqual(await led({ session: opened }), { opened }, 'a session of the list opens')

    assert.deepEqual(await led({ session: other }), { asked: other })
    await press('link-leave')
    await until('nothing is open and the address says none', () =>
      page.evaluate(() => document.querySelector('[data-testid="welcome"]') !== null && location.search === ''),
    )
    await page.reload()
    assert.deepEqual(await answer(), { opened }, 'loading it again opens what the server was started with')

    assert.deepEqual(await led({ session: opened, annotation: marks }), { asked: opened, marks })
    for (const query of [{ session: '/dev/zero' }, { session: opened, annotation: '/dev/zero' }])
      assert.deepEqual(await led(query), { refused: 'refused' }, JSON.stringify(query))

    assert.deepEqual(await led({ session: other }), { asked: other })
    await press('link-open')
    assert.deepEqual(await answer(), { opened: other })
    await page.reload()
    assert.deepEqual(await answer(), { opened: other }, 'its own address is not asked about')
  } finally {
    await page.close()
    evil.close()
  }
})

test('a foreign name with the address of this machine is not answered', only, async () => {
  const { port, token } = await serve(await stage.sample('pi/quickstart'))
  const page = await stage.host.newPage()
  const answer = await page.goto(`http://evil.test:${port}/#token=${token}`)
  assert.equal(answer.status(), 421)
  assert.ok(!(await page.content()).includes('id="root"'))
  await page.close()
})

test('many tabs hear of a log that grows, through one stream, whichever is closed', { ...only, all: true }, async () => {
  const text = await readFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), 'utf8')
  const lines = text.split(/(?<=\n)/)
  const [half, most] = [Math.floor(lines.length / 2), Math.floor((lines.length * 3) / 4)]
  const file = await stage.file('live.jsonl', lines.slice(0, half).join(''))
  const { address, server } = await serve(file)
  const nEpisodes = async () => JSON.parse(await cwl('graph', file, '--json')).episodes.length
  let nStreams = 0
  const tabs = []
  // More than the connections that a browser opens to one server.
  for (let n = 0; n < 8; n += 1) {
    const page = await stage.host.newPage()
    page.on('request', (request) => (nStreams += request.url().endsWith('/push') ? 1 : 0))
    await page.goto(address)
    await until(`tab ${n} shows the session`, () => nShown(page))
    tabs.push(page)
  }
  assert.equal(nStreams, 1)
  await appendFile(file, lines.slice(half, most).join(''))
  const more = await nEpisodes()
  for (const [n, page] of tabs.entries()) await until(`tab ${n} has ${more}`, async () => (await nShown(page)) === more)
  await tabs.shift().close()
  await appendFile(file, lines.slice(most).join(''))
  const all = await nEpisodes()
  assert.ok(all > more, 'there is more to hear')
  for (const [n, page] of tabs.entries()) await until(`tab ${n} has ${all}`, async () => (await nShown(page)) === all)
  server.kill('SIGINT')
  const [code] = await once(server, 'exit')
  assert.equal(code, 0, 'Ctrl+C ends it in order, also while a page listens')
  for (const page of tabs) await page.close()
})
