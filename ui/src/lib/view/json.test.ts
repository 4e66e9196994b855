import { expect, test } from 'vitest'

import { indentJson } from './json'

test('JSON of one line is laid out, and keeps every sign', () => {
  const wide = `{"id":12345678901234567890,"text":"a, b: {c}","list":[1,{}],"none":[],"more":"${'x'.repeat(60)}"}`
  expect(indentJson(wide)).toBe(
    `{
  "id": 12345678901234567890,
  "text": "a, b: {c}",
  "list": [
    1,
    {}
  ],
  "none": [],
  "more": "${'x'.repeat(60)}"
}`,
  )
  for (const same of ['{"a":1}', `{\n"a": "${'x'.repeat(99)}"}`, 'x'.repeat(99)])
    expect(indentJson(same)).toBe(same)
})
