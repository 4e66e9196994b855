import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Compare',
    cost: 'Compare: cost against memory',
    withAnother: 'Compare with another session…',
    x: 'Across',
    y: 'Up',
    metrics: {
      budget: 'τ',
      cost: 'Cost',
      hits: 'Recall',
      probes: 'Probes answered',
      regret: 'Read again, tokens',
      found: 'Found by verification',
      doubts: 'Doubts of the policy',
      steps: 'Steps',
      over: 'Turns above τ',
    },
    budgets: 'Budgets',
    budgetsHint:
      'Budgets to try, such as 40k..160k:10k, or 50k, 80k, 120k. If you leave this empty, the window chooses.',
    auto: 'chosen by the window',
    over: 'Policies',
    overs: { main: 'main view', columns: 'all columns', all: 'all policies' } as Record<
      'main' | 'columns' | 'all',
      string
    >,
    verdicts: { good: 'good for CWL', mixed: 'mixed for CWL', bad: 'bad for CWL' } as Record<
      'good' | 'mixed' | 'bad',
      string
    >,
    frontier: 'Pareto frontier',
    frontierHint:
      'The settings that no other setting beats: none is cheaper and keeps as much, or keeps more at the same cost. The list names equal settings once.',
    frontierWait: 'Replaying all policies first …',
    frontierNone: 'Choose cost on one axis, and recall, probes or read again on the other.',
    use: 'Use this',
    useOf: (setting: string) => `Use this: ${setting}`,
    inUse: 'in use',
    setting: (policy: string, budget: string) => `${policy} at ${budget}`,
    running: (done: string, all: string) => `${done} of ${all} policies`,
    stop: 'Stop',
    again: 'Go on',
    stopped: 'You stopped the replay; some policies are missing.',
    chart: (y: string, x: string) => `${y} against ${x}, a point for each τ`,
    chartHint: 'The left and right arrows change τ, up and down change the policy, Enter uses that τ.',
    point: (policy: string, budget: string) => `${policy}, τ ${budget}`,
    take: 'Press to use this τ',
    current: (budget: string) => `τ now: ${budget}`,
    uncapped: 'nothing evicted',
    front: 'filled, on the line: on the Pareto frontier',
    unpriced: 'prices.toml has no price for this model, so the chart shows τ instead of cost',
    claims: 'The paper’s claims about τ, on this session',
    holds: { yes: 'holds', no: 'does not hold', unknown: 'undecided' },
    basis: 'Origin of the figures',
    table: 'All points',
    tableOf: (policy: string) => `All budgets of ${policy}`,
    summaries: 'cost of summaries',
    bound: 'upper bound',
    cached: 'from the cache',
    mean: 'mean request',
  },
})
