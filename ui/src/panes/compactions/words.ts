import type { DetailKind } from '../../lib/ipc/generated/DetailKind'
import type { NameKind } from '../../lib/ipc/generated/NameKind'
import type { NeededNameFate } from '../../lib/ipc/generated/NeededNameFate'
import type { SummaryForm } from '../../lib/ipc/generated/SummaryForm'
import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Compactions',
    waiting: 'Reading all texts …',
    none: 'The log records no compaction.',
    noneHint:
      'A harness compacts when the window of the model is full: a summary replaces the history. This session never reached that point, or its harness does not log compactions. The Evicted tab shows what a policy would evict.',
    clearedHint: (n: string) =>
      `The harness replaced no history by a summary, but cleared old outputs ${n === '1' ? 'once' : `${n} times`}. The timeline marks the turns; the Evicted tab lists the outputs.`,
    sum: (n: string) => (n === '1' ? '1 compaction' : `${n} compactions`),
    basis: (by: string) => `sizes without unlogged tokens, counted in ${by}`,
    noEpisodes: 'The table leaves out policies that evict by episodes, because this session has none.',
    title: (n: string) => `Compaction ${n}`,
    turn: (turn: string) => `before turn ${turn}`,
    turnHint: 'The first request after the compaction. Press to go there',
    sizes: (before: string, after: string) => `${before} → ${after} tokens`,
    stated: (n: string) => `${n} before it, says the log`,
    copy: 'Copy recovery text',
    copyHint: 'Copy the outputs that the compaction removed and later turns needed, the most used first',
    nothingToCopy: 'Nothing that the compaction removed was used again',
    copied: (n: string, chars: string, left: string) =>
      `Copied: ${n} outputs, ${chars} characters${left === '0' ? '' : `; ${left} more did not fit`}`,
    needed: (n: string) => (n === '1' ? '1 name was used again' : `${n} names were used again`),
    columns: {
      name: 'Name',
      kind: 'Kind',
      fate: 'Block',
      turn: 'Turn',
      uses: 'Uses',
      again: 'Read again',
    },
    usedHint: 'The first turn that used the name again. Press to go there',
    kinds: { file: 'file', command: 'command', symbol: 'identifier' } satisfies Record<NameKind, string>,
    fates: { lost: 'lost', untold: 'not told', named: 'lost, mentioned', kept: 'stayed' } satisfies Record<
      NeededNameFate,
      string
    >,
    fateHints: {
      untold: 'The compaction removed the block, and the log does not hold the text of the summary',
      lost: 'The compaction removed the block, and the summary does not mention the name',
      named: 'The compaction removed the block, but the summary mentions the name',
      kept: 'The block stayed in the context',
    } satisfies Record<NeededNameFate, string>,
    kindsTitle: 'What stood before it, and what remains',
    kindsHint: 'The context right before the compaction against the context right after it',
    kindColumns: {
      kind: 'Kind',
      all: { title: 'Before', hint: 'In the context right before the compaction' },
      literal: {
        title: 'Word for word',
        hint: 'Still in the context, in a block that stayed or in the summary',
      },
      named: {
        title: 'Named',
        hint: 'The summary has an ending of the path, or the program of the command with its first argument',
      },
      lost: { title: 'Lost', hint: 'Neither. A paraphrase is not seen' },
      needed: { title: 'Needed later', hint: 'Needed before the next compaction' },
      neededLost: { title: 'Lost of these', hint: 'Needed before the next compaction, and lost' },
    },
    untold: 'not told',
    summaryHints: {
      text: 'The log holds the summary',
      encrypted: 'The provider encrypted the summary, so the log does not tell what it holds',
      unlogged: 'The log does not hold the summary',
    } satisfies Record<SummaryForm, string>,
    details: {
      file: 'Files',
      command: 'Commands',
      number: 'Numbers',
      error: 'Error texts',
      decision: 'Decisions',
      constraint: 'Constraints',
      open_item: 'Open items',
    } satisfies Record<DetailKind, string>,
    detailHints: {
      file: 'Paths that calls, the human or the model named',
      command: 'Shell commands that ran',
      number: 'Numbers of 4 to 12 digits, without years and multiples of 100',
      error: 'The telling lines of failed results',
      decision: 'Sentences in which the model states a choice or a reason',
      constraint: 'Sentences in which the human states a rule',
      open_item: 'Unfinished items of the newest task list, and questions without an answer',
    } satisfies Record<DetailKind, string>,
    instead: 'Policies in its place, at the same size',
    insteadHint:
      'Each policy ran once on the context before the compaction, with the size after the compaction as its budget',
    harness: 'the harness',
    insteadColumns: {
      policy: 'Policy',
      kept: 'Kept',
      keptHint: 'Names whose block the policy keeps',
      named: 'Mentioned',
      namedHint: 'Names whose block the policy evicts, but which a summary or description mentions',
      details: 'Needed',
      detailsHint: 'Share of the needed details (files, commands, numbers and the other kinds) that remain',
      tokens: 'Tokens',
    },
    over: 'over',
    overHint: 'This policy cannot reach the size after the compaction',
    files: (n: string) => (n === '1' ? '1 file removed' : `${n} files removed`),
    decisions: (n: string) => (n === '1' ? '1 decision removed' : `${n} decisions removed, the last ones`),
    more: (n: string) => `and ${n} more`,
  },
})
