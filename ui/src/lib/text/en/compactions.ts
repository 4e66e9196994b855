import type { NameKindDto } from '../../ipc/generated/NameKindDto'
import type { NeededFateDto } from '../../ipc/generated/NeededFateDto'

/** The words of the tab that audits compactions. The sentences about each come from the engine. */
export const compactions = {
  compactions: {
    waiting: 'Reading all texts …',
    none: 'The log records no compaction.',
    noneHint:
      'A harness compacts where its model’s window is full: it puts a summary in the place of the history. This session never came to that, or its harness does not log it. The Evicted tab shows what a policy would take.',
    clearedHint: (n: string) =>
      `The harness put no summary in the place of the history. It cleared old outputs ${n === '1' ? 'once' : `${n} times`}, as the timeline marks; the Evicted tab lists them.`,
    sum: (n: string) => (n === '1' ? '1 compaction' : `${n} compactions`),
    basis: (by: string) => `sizes without what the log does not hold, counted by ${by}`,
    noEpisodes: 'Policies that go by episodes take no part: there are none.',
    title: (n: string) => `Compaction ${n}`,
    turn: (turn: string) => `before turn ${turn}`,
    turnHint: 'The first request after it. Press to go there',
    sizes: (before: string, after: string) => `${before} → ${after} tokens`,
    stated: (n: string) => `the log states ${n} before it`,
    copy: 'Copy recovery text',
    copyHint: 'Copy the outputs that it took and later turns needed, the most used first',
    nothingToCopy: 'Nothing that it took was used again',
    copied: (n: string, chars: string, left: string) =>
      `Copied: ${n} outputs, ${chars} characters${left === '0' ? '' : `; ${left} more did not fit`}`,
    needed: (n: string) => (n === '1' ? '1 name was used again' : `${n} names were used again`),
    columns: {
      name: 'Name',
      kind: 'Kind',
      fate: 'Its block',
      turn: 'Turn',
      uses: 'Uses',
      again: 'Got again',
    },
    usedHint: 'The first turn that used it. Press to go there',
    kinds: { file: 'file', command: 'command', symbol: 'identifier' } satisfies Record<NameKindDto, string>,
    fates: { lost: 'lost', named: 'lost, named', kept: 'stayed' } satisfies Record<NeededFateDto, string>,
    fateHints: {
      lost: 'Its block went, and nothing that stands in its place says the name',
      named: 'Its block went; the text that stands in its place says the name',
      kept: 'Its block stayed in the context',
    } satisfies Record<NeededFateDto, string>,
    instead: 'In its place, at the same size',
    insteadHint:
      'Each policy was asked once, before the request of that turn, with the whole context in front of it and the size after the compaction as its budget',
    harness: 'the harness',
    insteadColumns: {
      policy: 'Policy',
      kept: 'Kept',
      keptHint: 'Of these names, those whose block it keeps to the letter',
      named: 'Named',
      namedHint: 'Of these names, those whose block goes and that its summaries or descriptions say',
      tokens: 'Tokens',
    },
    over: 'over',
    overHint: 'It cannot get down to the size after the compaction',
    files: (n: string) => (n === '1' ? '1 file went' : `${n} files went`),
    decisions: (n: string) => (n === '1' ? '1 decision went' : `${n} decisions went, the last of them`),
    more: (n: string) => `and ${n} more`,
  },
}
