import { compileExamples, findUnknownScripts } from '../check-examples.js';
import { findBlocks } from '../lib/example-blocks.js';
import { createTree } from './temp-tree.ts';

test('finds the npm scripts that package.json lacks', () => {
  const text = [
    'npm install && npm test',
    '`npm start -- --seconds 5`, `npm run lint`, `npm run -s check`, `npm run nothing:at-all`',
    'npm run no.',
  ].join('\n');
  expect(findUnknownScripts(text, ['test', 'lint', 'check'])).toEqual([
    { line: 2, script: 'start' },
    { line: 2, script: 'nothing:at-all' },
    { line: 3, script: 'no' },
  ]);
});

test('reports compiler errors at the lines of the document', () => {
  const readme = [
    '```ts',
    'const a: string = 1;',
    '```',
    '```js',
    "/** @type {number} */ const a = 'x';",
    '```',
    '```ts no-run it does not end',
    'import { nothing } from "./nowhere.js";',
    '```',
    '```ts',
    'const a: number = 1; //=> 1',
    '```',
  ].join('\n');
  const root = createTree({
    'package.json': { type: 'module', workspaces: [] },
    'tsconfig.test.json': { compilerOptions: { module: 'nodenext', noEmit: true, strict: true, types: [] } },
  });
  expect(compileExamples(root, findBlocks(readme, 'README.md'))).toEqual([
    expect.stringMatching(/^README\.md:2: error TS2322/),
    expect.stringMatching(/^README\.md:5: error TS2322/),
    expect.stringMatching(/^README\.md:8: error TS2307/),
  ]);
  expect(compileExamples(root, [])).toEqual([]);
});
