import type { NameKindDto } from '../../ipc/generated/NameKindDto'
import type { NeededFateDto } from '../../ipc/generated/NeededFateDto'

/** The words of the tab that audits compactions. The sentences about each come from the engine. */
export const compactions = {
  compactions: {
    waiting: 'Reading all texts …',
    none: 'The log records no compaction.',
    noneHint:
      'A harness compacts when its model’s window is full: a summary replaces the history. This session never reached that point, or its harness does not log it. The Evicted tab shows what a policy would evict.',
    clearedHint: (n: string) =>
      `The harness replaced no history by a summary. It cleared old outputs ${n === '1' ? 'once' : `${n} times`}, as the timeline marks; the Evicted tab lists them.`,
    sum: (n: string) => (n === '1' ? '1 compaction' : `${n} compactions`),
    basis: (by: string) => `sizes without what the log does not hold, counted in ${by}`,
    noEpisodes: 'Policies that evict by episodes are left out, because this session has none.',
    title: (n: string) => `Compaction ${n}`,
    turn: (turn: string) => `before turn ${turn}`,
    turnHint: 'The first request after it. Press to go there',
    sizes: (before: string, after: string) => `${before} → ${after} tokens`,
    stated: (n: string) => `the log states ${n} before it`,
    copy: 'Copy recovery text',
    copyHint: 'Copy the outputs that the compaction removed and later turns needed, the most used first',
    nothingToCopy: 'Nothing that the compaction removed was used again',
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
      lost: 'Its block was evicted, and the summary does not mention the name',
      named: 'Its block was evicted; the summary mentions the name',
      kept: 'Its block stayed in the context',
    } satisfies Record<NeededFateDto, string>,
    instead: 'In its place, at the same size',
    insteadHint:
      'Each policy was asked once, before the request of that turn, with the whole context in front of it and the size after the compaction as its budget',
    harness: 'the harness',
    insteadColumns: {
      policy: 'Policy',
      kept: 'Kept',
      keptHint: 'Names whose block the policy keeps to the letter',
      named: 'Named',
      namedHint: 'Names whose block the policy evicts and that its summaries or descriptions mention',
      tokens: 'Tokens',
    },
    over: 'over',
    overHint: 'This policy cannot reach the size after the compaction',
    files: (n: string) => (n === '1' ? '1 file went' : `${n} files went`),
    decisions: (n: string) => (n === '1' ? '1 decision went' : `${n} decisions went, the last of them`),
    more: (n: string) => `and ${n} more`,
  },
}
