import { expect, test } from 'vitest'

import { RecordedAnswers } from './answers'
import { nearest } from './host'

test('a budget that is not in the page is answered with the nearest one', () => {
  const view = (budget: string) => ({ budget }) as never
  const views = [40_000, 80_000, 120_000].map((budget) => ({
    view: view(budget === 80_000 ? '80k' : String(budget)),
    replay: { budget } as never,
  }))
  const check = (budget: string, at: number) => expect(nearest(views, view(budget)), budget).toBe(at)
  check('80k', 1)
  check('40000', 0)
  check('41000', 0)
  check('70000', 1)
  check('1', 0)
  check('9999999', 2)
  check('half', 0)
})

test('a view of the same policy is nearer than one of the same budget', () => {
  const views = [
    { view: { policy: 'cwl', budget: '9000' }, replay: { budget: 9_000 } },
    { view: { policy: 'window', budget: '80000' }, replay: { budget: 80_000 } },
  ] as never
  expect(nearest(views, { policy: 'window', budget: '9000' } as never)).toBe(1)
})

test('a page tells what would become free, and when a block was missed and read again', () => {
  const detail = (life: string, blocked_by: number[]) => ({ life, blocked_by })
  const view = {
    graph: { episodes: [0, 1, 2].map(() => ({ kept_at: [1] })) },
    steps: [{ steps: [] }],
    levels: [],
    left: [],
    // Only the act keeps both explorations from going, and one of them is still active.
    details: [detail('closed', [2]), detail('active', [2]), detail('closed', [])],
    detail_spans: [
      [0, 0],
      [0, 1],
      [0, 2],
    ],
    histories: [],
    tokens: [7, 8],
    absences: [
      [null, null],
      [3, 9],
    ],
    states: [{ kept: true }, { kept: false }],
    spans: [
      [0, 1],
      [0, 2],
    ],
    looked_at: null,
    gone_tokens: [8],
    met: [],
  }
  const episodes = [{}, {}, {}]
  const rows = { block: ['kept:0', 'gone:0'], in_log_order: null, role: [], author: [], kind: [], tool: [] }
  const columns = {
    path: [],
    about: [],
    failed: [],
    episode: [],
    n_chars: [],
    n_lines: [],
    n_images: [],
    text: [],
  }
  const exported = {
    session: { revision: 1, problems: [] },
    episodes,
    words: [],
    rows: { ...rows, ...columns, entry: [], line: [] },
  }
  const answers = new RecordedAnswers(exported as never, view as never)
  const cut = { turn: null, step: null }
  const freedBy = (episode: number) => answers.episode({ cut, episode } as never).frees
  expect([0, 1, 2].map(freedBy)).toEqual([[], [], [0]])
  const list = { type: 'evicted', only: null, sort: 'log' }
  const page = answers.page({ cut, list, offset: 0, limit: 9 } as never)
  expect(page.items).toMatchObject([{ block: 'gone:0', first_turn: 3, again_turn: 9 }])
})
