import { expect, test } from 'vitest'

import { loadedAtOnce } from './limit'

test('what an entry imports loads with it, what it imports when needed does not', () => {
  const chunk = (more: object) => ({ type: 'chunk' as const, code: '', ...more })
  expect(
    loadedAtOnce({
      'index.js': chunk({
        isEntry: true,
        imports: ['react.js'],
        dynamicImports: ['pane.js'],
        viteMetadata: { importedCss: new Set(['index.css']) },
      }),
      'react.js': chunk({ imports: ['index.js'] }),
      'pane.js': chunk({ imports: ['react.js'], viteMetadata: { importedCss: new Set(['pane.css']) } }),
      'index.css': { type: 'asset', source: '' },
      'pane.css': { type: 'asset', source: '' },
    }),
  ).toEqual(['index.js', 'react.js', 'index.css'])
})
