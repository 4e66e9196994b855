/** Terms that the window uses, with their definitions: tooltips show one, the help lists all. */
export const glossary = {
  glossary: {
    title: 'Glossary',
    words: {
      tau: ['τ (budget)', 'How many tokens a request may have. If a request is larger, the policy evicts.'],
      raw: ['raw', 'Tokens of the whole history at this turn, if the policy had evicted nothing.'],
      turn: ['turn', 'One request to the model, its reply, and the results of the calls in the reply.'],
      episode: [
        'episode',
        'A unit of work with a name. An exploration finds something out; an act changes something and declares the explorations that it draws on.',
      ],
      evicted: [
        'evicted',
        'The policy left it out of the request. The log still has it, and this window shows it.',
      ],
      pass: [
        'pass',
        'All steps before one request, until the request fits τ or the policy may evict nothing more.',
      ],
      step: ['step', 'One action of a policy. Under cwl, a step strips one episode by one level.'],
      level: [
        'level',
        'How far an episode is stripped. 0 intact; 1 reasoning is evicted; 2 bulk (search output) too; 3 intermediate (reads, shell output and others) too; 4 removed.',
      ],
      description: [
        'description',
        'The text in which the agent says what an exploration found. The description stays if the exploration is removed; the paper calls it the residue.',
      ],
      ghost: [
        'ghost',
        'The line that a list shows in place of an evicted block. Open the line to read the original.',
      ],
      prologue: ['prologue', 'Everything before the first episode. No policy evicts the prologue.'],
      unlogged: [
        'unlogged (not in the log)',
        'Tokens that the provider reports and the log does not hold, such as the system prompt and the definitions of tools.',
      ],
      recall: [
        'recall (of references)',
        'Later turns use paths, commands and names of earlier blocks again. Recall is the share of those blocks, by tokens, that the request still held.',
      ],
      reacquisition: [
        'read again (reacquisition)',
        'The agent got the same content again after the policy had evicted it. The size is in tokens.',
      ],
      cost: [
        'cost',
        'The price of all requests by the table of prices, with the provider’s prompt cache. The Compare tab shows the cost under each policy, `cwl cost` the cost of the session as it happened.',
      ],
      frontier: [
        'Pareto frontier',
        'The settings (policy and τ) that no other setting beats: none costs no more and keeps more, or keeps as much and costs less.',
      ],
      verdict: [
        'verdict',
        'One sentence on the session: the best settings of the CWL family against the best of the other policies, at equal cost and at equal recall. It does not depend on the policy, budget or columns that you choose.',
      ],
      bound: [
        'upper bound',
        'The highest recall that any policy could reach at the same request sizes if it knew what later turns use.',
      ],
      divergence: ['divergence point', 'The first turn at which two sessions of one task do different work.'],
      probe: [
        'probe',
        'A question that the log answers. The window checks whether each request still holds the answer.',
      ],
    },
  },
} as const
