import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hdrscope } from '../support/fake-io.ts';
import { writeHistory } from '../support/history-rows.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

/** A history whose days ended long ago, but for today. */
async function writeOldHistory(name: string): Promise<string> {
  const history = folder.pathOf(name);
  const today = new Date().toISOString().slice(0, 10);
  await writeHistory(history, [
    ['2026-03-01T10:00', { route: '/pay' }, { 10: 9 }],
    ['2026-03-02T10:00', { route: '/pay' }, { 10: 9 }],
    [`${today}T00:00`, { route: '/pay' }, { 10: 9 }],
  ]);
  return history;
}

const remove = (...args: string[]) => hdrscope(['history', 'remove', ...args]);

test('names the days with their files and bytes, and removes them without --dry-run only', async () => {
  const history = await writeOldHistory('a');
  const table = /^day +files +bytes\n2026-03-01 +1 +[\d,]+\n2026-03-02 +1 +[\d,]+\ntotal +2 +[\d,]+\n/;
  const dry = await remove(history, '--keep', '3d', '--dry-run');
  expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
  expect(dry.stdout).toMatch(table);
  expect(dry.stdout).toContain('Nothing was removed: --dry-run names the days only.');
  expect(readdirSync(history)).toHaveLength(3);
  const { stdout, exitCode } = await remove(history, '--keep', '3d');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(table);
  expect(readdirSync(history)).toHaveLength(1);
  expect(await remove(history, '--keep', '3d')).toEqual({
    exitCode: 0,
    stdout: 'No day was removed.\n',
    stderr: '',
  });
});

test('JSON, and the exit code of a day that has to stay', async () => {
  const history = await writeOldHistory('b');
  const hourly = folder.pathOf('hourly');
  await hdrscope(['history', 'rollup', history, hourly]);
  await writeHistory(history, [['2026-03-01T11:00', {}, { 10: 9 }]], { scale: 1e-6 });
  const { exitCode, stdout } = await remove(history, '--keep', '3d', '--rollup', hourly, '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    removed: [{ day: '2026-03-02', files: 1, bytes: expect.any(Number) }],
    retained: [{ day: '2026-03-01', reason: expect.stringContaining('roll the history up') }],
    isDryRun: false,
  });
  const text = await remove(history, '--keep', '3d', '--rollup', hourly);
  expect(text.stdout).toContain('2026-03-01 stays: ');
  expect(existsSync(join(history, 'day=2026-03-01'))).toBe(true);
});

test.each([
  [['--keep', '0'], 2, "--keep must be a duration of at least 1d, as in 90d, got '0'"],
  [['--keep', '23h'], 2, "--keep must be a duration of at least 1d, as in 90d, got '23h'"],
  [[], 2, '--keep is required: how long days stay, as in 90d'],
])('%j is a wrong command line', async (args, code, message) => {
  const { exitCode, stderr, stdout } = await remove(await writeOldHistory('c'), ...args);
  expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringContaining(message)]);
});

test('a folder that is no history is refused in a sentence', async () => {
  folder.write('letters.txt', 'mine');
  const { exitCode, stderr } = await remove(folder.pathOf('.'), '--keep', '3d');
  expect(exitCode).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect((await remove(folder.pathOf('absent'), '--keep', '3d')).exitCode).toBe(1);
});
