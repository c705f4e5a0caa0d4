import { join } from 'node:path';
import { countModules, sizeOf } from '../check-size.js';
import { createTree } from './temp-tree.ts';

const manifest = (name: string): object => ({
  name,
  type: 'module',
  sideEffects: false,
  exports: './index.js',
});

// Random letters, which gzip cannot make smaller than three quarters.
const LETTERS = Array.from({ length: 4000 }, (_, i) =>
  String.fromCharCode(97 + ((i * 7919 + ((i * i) % 8191)) % 26)),
).join('');

const folder = join(
  createTree({
    'app/package.json': { type: 'module' },
    'app/node_modules/@hdrscope/a/package.json': manifest('@hdrscope/a'),
    'app/node_modules/@hdrscope/a/index.js':
      "export { small } from '@hdrscope/b';\nimport 'not-there';\nexport const later = () => import('./later.js');\nexport { large } from './large.js';\n",
    'app/node_modules/@hdrscope/a/large.js': `export const large = '${LETTERS}';\n`,
    'app/node_modules/@hdrscope/a/later.js': "export const text = 'later';\n",
    'app/node_modules/@hdrscope/b/package.json': manifest('@hdrscope/b'),
    'app/node_modules/@hdrscope/b/index.js': 'export const small = 1;\n',
  }),
  'app',
);

test('the size of a use has the code that it needs, from all packages of the workspace', async () => {
  const small = await sizeOf("export { small } from '@hdrscope/a';", folder);
  const large = await sizeOf("export { large } from '@hdrscope/a';", folder);
  expect(small).toBeLessThan(0.1);
  expect(large).toBeGreaterThan(1);
});

test('modules are counted that Node.js loads at once, those of other packages of the workspace included', async () => {
  expect(await countModules('@hdrscope/a', folder)).toBe(3);
  expect(await countModules('@hdrscope/b', folder)).toBe(1);
});
