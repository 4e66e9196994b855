/** Texts of the tour and of tooltips. Each stop says what its part of the window is for, in two sentences. */
export const tour = {
  tips: {
    origin: (from: string) => `Origin: ${from}`,
    totals:
      'The size of the request of this turn, with system prompt and tools; raw is the same request if nothing is evicted.',
    replayed: (counter: string) => `the replay of this session, counted in ${counter}`,
  },
  tour: {
    offer: 'New here? A tour of five steps shows the window on the sample.',
    start: 'Take the tour',
    refuse: 'No, thanks',
    command: 'Tour of the window, on the sample',
    step: (at: number, all: number) => `Step ${at} of ${all}`,
    next: 'Next',
    back: 'Back',
    done: 'Done',
    skip: 'Skip the tour (Esc)',
    stops: {
      overview: [
        'What happened',
        'The Overview tells what the session cost, how full its requests were and what compactions lost, as the log and the provider tell it. Each sentence leads to its evidence.',
      ],
      graph: [
        'Episodes',
        'Each box is an episode that the agent marked: blue ones explore, orange ones act. The filled part is what the request of this turn still has. Click a box to see why it is kept or gone.',
      ],
      budget: [
        'What if',
        'Here you choose a policy and the token budget τ. The window replays the session under them at once: it is a simulation, and says so.',
      ],
      evicted: [
        'Evicted',
        'This tab lists what the request of this turn lacks, since when and why. Enter opens a row, C copies it.',
      ],
      duel: [
        'The duel',
        'Two policies at the same budget, played in 30 seconds: what leaves the context, and what the agent needs again. Shift+D plays it for any session.',
      ],
    },
  },
} as const
