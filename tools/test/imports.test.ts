import { findImports } from '../lib/imports.js';

/** Each import as `specifier`, `type specifier`, or `?` when the name is computed. */
function summarize(source: string, file = 'a.ts'): string[] {
  return findImports(source, file).map(({ specifier = '?', typeOnly }) =>
    typeOnly ? `type ${specifier}` : specifier,
  );
}

test.each([
  ["import a from 'x';", ['x']],
  ["import 'x';", ['x']],
  ["import * as a from 'x';", ['x']],
  ["import type { A } from 'x';", ['type x']],
  // At run time, `import {} from 'x'` remains.
  ["import { type A } from 'x';", ['x']],
  ["export { a } from 'x';", ['x']],
  ["export * from 'x';", ['x']],
  ["export * as a from 'x';", ['x']],
  ["export type { A } from 'x';", ['type x']],
  ["export type * from 'x';", ['type x']],
  ['export const a = 1;', []],
  ["const a = await import('x');", ['x']],
  ['const a = await import(`x`);', ['x']],
  ["const a = await import('x' + y);", ['?']],
  ["let a: import('x').A;", ['type x']],
  ["import a = require('x');", ['x']],
  ["declare module 'x' { interface A {} }", ['type x']],
  ["const a = require('x');", ['x']],
  ["const a = require.resolve('x');", ['x']],
  ["const a = import.meta.resolve('x');", ['x']],
  ["const load = createRequire(import.meta.url); load('x');", ['x']],
  ["module.createRequire(import.meta.url)('x');", ['x']],
  ["createRequire(import.meta.url).resolve('x');", ['x']],
  ["const a = process.getBuiltinModule('fs');", ['fs']],
  ["jest.mock('x');", ['x']],
  ["const a = \"import 'x'\"; // import 'y'", []],
  ["load('x'); a.resolve('x'); jest.fn(b);", []],
])('finds what %s imports', (source, expected) => {
  expect(summarize(source)).toEqual(expected);
});

test('reads JavaScript, CommonJS and JSX by the name of the file', () => {
  expect(summarize("const a = <b>{'x'}</b>; import 'x';", 'a.tsx')).toEqual(['x']);
  expect(summarize("module.exports = require('x');", 'a.cjs')).toEqual(['x']);
  expect(summarize("#!/usr/bin/env node\nimport 'x';", 'a.js')).toEqual(['x']);
});

test('counts lines correctly after characters of several bytes', () => {
  expect(
    findImports("#!/usr/bin/env node\n// é…😀\n\nimport 'x';\n\nimport('y');", 'a.js').map(
      ({ line }) => line,
    ),
  ).toEqual([4, 6]);
});
