// Tells what Playwright Test did: a line for each test, what was wrong, and at the end the seconds of each file.

import { relative, sep } from 'node:path'

import { tell } from './results.mjs'
import { ROOT } from './ground.mjs'

const MARKS = { passed: '✔', skipped: '﹣' }

/** Returns the name of the file that a test stands in. */
const fileOf = (test) => {
  for (let at = test.parent; at; at = at.parent)
    if (at.type === 'file') return at.title.split(sep).at(-1).replace('.test.mjs', '')
  throw new Error(`${test.title} stands in no file`)
}

export default class Reporter {
  #files = new Map()
  #nRuns = 0
  #since = performance.now()
  #jobs = 1
  #problems = []

  onBegin(config) {
    this.#jobs = config.workers
  }

  onStdOut(text) {
    process.stdout.write(text)
  }

  onStdErr(text) {
    process.stderr.write(text)
  }

  onTestEnd(test, { status, duration, errors, annotations, attachments, retry }) {
    const name = fileOf(test)
    const file = this.#files.get(name) ?? { name, seconds: 0, failed: false }
    this.#files.set(name, file)
    file.seconds += duration / 1000
    // A test that is green when it runs once more was red.
    file.failed ||= status !== 'passed' && status !== 'skipped'
    this.#nRuns += 1
    console.log(`${MARKS[status] ?? '✖'} ${name}: ${test.title} (${Math.round(duration)} ms)${retry > 0 ? ', once more' : ''}`)
    for (const { description } of annotations) if (description) console.log(`  # ${description}`)
    file.reason ??= errors[0]?.message?.split('\n')[0]
    for (const { message, stack, cause } of errors) {
      console.log(`  ${(stack ?? message ?? '').replaceAll('\n', '\n  ')}`)
      if (cause) console.log(`  for: ${cause.stack ?? cause.message}`)
    }
    for (const { name, path } of attachments)
      if (name === 'trace') console.log(`  its trace: npx --prefix ui playwright show-trace ${relative(ROOT, path)}`)
  }

  /** An error outside of tests: a file that cannot be read, a worker that ends. */
  onError({ message, stack, value }) {
    this.#problems.push(stack ?? message ?? value)
  }

  async onEnd({ status }) {
    for (const problem of this.#problems) console.log(problem)
    if (status !== 'passed' && ![...this.#files.values()].some(({ failed }) => failed))
      this.#files.set('', { name: 'the run itself', seconds: 0, failed: true })
    await tell('browser', [...this.#files.values()], (performance.now() - this.#since) / 1000, this.#jobs)
  }

  printsToStdio() {
    return true
  }
}
