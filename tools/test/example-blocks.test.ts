import { findBlocks, listDocuments } from '../lib/example-blocks.js';
import { createTree } from './temp-tree.ts';

test('finds the blocks of a Markdown text, with the line of their code', () => {
  const text = ['# Title', '```ts', 'a;', '```', '- item', '  ```js', '  b;', '    c;', '  ```'].join('\n');
  expect(findBlocks(text, 'docs/a.md')).toEqual([
    { file: 'docs/a.md', line: 3, language: 'ts', code: 'a;', noRun: undefined, home: '' },
    { file: 'docs/a.md', line: 7, language: 'js', code: 'b;\n  c;', noRun: undefined, home: '' },
  ]);
});

test('finds the blocks of doc comments, and no others', () => {
  const text = [
    'const glob = "src/**/*.ts";',
    '  /**',
    '   * Adds.',
    '   * @example',
    '   * ```ts',
    '   * if (a) {',
    '   *   b;',
    '   * }',
    '   * ```',
    '   */',
    '/* ```ts',
    '   c;',
    '   ``` */',
  ].join('\n');
  expect(findBlocks(text, 'packages/core/src/a.ts')).toEqual([
    {
      file: 'packages/core/src/a.ts',
      line: 6,
      language: 'ts',
      code: 'if (a) {\n  b;\n}',
      noRun: undefined,
      home: 'packages/core',
    },
  ]);
});

test.each(['sh', 'json', 'text', '', 'tsx'])('leaves blocks of "%s" alone', (language) => {
  expect(findBlocks(`\`\`\`${language}\nnpm test\n\`\`\``, 'a.md')).toEqual([]);
});

test('ignores a block inside another block', () => {
  expect(findBlocks('````md\n```ts\na;\n```\n````', 'a.md')).toEqual([]);
});

test('keeps the reason of a block that is not run', () => {
  const [block] = findBlocks('```ts no-run needs a collector\na;\n```', 'a.md');
  expect(block?.noRun).toBe('needs a collector');
});

test.each([
  ['```ts no-run\na;\n```', "a.md:1: the marker of an example must be 'no-run' and a reason, got 'no-run'"],
  [
    '\n```ts skip slow\na;\n```',
    "a.md:2: the marker of an example must be 'no-run' and a reason, got 'skip slow'",
  ],
  ['```ts\na;', 'a.md:1: the fence is never closed'],
])('refuses %j', (text, message) => {
  expect(() => findBlocks(text, 'a.md')).toThrow(message);
});

test('reads the documents of the root, of docs and of the packages, and their sources', () => {
  const files = [
    'README.md',
    'ARCHITECTURE.md',
    'docs/errors.md',
    'docs/formats/v2.md',
    'packages/a/README.md',
    'packages/a/src/deep/a.ts',
  ];
  const others = ['packages/a/test/a.test.ts', 'packages/a/dist/a.d.ts', 'tools/a.js', 'NOTES.md'];
  const root = createTree({
    'package.json': { workspaces: ['packages/*', 'tools'] },
    'packages/a/package.json': { name: 'a' },
    ...Object.fromEntries([...files, ...others].map((file) => [file, ''])),
  });
  expect(listDocuments(root)).toEqual(files);
});
