/** Texts of the duel: two policies over one playhead. */
export const duel = {
  duel: {
    title: 'Duel',
    label: 'Duel: two policies over the same session',
    open: 'Duel: two policies side by side, played in 30 seconds (Shift+D)',
    button: 'Play the duel',
    policy: { a: 'Policy above', b: 'Policy below' },
    against: 'against',
    at: 'at τ',
    budget: 'Token budget of both policies',
    leave: 'Leave the duel (Esc)',
    play: 'Play (space)',
    pause: 'Pause (space)',
    scrub: 'Turn',
    turn: (at: string, all: string) => `turn ${at} of ${all}`,
    clock: (at: number, all: number) =>
      `0:${String(at).padStart(2, '0')} / 0:${String(all).padStart(2, '0')}`,
    busy: 'replaying both policies …',
    quiet: 'Neither policy evicts anything at this τ.',
    tighter: (tokens: string) => `Play at τ = ${tokens}`,
    side: (policy: string) => `Under ${policy}`,
    picture: (policy: string) =>
      `What is left under ${policy} of the content of each turn, from the first turn on the left to the current one`,
    cost: 'cost so far',
    kept: 'in the request',
    ofFull: (sent: string, full: string) => `${sent} of ${full} tokens`,
    again: 'tokens read again',
    outside: 'work outside of episodes',
    leaves: (turn: string, tokens: string, name: string) =>
      `Turn ${turn}: ${tokens} tokens leave, most of them from ${name}`,
    noneLeft: 'Everything is still in the request',
    needs: (turn: string, name: string, tokens: string, gone: string) =>
      `Turn ${turn}: the agent needs ${name} again, ${tokens} tokens; evicted before turn ${gone}`,
    noneNeeded: 'Nothing evicted was needed again',
    end: (policy: string, says: string) => `${policy}: ${says}.`,
    legend:
      'A bar is what came in at one turn; the taller, the more tokens. The filled part is still in the request. Yellow: it leaves now. Red, with an arrow: the agent needs it again, and it is not there.',
  },
}
