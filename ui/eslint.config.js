import hooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

// Fences: who may import what. Each says where the import belongs instead.
const host = {
  group: ['@tauri-apps/*'],
  message: 'Only lib/ipc/client.ts talks to the host; use the Host interface.',
}
// `blocks`, `policy` and `notes` are no concepts of the window but parts that several of them are made of.
const concepts = ['session', 'graph', 'steps', 'episode']
const parts = ['blocks', 'policy', 'notes']
const language = { group: ['**/text/en'], message: 'Import lib/text: it picks the language.' }
const fence = (files, patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [host, language, ...patterns] }] },
})

// Words that people read or hear stand in the catalogue, also those in a choice of two or in a template.
const SHOWN =
  '/^(aria-(label|description|valuetext|roledescription|placeholder)|title|placeholder|alt|label|hint)$/'
const words = [
  ...['', 'JSXExpressionContainer > ', 'JSXExpressionContainer > ConditionalExpression > '].flatMap(
    (inside) => [
      { selector: `:matches(JSXElement, JSXFragment) > ${inside}Literal[value=/\\p{L}{2}/u]` },
      { selector: `JSXAttribute[name.name=${SHOWN}] > ${inside}Literal[value=/\\p{L}{2}/u]` },
    ],
  ),
  { selector: 'JSXText[value=/\\p{L}{2}/u]' },
  { selector: `JSXAttribute[name.name=${SHOWN}] TemplateElement[value.raw=/\\p{L}{2}/u]` },
  {
    selector:
      ':matches(JSXElement, JSXFragment) > JSXExpressionContainer > TemplateLiteral > TemplateElement[value.raw=/\\p{L}{2}/u]',
  },
].map((rule) => ({ ...rule, message: 'Words stand in lib/text.' }))

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'test-output', 'src/lib/ipc/generated'] },
  ...tseslint.configs.recommended,
  {
    plugins: { 'react-hooks': hooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'warn',
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-restricted-properties': ['error', { property: 'innerHTML', message: 'Log text is never HTML.' }],
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Log text is never HTML.' },
        ...words,
      ],
    },
  },
  fence(['src/**/*.{ts,tsx}'], []),
  fence(
    ['src/lib/view/**'],
    [
      {
        group: ['react', 'react-dom', '**/state/*', '**/components/**'],
        message: 'View functions are pure.',
      },
    ],
  ),
  fence(
    ['src/lib/canvas/**'],
    [{ group: ['react', 'react-dom', '**/components/**'], message: 'Canvases are plain TypeScript.' }],
  ),
  fence(
    ['src/components/shared/**'],
    [
      {
        group: [
          '**/state/*',
          '**/ipc/**',
          ...[...concepts, ...parts, 'palette', 'views'].map((folder) => `../${folder}/*`),
        ],
        message: 'Shared components know no domain.',
      },
    ],
  ),
  ...concepts.map((concept) =>
    fence(
      [`src/components/${concept}/**`],
      [
        {
          group: concepts.filter((other) => other !== concept).map((other) => `../${other}/*`),
          message: 'One concept does not import another; views compose them.',
        },
      ],
    ),
  ),
  // The presentation shows the picture of the Compare pane.
  fence(
    ['src/panes/*/**'],
    [
      { group: ['../../components/views/*'], message: 'A pane knows nothing of the window around it.' },
      {
        regex: '^\\.\\./(?!\\.\\./|pane$)',
        message: 'One pane does not import another; App.stateOf gives the state of one.',
      },
    ],
  ),
  ...parts.map((part) =>
    fence(
      [`src/components/${part}/**`],
      [
        {
          group: [...[...concepts, 'views'].map((concept) => `../${concept}/*`), '../../panes/*/*'],
          message: 'A part knows nothing of the concepts that use it.',
        },
      ],
    ),
  ),
  // The gallery shows widgets with words of its own; nobody gets it.
  { files: ['src/gallery/**'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['src/lib/text/*.ts'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['src/lib/ipc/client.ts', 'src/lib/ipc/choose.ts'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['src/**/*.test.ts'], rules: { 'no-restricted-imports': 'off' } },
)
