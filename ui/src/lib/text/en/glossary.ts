/** The words of the field that the window uses, each with its meaning: shown where it stands, and all of them in the help. */
export const glossary = {
  glossary: {
    title: 'Words',
    words: {
      tau: [
        'τ (budget)',
        'The most tokens that a request may have. A request that is larger makes the policy evict.',
      ],
      raw: ['raw', 'The size of the whole history at this turn, tokens, as if nothing had been evicted.'],
      turn: [
        'turn',
        'One reply of the model, with the results of its calls. The request before it is sent first.',
      ],
      episode: [
        'episode',
        'A stretch of work with a name: an exploration finds things out, an act changes something and names the explorations that it draws on.',
      ],
      evicted: [
        'evicted',
        'Left out of the request by the policy. The log still has all of it, and so has this window.',
      ],
      pass: ['pass', 'The evictions before one request, step by step, until the request is within τ.'],
      step: ['step', 'One eviction of a pass: one level of one episode.'],
      level: [
        'level (L0 to L4)',
        'How much of an episode is evicted: nothing, its reasoning, its search output too, its reads and commands too, the whole of it.',
      ],
      description: [
        'description',
        'The text that stays of an exploration after it is removed: its lesson in the words of the agent. The paper calls it the residue.',
      ],
      ghost: [
        'ghost',
        'A line in the list in the place of a block that was evicted. It opens to the original.',
      ],
      prologue: ['prologue', 'Everything before the first episode. It is never evicted.'],
      unlogged: [
        'not in the log',
        'Tokens that the provider reports and the log does not hold: the system prompt, the definitions of tools.',
      ],
      lookBack: [
        'look-back',
        'Of all tokens that later turns used again, by a path, a command or a name: the share that was still in the context.',
      ],
      regret: [
        'regret (read again)',
        'Tokens of content that the policy evicted and the agent then got again.',
      ],
      cost: [
        'cost',
        'What the requests cost by the table of prices, with the provider’s prompt cache. The Compare tab has it for each policy, `cwl cost` for the session as it happened.',
      ],
      probe: [
        'probe',
        'A question whose answer the log has; it tells whether the context still holds the answer.',
      ],
    },
  },
} as const
