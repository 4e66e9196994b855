import { expect, test } from 'vitest'

import { inRem } from './scale'

test('lengths are shares of the size of text, lines are not', () => {
  const check = (css: string, rem: string) => expect(inRem(css), css).toBe(rem)
  check('16px', '1rem')
  check('13px/1.45 sans-serif', '0.8125rem/1.45 sans-serif')
  check('-4px 0', '-0.25rem 0')
  check('11.5px', '0.71875rem')
  check('1px solid var(--line)', '1px solid var(--line)')
  check('1.5px', '1.5px')
  check('0 8px 28px rgb(20 28 40 / 18%)', '0 0.5rem 1.75rem rgb(20 28 40 / 18%)')
  check('min(560px, calc(100vw - 32px))', 'min(35rem, calc(100vw - 2rem))')
  check('window (max-width: 1240px)', 'window (max-width: 77.5rem)')
  check('100% 2rem 4em', '100% 2rem 4em')
  check('var(--a12px)', 'var(--a12px)')
})
