// A running agent is watched and steered: `cwl live` decides, the page shows it and sets what is in force.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { ENV, LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { CWL } from './ground.mjs'
import { clickOn, middleOf, setBudget, textOf } from './page.mjs'
import { after, before, test } from './runner.mjs'
import { Writer } from './writer.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** An agent whose harness asks `cwl live`: its log, its messages, and the process. */
class Agent {
  messages = []
  #answers = []
  #file
  #n = 0

  static async start(file, dataDir, settings) {
    const agent = new Agent()
    agent.#file = file
    const rows = (await readFile(file, 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line))
    agent.session = rows[0].id
    agent.messages = rows.filter((row) => row.type === 'message').map((row) => row.message)
    agent.child = spawn(CWL, ['live', '--data-dir', dataDir], { env: ENV, stdio: ['pipe', 'pipe', 'inherit'] })
    createInterface({ input: agent.child.stdout }).on('line', (line) => agent.#answers.push(JSON.parse(line)))
    const hello = { type: 'hello', protocol: 1, client: 'test 1.0', harness: 'pi 1.6.0', session: agent.session }
    assert.equal((await agent.#ask({ ...hello, system: 'x'.repeat(4000), tools: '[]', ...settings })).type, 'ready')
    agent.writer = await Writer.at(file)
    return agent
  }

  async #ask(line) {
    const n = (this.#n += 1)
    this.child.stdin.write(`${JSON.stringify(line)}\n`)
    return until('an answer', () => this.#answers[n - 1])
  }

  /** Asks for a decision about the messages so far; `resend` is not needed, as all are sent. */
  request() {
    return this.#ask({ type: 'decide', from: 0, digest: '', messages: this.messages })
  }

  /** Writes a reply with its result into the log, and decides about the request behind it. */
  async goesOn() {
    const rows = this.writer.rows(2)
    this.messages.push(...rows.map((row) => JSON.parse(row).message))
    const decision = await this.request()
    await appendFile(this.#file, rows.join(''))
    return decision
  }

  async ends() {
    const end = new Promise((done) => this.child.once('exit', done))
    this.child.stdin.end()
    await end
  }
}

/** The status of the only process. */
const statusOf = async (dataDir) =>
  JSON.parse(await cwl('live', 'status', '--json', '--data-dir', dataDir)).processes[0]

/** The bar of the running agent as the page shows it; `null` without one. */
const bar = (app) =>
  app.run(`
    const bar = document.querySelector('[data-testid="live-bar"]')
    const effect = document.querySelector('[data-testid="live-effect"]')
    return bar && {
      policy: bar.dataset.policy,
      budget: Number(bar.dataset.budget),
      same: document.querySelector('[data-testid="live-same"]') !== null,
      last: document.querySelector('[data-testid="live-last"]').textContent,
      says: effect?.textContent ?? '',
      lost: Number(effect?.dataset.partsLost ?? 0),
      sent: Number(effect?.dataset.sent ?? 0),
      isOfView: effect?.dataset.budget === document.querySelector('[data-testid="tau-input"]').dataset.budget,
      canApply: document.querySelector('[data-testid="live-apply"]')?.disabled === false,
      mark: Number(document.querySelector('[data-testid="tau-in-force"]')?.dataset.budget ?? 0),
    }
  `)

const untilBar = (app, what, fits) =>
  until(what, async () => {
    const now = await bar(app)
    return now && fits(now) && now
  })

async function started(settings = {}) {
  const file = await stage.sample('pi/quickstart')
  const dataDir = join(await stage.folder(), 'data')
  const agent = await Agent.start(file, dataDir, { policy: 'cwl', budget: '80k', ...settings })
  return { file, dataDir, agent }
}

test('τ is dragged, its effect is told, and Apply puts it in force', { timeout: LIMIT }, async () => {
  const { file, dataDir, agent } = await started()
  try {
    assert.equal((await agent.request()).verdict, 'keep')
    const app = await stage.open([file], { dataDir })
    const first = await untilBar(app, 'what is in force', ({ budget }) => budget === 80_000)
    assert.deepEqual([first.policy, first.mark, first.same], ['cwl', 80_000, true])

    // Down to a tenth of the scale.
    const grip = await middleOf(app, '[data-testid="tau-grip"]')
    const plot = await app.run(`
      const { bottom } = document.querySelector('[data-testid="timeline"] canvas').getBoundingClientRect()
      return bottom
    `)
    await app.drag(grip, { x: grip.x, y: plot - (plot - grip.y) * 0.08 })
    const whatIf = await untilBar(app, 'the effect', ({ lost, canApply, isOfView }) => lost > 0 && canApply && isOfView)
    assert.match(whatIf.says, /^The next request would lose \d+ parts? \([\d,]+ tokens\): [\d,]+ tokens sent\.$/)
    assert.deepEqual([whatIf.budget, whatIf.mark], [80_000, 80_000], 'nothing is in force that nobody applied')
    const wanted = await app.run(`return Number(document.querySelector('[data-testid="tau-input"]').dataset.budget)`)
    assert.ok(wanted < 20_000, String(wanted))
    assert.equal((await statusOf(dataDir)).budget, 80_000)
    await keepPicture(app, 'steer-what-if')

    await clickOn(app, 'live-apply')
    const process = await until('the process goes by it', async () => {
      const now = await statusOf(dataDir)
      return now.budget === wanted && now
    })
    assert.equal(process.events.at(-1).kind, 'set_by_owner')
    await untilBar(app, 'both marks are one', ({ budget, mark, same }) => budget === wanted && mark === wanted && same)

    // The next request, about the same messages, loses what was said.
    const decision = await agent.request()
    assert.deepEqual([decision.verdict, decision.evicted, decision.tokens.sent], ['evict', whatIf.lost, whatIf.sent])
    assert.equal(decision.settings.budget, wanted, 'the harness learns of it')

    await until('it can be taken back', async () => (await textOf(app, 'said'))?.startsWith('The agent goes by cwl at '))
    await clickOn(app, 'said-action')
    await until('it is as before', async () => (await statusOf(dataDir)).budget === 80_000)
    await untilBar(app, 'and the page says so', ({ budget }) => budget === 80_000)
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  } finally {
    await agent.ends()
  }
})

test('decisions and changes from elsewhere show as they happen', { timeout: LIMIT, all: true }, async () => {
  const { file, dataDir, agent } = await started({ budget: '8k' })
  const app = await stage.open([file], { dataDir })
  await untilBar(app, 'the agent is there', ({ last }) => last === 'waits for its first request')
  const decision = await agent.goesOn()
  assert.equal(decision.verdict, 'evict')
  await untilBar(app, 'its request', ({ last }) => last.startsWith(`request ${decision.turn}: `))
  await cwl('live', 'set', '--budget', '7k', '--policy', 'cwl+', '--data-dir', dataDir)
  await untilBar(app, 'the change', ({ policy, budget }) => policy === 'cwl+' && budget === 7000)

  // A message that is not understood: the request goes with all of them, and that is an event.
  agent.messages.push({ role: 'oracle', content: 'beware', timestamp: 0 })
  assert.equal((await agent.request()).verdict, 'pass_through')
  await untilBar(app, 'it failed open', ({ last }) => last.includes('is not understood whole'))
  await clickOn(app, 'live-decisions')
  const events = () =>
    app.run(`
      return [...document.querySelectorAll('[data-testid="live-event"]')].map((one) => [one.dataset.kind, one.textContent])
    `)
  const shown = await until('three events', async () => {
    const shown = await events()
    return shown.length === 3 && shown
  })
  assert.deepEqual(shown.map(([kind]) => kind), ['pass_through', 'set_by_owner', 'evict'])
  assert.match(shown[2][1], /\d+ parts?, [\d,]+ tokens: /, 'with its reasons')
  await keepPicture(app, 'steer-decisions')
  await agent.ends()
  await until('an agent that has ended has no bar', async () => (await bar(app)) === null)
  assert.equal(await textOf(app, 'tau-in-force'), null)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('τ that cannot work is not applied, and the one that can is offered', { timeout: LIMIT, all: true }, async () => {
  const { file, dataDir, agent } = await started()
  try {
    await agent.request()
    const app = await stage.open([file], { dataDir })
    await untilBar(app, 'the agent', ({ budget }) => budget === 80_000)
    await setBudget(app, '50')
    const refused = await untilBar(app, 'the reason', ({ says }) => says.includes('the smallest that works is'))
    assert.equal(refused.canApply, false)
    const least = Number(/works is (\d+)/.exec(refused.says)[1])
    await clickOn(app, 'live-smallest')
    await untilBar(app, 'that can be applied', ({ canApply }) => canApply)
    await clickOn(app, 'live-apply')
    await until('it is in force', async () => (await statusOf(dataDir)).budget === least)
    // Under `none` the button names what it would do to the agent.
    const link = `cwl-inspector://open?${new URLSearchParams({ session: file, policy: 'none' })}`
    const unchanged = await stage.open([link], { dataDir })
    await until('no eviction is offered', async () => (await textOf(unchanged, 'live-apply')) === 'Turn eviction off')
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  } finally {
    await agent.ends()
  }
})
