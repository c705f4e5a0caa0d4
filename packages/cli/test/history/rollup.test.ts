import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { queryHistory } from '@hdrscope/history';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder, type Written } from '../support/logs.ts';

const folder = useFolder();

/** Two hours with an interval of ten minutes in each. */
const HOURS: readonly Written[] = Array.from(
  { length: 12 },
  (_, at): Written => ({ tag: 'get', at: at * 600, length: 600, ms: evenly(10) }),
);

let history: string;
let hourly: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  hourly = folder.pathOf('hourly');
  await hdrscope(['history', 'import', folder.write('hours.hlog', logText(HOURS)), '-o', history]);
});

test('hours of a history are added up, once', async () => {
  const first = await hdrscope(['history', 'rollup', history, hourly]);
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(first.stdout).toMatch(/day +rows read +rows +bytes +rollup\n2017-07-14 +12 +3 +[\d,]+ +made\n/);
  expect(await hdrscope(['history', 'rollup', history, hourly])).toMatchObject({
    exitCode: 0,
    stdout: 'No day has new rows in stretches of time that have ended.\n',
  });
  const question = { metric: 'values', percentiles: [50, 99], everyMs: 3_600_000 };
  const [raw, rolled] = [await queryHistory(history, question), await queryHistory(hourly, question)];
  expect(raw).toHaveLength(3);
  expect(rolled).toEqual(raw);
  const query = (path: string) =>
    hdrscope(['query', path, '--metric', 'values', '--percentiles', '50,99.9', '--json']);
  expect((await query(hourly)).stdout).toBe((await query(history)).stdout);
});

test('a day that lost rows keeps its rollup, and the answer says so', async () => {
  const [source, into] = [folder.pathOf('shrinking'), folder.pathOf('kept')];
  await hdrscope(['history', 'import', folder.write('more.hlog', logText(HOURS)), '-o', source]);
  const others = HOURS.map((one) => ({ ...one, tag: 'put' }));
  await hdrscope(['history', 'import', folder.write('others.hlog', logText(others)), '-o', source]);
  await hdrscope(['history', 'rollup', source, into, '--every', '1d']);
  const day = join(source, readdirSync(source).find((name) => name.startsWith('day='))!);
  rmSync(join(day, readdirSync(day)[0]!));
  const { exitCode, stdout } = await hdrscope(['history', 'rollup', source, into, '--every', '1d', '--json']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).days).toEqual([expect.objectContaining({ day: '2017-07-14', isKept: true })]);
  const text = await hdrscope(['history', 'rollup', source, into, '--every', '1d']);
  expect(text.stdout).toContain('kept\nKept: the history lacks rows that the rollup of the day has');
});

test('a stretch that does not divide a day is refused', async () => {
  const { exitCode, stderr } = await hdrscope(['history', 'rollup', history, hourly, '--every', '7h']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--every must be a duration that divides a day, as in 10s, 1m or 1h, got '7h'");
});
