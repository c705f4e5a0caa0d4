import { createServer } from 'node:net';
import { errorText, systemErrorText } from '../src/system-error.ts';
import { hdrscope } from './support/fake-io.ts';
import { useFolder } from './support/logs.ts';

const folder = useFolder();

test.each([
  ['log', 'summary'],
  ['record'],
  ['diff'],
  ['plot'],
  ['serve'],
  ['ceph', 'dump'],
  ['slo', 'rules'],
])('%s %s names a missing file, and one of a similar name', async (...command) => {
  folder.write('before.hlog', '');
  const missing = folder.pathOf('befroe.hlog');
  const options = command[0] === 'slo' ? SLO : [];
  const operands = command[0] === 'diff' ? [missing, missing] : [missing];
  const { exitCode, stdout, stderr } = await hdrscope([...command, ...options, ...operands]);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toBe(`hdrscope: no such file: ${missing}: did you mean ${folder.pathOf('before.hlog')}?\n`);
});

const SLO = [
  '--metric',
  'a_seconds',
  '--threshold',
  '1s',
  '--objective',
  '99%',
  '--histogram',
  'classic',
  '--scrape',
];

test('suggests nothing where nothing is similar, and where there is no folder', async () => {
  const alone = folder.pathOf('quite-different');
  expect((await hdrscope(['record', alone])).stderr).toBe(`hdrscope: no such file: ${alone}\n`);
  expect((await hdrscope(['record', '/nowhere/a'])).stderr).toBe('hdrscope: no such file: /nowhere/a\n');
});

test('a port that is taken is named, and how to get another', async () => {
  const other = createServer();
  const port = await new Promise<number>((resolve) => {
    other.listen(0, 'localhost', () => resolve((other.address() as { port: number }).port));
  });
  try {
    const { exitCode, stderr } = await hdrscope(['serve', '--port', `${port}`]);
    expect([exitCode, stderr]).toEqual([1, `hdrscope: port ${port} is taken: --port 0 takes a free one\n`]);
  } finally {
    other.close();
  }
});

test('an error of the system has neither a code nor a call', () => {
  const error = Object.assign(new Error("EIO: i/o error, read '/a'"), { code: 'EIO', syscall: 'read' });
  expect(systemErrorText(error)).toBe('i/o error');
  expect(errorText(error, { environment: {} })).toBe('i/o error');
  const denied = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open', path: '/a' });
  expect(errorText(denied, { environment: {} })).toBe('permission denied: /a');
});
