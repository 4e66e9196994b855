import { describe, expect, it } from 'vitest'

import type { CorpusColumnKind } from '../ipc/generated/CorpusColumnKind'
import { cellText, isFigure, nameOf } from './corpus'

describe('the table of a corpus', () => {
  it('writes values by their kind', () => {
    const check = (kind: CorpusColumnKind, cell: number | string | boolean | null, expected: string) =>
      expect(cellText(kind, cell)).toBe(expected)
    check('number', 12345, '12,345')
    check('bytes', 2048, '2 kB')
    check('money', 1_234_567, '$1.23')
    check('perMille', 613, '61.3%')
    check('ratio', 1.06251, '1.063')
    check('flag', false, 'no')
    check('text', '<b>x</b>', '<b>x</b>')
    for (const kind of ['number', 'money', 'time', 'text', 'flag'] as const) check(kind, null, '')
  })

  it('names columns in words', () => {
    const check = (name: string, expected: string) => expect(nameOf({ name })).toBe(expected)
    check('n_turns', 'turns')
    check('is_annotated', 'annotated')
    check('reported_cost', 'reported cost')
    check('looks_before_edit', 'looks before edit')
    check('constructor', 'constructor')
  })

  it('puts figures at the right', () => {
    expect(isFigure({ kind: 'money' })).toBe(true)
    expect(isFigure({ kind: 'text' })).toBe(false)
  })
})
