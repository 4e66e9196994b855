import { expect, test } from 'vitest'

import { fencesOf, languageNamed, languageOfPath, languageOfText } from './language'

test.each([
  ['src/main.rs', 'rust'],
  ['a/b.test.TSX', 'typescript'],
  ['C:\\x\\y.py', 'python'],
  ['Cargo.toml', 'ini'],
  ['Cargo.lock', 'ini'],
  ['README', null],
  ['a.unknown', null],
  ['.bashrc', 'bash'],
  ['x.constructor', null],
  ['', null],
])('the file %s is %s', (path, language) => expect(languageOfPath(path)).toBe(language))

test.each([
  ['#!/usr/bin/env python3\nprint()', 'python'],
  ['#!/bin/sh', 'bash'],
  ['#! /usr/bin/env -S node --flag', 'javascript'],
  ['diff --git a/x b/x', 'diff'],
  ['@@ -1,2 +1,3 @@', 'diff'],
  [' {"a": 1}', 'json'],
  ['{"a": ', null],
  ['[x] done', null],
  ['plain', null],
  ['', null],
])('%j begins like %s', (text, language) => expect(languageOfText(text)).toBe(language))

test('names of a prototype are no languages', () => {
  expect(languageNamed('constructor')).toBeNull()
  expect(languageNamed('Rust')).toBe('rust')
})

test.each<[string, string[]]>([
  ['none', []],
  ['a\n```rust\nlet x;\n```\nb', ['rust let x;\n']],
  ['```\nplain\n```', []],
  ['```ts\nopen', ['typescript open']],
  ['~~~py\n```\n~~~', ['python ```\n']],
  ['````md\n```js\nx\n```\n````', ['markdown ```js\nx\n```\n']],
  ['```json\n```', []],
])('code in %j', (text, expected) => {
  expect(fencesOf(text).map(({ from, to, language }) => `${language} ${text.slice(from, to)}`)).toEqual(
    expected,
  )
})
