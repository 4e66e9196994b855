/** Texts of the view that puts two sessions side by side. */
export const beside = {
  beside: {
    none: 'Compare this session with another one.',
    noneHint:
      'Choose a session of the same task, with another model, another prompt, or without marks. The window aligns the turns of both by their work.',
    choose: 'Compare with another session…',
    choosing: (title: string) => `Choose a session to compare with “${title}”.`,
    cancel: 'Cancel',
    take: (title: string) => `Compare with ${title}`,
    waiting: (title: string) => `Comparing with “${title}” …`,
    onlyDifferent: 'Only turns that differ',
    noDifference: 'All turns have the same work and the same marks.',
    parting: 'Divergence point',
    first: 'The first turn whose work differs',
    figures: 'Figures of both sessions',
    figure: 'Figure',
    more: 'B − A',
    turns: 'Turns of both sessions',
    noTurn: 'no such turn',
    otherTexts: 'same work, other words or results',
    toTurn: (turn: string) => `Show turn ${turn}`,
    under: (policy: string, a: string, b: string) =>
      a === b ? `Under ${policy} at τ ${a}.` : `Under ${policy} at τ ${a} (A) and ${b} (B).`,
  },
}
