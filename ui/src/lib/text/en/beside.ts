/** The words of two sessions side by side. */
export const beside = {
  beside: {
    none: 'No other session stands beside this one.',
    noneHint:
      'Choose the same task with another model, another prompt, or without marks: the turns of both are aligned by what they did.',
    choose: 'Compare with another session…',
    choosing: (title: string) => `Choose the session to stand beside “${title}”.`,
    cancel: 'Cancel',
    take: (title: string) => `Compare with ${title}`,
    waiting: (title: string) => `Comparing with “${title}” …`,
    onlyDifferent: 'Only turns that differ',
    noDifference: 'No turn differs in its work or its marks.',
    parting: 'They part here',
    first: 'The first turn that differs',
    figures: 'Figures of both sessions',
    figure: 'Figure',
    more: 'B − A',
    turns: 'Turns of both sessions',
    noTurn: 'no such turn',
    otherTexts: 'with other words or results',
    toTurn: (turn: string) => `Show turn ${turn}`,
    under: (policy: string, a: string, b: string) =>
      a === b ? `Under ${policy} at τ ${a}.` : `Under ${policy} at τ ${a} (A) and ${b} (B).`,
  },
}
