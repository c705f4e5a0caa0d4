import { createChecks } from '../lib/example-checks.js';
import { toCheckedModule, toPlainModule } from '../lib/example-module.js';

function blockOf(code: string) {
  return { file: 'a.md', line: 10, language: 'js' as const, code, noRun: undefined, home: '' };
}

/** Runs an example like `examples.test.ts`, but without a file. */
async function run(code: string): Promise<void> {
  const { source, lines } = toCheckedModule(blockOf(code), 'hdrscope.test');
  const checks = createChecks('a.md', lines, (actual, expected) => expect(actual).toEqual(expected));
  Reflect.set(globalThis, Symbol.for('hdrscope.test'), checks);
  const AsyncFunction = (async () => {}).constructor as new (body: string) => () => Promise<void>;
  await new AsyncFunction(source.replace('export {};', ''))();
  checks.assertAllReached();
}

test.each([
  '1 + 1; //=> 2',
  '1 + 1 //=> 2',
  '0.1 + 0.2; //=> 0.30000000000000004',
  '-0; //=> -0',
  'NaN; //=> NaN',
  '2n ** 62n; //=> 4611686018427387904n',
  "({ a: [1, { b: 'é' }] }); //=> { a: [1, { b: 'é' }] }",
  '[1, 2]\n  .map((x) => 2 * x)\n  .join(); //=> "2,4"',
  '[3, 4];\n//=> [3, 4]',
  '[1, 2];\n//=> [\n//=>   1,\n//=>   2,\n//=> ]',
  'const a = 3; //=> 3',
  "console.log('a', 1); //=> a 1",
  "console.log('a\\n\\n  b'); //=> a\n//=>\n//=>   b",
  'console.log({ a: 1 }, await 2); //=> { a: 1 } 2',
  'await Promise.resolve(5); //=> 5',
  'for (const x of [1, 2]) {\n  x > 0; //=> true\n}',
  "function f() { throw Object.assign(new Error(), { code: 'ERR_A' }); }\nf(); //=> throws ERR_A",
  "const f = async () => { throw Object.assign(new Error(), { code: 'ERR_A' }); };\nawait f(); //=> throws ERR_A",
  "try {\n  JSON.parse('{');\n} catch (error) {\n  error.name; //=> 'SyntaxError'\n}",
])('accepts %j', async (code) => {
  await run(code);
});

test.each([
  ['1 + 1; //=> 3', /^a\.md:10: .*Expected: .*3.*Received: .*2/s],
  ['\n0.1 + 0.2; //=> 0.3', /^a\.md:11: /],
  ['0; //=> -0', /^a\.md:10: /],
  ['new Uint8Array(2); //=> [0, 0]', /^a\.md:10: /],
  ['const a = 3; //=> 4', /^a\.md:10: /],
  ['console.log(1); //=> 2', /^a\.md:10: /],
  ['1; //=> throws ERR_A', /^a\.md:10: .*nothing/s],
  [
    "(() => { throw new Error('why'); })(); //=> throws ERR_A",
    /^a\.md:10: .*an error without code: Error: why/s,
  ],
  ['await Promise.resolve(1); //=> throws ERR_A', /^a\.md:10: .*nothing/s],
  ['if (false) {\n  1; //=> 1\n}', /^a\.md:11: this \/\/=> was never reached$/],
  ['try {\n  1;\n} catch {\n  2; //=> 2\n}', /^a\.md:13: this \/\/=> was never reached$/],
  ['1; //=> one', /one is not defined/],
  ['1; //=> about one', /^a\.md:10: 'about one' is not an expression/],
  ['const { a } = {}; //=> 1', /^a\.md:10: \/\/=> needs one named variable/],
  ['if (true) {\n  1;\n} //=> 1', /^a\.md:12: \/\/=> must stand behind an expression/],
  ['//=> 1', /^a\.md:10: \/\/=> must stand behind an expression/],
  ['1; // a comment //=> 1', /^a\.md:10: \/\/=> must stand behind an expression/],
  ['1 +; //=> 1', /^a\.md:10: the example does not parse/],
])('refuses %j', async (code, message) => {
  await expect(run(code)).rejects.toThrow(message);
});

test('keeps the line numbers of the document', () => {
  const lines = toPlainModule(blockOf('first;\nsecond;')).split('\n');
  expect(lines.indexOf('first;') + 1).toBe(10);
  expect(lines.indexOf('second;') + 1).toBe(11);
  const { source } = toCheckedModule(blockOf('[\n1];\n//=> [1]\nlast;'), 'x');
  expect(source.split('\n').indexOf('last;') + 1).toBe(13);
});
