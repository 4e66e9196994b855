/** Short answers to what people ask first; the palette finds them and the help shows them. */
export const guide = {
  guide: {
    title: 'Guide',
    topics: {
      look: [
        'Look at what was evicted',
        'The Evicted tab lists what the request of this turn lacks, with the turn and the reason. Enter opens a block, C copies it. To see another turn, drag the line in the graph or press the arrow keys.',
      ],
      simulate: [
        'What happened, and what is simulated',
        'The Overview tab tells what happened: cost, cache misses, compactions, as the log and the provider tell it. Graph, timeline and the other tabs show the session under the chosen policy and τ. The policy `none` evicts nothing.',
      ],
      annotate: [
        'Mark episodes',
        'An agent marks episodes with the tool `delimiter`: `cwl mcp` offers the tool to any harness, and `cwl live` offers it to pi. You can mark a session afterwards: press I, select an episode or a stretch, and change name, kind, turns and dependencies. The log stays as it is. The documentation has all of it in docs/annotate.md.',
      ],
      cost: [
        'What the session cost',
        'The Overview tab has the cost so far and what cache misses paid for. The Compare tab has the cost under each policy, and the chart of cost against memory. Prices come from a table: Settings, About lists it with its sources.',
      ],
      duel: [
        'Compare two policies',
        'Shift+D plays a duel: two policies at one budget, from the first turn to the last in 30 seconds. Yellow content leaves the request; red content is needed again. At the end stand cost and recall of both, and the verdict.',
      ],
      turns: [
        'Compare two turns',
        'Open the Diff tab, choose “another turn” and type both turns. The list shows the blocks that only one of the two requests has.',
      ],
      lost: [
        'What a compaction lost',
        'The Compactions tab lists, for each compaction of the harness, the names that were removed and used again later, and the outputs that hold them, to copy.',
      ],
      find: [
        'Find words',
        'Ctrl+K finds commands, sessions, episodes, words of the glossary and texts of the open session. / finds in the list that shows. Ctrl+Shift+F searches the texts of all sessions.',
      ],
    },
  },
} as const
