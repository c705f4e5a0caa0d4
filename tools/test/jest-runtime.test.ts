import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../lib/workspace.js';
import { createTree } from './temp-tree.ts';

/** Two files that a worker runs one after the other; each asserts what the other may have left behind. */
const FILE = `
import { executionAsyncId } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { source } from '../src/source.ts';
import { support } from './support.ts';

test('a source is loaded once, and a module of tests for each file', () => {
  appendFileSync('said.txt', \`source \${++source.loads}, support \${++support.loads}\\n\`);
  expect(support.loads).toBe(1);
});

test('the environment is that of the start', () => {
  expect([process.env.OF_A_FILE, typeof process.env.PATH]).toEqual([undefined, 'string']);
  process.env.OF_A_FILE = 'set';
  delete process.env.PATH;
});

test('nothing is registered with the API of OpenTelemetry', () => {
  const key = Symbol.for('opentelemetry.js.api.1');
  expect(Reflect.get(globalThis, key)).toBe(undefined);
  Reflect.set(globalThis, key, { version: '1.0.0', metrics: {} });
});

test('no storage takes time of each promise', async () => {
  await null;
  // Promises have numbers while something follows them.
  expect(executionAsyncId()).toBe(0);
});

test('a file may leave a process behind', () => {
  const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  appendFileSync('said.txt', \`process \${pid}\\n\`);
});
`;

test('test files share sources, and nothing else that one leaves reaches the next', () => {
  const root = createTree({
    'package.json': { type: 'module' },
    'src/source.ts': 'export const source: { loads: number } = { loads: 0 };',
    'test/support.ts': `import { appendFileSync } from 'node:fs';
export const support = { loads: 0 };
afterAll(() => appendFileSync('said.txt', 'after all\\n'));`,
    'test/a.test.ts': FILE,
    'test/b.test.ts': FILE,
  });
  const { stderr, status } = spawnSync(
    process.execPath,
    [join(workspaceRoot, 'tools/jest.js'), '--maxWorkers=1'],
    { cwd: root, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const said = readFileSync(join(root, 'said.txt'), 'utf8');
  expect(said.replaceAll(/process \d+/g, 'process')).toBe(
    ['source 1, support 1', 'process', 'after all', 'source 2, support 1', 'process', 'after all', ''].join(
      '\n',
    ),
  );
  for (const [, pid] of said.matchAll(/process (\d+)/g))
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
