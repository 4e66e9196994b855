import type { AnnotationSourceDto } from '../../ipc/generated/AnnotationSourceDto'

/** The words about where episodes come from. */
export const annotation = {
  annotation: {
    label: 'Whose episodes are shown',
    short: 'Episodes',
    choice: { declared: 'declared', inferred: 'inferred' },
    about: {
      declared: 'As the agent marked them with the tool delimiter',
      inferred: 'As this program tells them from what the agent did',
      written: 'As they were marked afterwards',
    },
    word: {
      declared: 'the agent’s own',
      inferred: 'inferred',
      written: 'marked afterwards',
    } satisfies Record<AnnotationSourceDto, string>,
    episodes: (says: string) => `episodes ${says}`,
    odd: (n: string) => (n === '1' ? '1 odd mark:' : `${n} odd marks:`),
    nOdd: (n: string) => `${n} odd`,
    mark: (name: string, line: string, message: string) => `${name}, line ${line}: ${message}`,
    whyHere: 'Why does it begin here?',
    sure: (percent: string) => `${percent} sure`,
    noneTitle: (says: string) => `No episodes: ${says}.`,
    noneHint: 'Its messages are in the Context tab below.',
    tryInferred: 'Show inferred episodes',
    unmarked:
      'The agent marked no episodes in this log. docs/annotate.md says how an agent does, and how a session is marked afterwards.',
  },
}
