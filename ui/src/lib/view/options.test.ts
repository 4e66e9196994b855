import { expect, test } from 'vitest'

import type { OptionRow } from '../ipc/generated/OptionRow'
import type { PolicyRow } from '../ipc/generated/PolicyRow'
import {
  aroundValue,
  formOf,
  isNumberFor,
  optionWords,
  optionsFor,
  perMilleOf,
  percentOf,
  sentenceOf,
  toggled,
  valueOf,
  withOption,
  type OptionForm,
} from './options'

const option = (more: Partial<OptionRow>): OptionRow => ({
  key: 'keep',
  values: '0..',
  default: '10',
  sentence: 'The newest {} outputs stay',
  about: '',
  share: false,
  range: null,
  common: false,
  ...more,
})

test.each<[string, [number, number] | null, OptionForm]>([
  ['true|false', null, { kind: 'switch', on: 'true', off: 'false' }],
  ['0|1', [0, 1], { kind: 'switch', on: '1', off: '0' }],
  ['level|item', null, { kind: 'choice', values: ['level', 'item'] }],
  ['estimate', null, { kind: 'choice', values: ['estimate'] }],
  ['1..1000 per mille', null, { kind: 'number', least: 1, most: 1000 }],
  ['0..', null, { kind: 'number', least: 0, most: null }],
  ['tokens', [1000, 500_000], { kind: 'number', least: 1000, most: 500_000 }],
  ['any', [0, 2 ** 60], { kind: 'number', least: 0, most: null }],
  ['1..', [1, 2 ** 32 - 1], { kind: 'number', least: 1, most: null }],
  ['any of 1234', null, { kind: 'letters', letters: ['1', '2', '3', '4'] }],
  ['a text', null, { kind: 'text' }],
])('%s is asked for', (values, range, form) => {
  expect(formOf({ values, range })).toEqual(form)
})

test.each([
  ['80', '800'],
  ['66.7', '667'],
  ['66,7', '667'],
  [' 5. ', '50'],
  ['0.05', null],
  ['a', null],
  ['', null],
])('%j per cent', (typed, perMille) => {
  expect(perMilleOf(typed)).toBe(perMille)
})

test('a share is read in per cent, and its unit stands in the sentence', () => {
  expect([percentOf('800'), percentOf('667'), percentOf('5')]).toEqual(['80', '66.7', '0.5'])
  const stop = { sentence: 'Stop evicting at {} of τ', share: true }
  expect(aroundValue(stop)).toEqual(['Stop evicting at ', ' % of τ'])
  expect(sentenceOf(stop)).toBe('Stop evicting at … of τ')
  expect(aroundValue(option({}))).toEqual(['The newest ', ' outputs stay'])
  expect(aroundValue({ sentence: 'Outputs of `skill` stay', share: false })).toEqual([
    'Outputs of `skill` stay',
    '',
  ])
})

test('what is at its default is not part of a view', () => {
  const keep = option({})
  expect(valueOf(keep, {})).toBe('10')
  const set = withOption({ other: 'x' }, keep, '3')
  expect(set).toEqual({ other: 'x', keep: '3' })
  expect(valueOf(keep, set)).toBe('3')
  expect(withOption(set, keep, '10')).toEqual({ other: 'x' })
})

test.each([
  ['1', true],
  ['1000', true],
  ['0', false],
  ['1001', false],
  ['', false],
  ['1.5', false],
  ['-1', false],
])('%s as a number from 1 to 1000', (value, fits) => {
  expect(isNumberFor({ kind: 'number', least: 1, most: 1000 }, value)).toBe(fits)
})

test('letters keep their order', () => {
  const letters = ['1', '2', '3', '4']
  expect(toggled(letters, '1234', '3')).toBe('124')
  expect(toggled(letters, '4', '1')).toBe('14')
  expect(toggled(letters, '1', '1')).toBe('')
})

test('another policy gets back what was set for it, and the common options go along', () => {
  const common = option({ key: 'ignore_compaction', values: 'true|false', default: 'false', common: true })
  const policy: PolicyRow = {
    name: 'mask',
    plain: '',
    family: 'clearing',
    about: '',
    source: '',
    options: [common, option({})],
  }
  const now = { ignore_compaction: 'true', levels: '12' }
  expect(optionsFor(policy, now, undefined)).toEqual({ ignore_compaction: 'true' })
  expect(optionsFor(policy, {}, { keep: '3', ignore_compaction: 'true', gone: '1' })).toEqual({ keep: '3' })
})

test('options in one line', () => {
  expect(optionWords({ keep: '3', trigger: 'always' })).toBe('keep=3 trigger=always')
})
