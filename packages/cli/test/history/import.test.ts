import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DoubleHistogram } from '@hdrscope/core';
import { historyMetrics, queryHistory } from '@hdrscope/history';
import { formatInterval, openIntervalLog } from '@hdrscope/interval-log';
import { createRegistry } from '@hdrscope/registry';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, intervalLine, logText, useFolder, type Written } from '../support/logs.ts';

const folder = useFolder();
const START_MS = 1_500_000_000_000;

let history: string;
let made = 0;
beforeEach(() => {
  history = folder.pathOf(`history-${made++}`);
});

const importLog = (...args: string[]) => hdrscope(['history', 'import', ...args, '-o', history]);

/** All values of a metric. */
async function countOf(metric = 'values'): Promise<number> {
  return (await queryHistory(history, { metric })).reduce((sum, { count }) => sum + count, 0);
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'));
}

const daysIn = (path: string): string[] => readdirSync(path).filter((name) => name.startsWith('day='));

/** Ten minutes with an interval of a second in each, of two tags. */
const TEN_MINUTES: readonly Written[] = Array.from({ length: 60 }, (_, at): Written[] => [
  { tag: 'get', at: at * 10, length: 10, ms: evenly(10) },
  { tag: 'put', at: at * 10, length: 10, ms: [at + 1, 500] },
]).flat();

test('a row for each series and minute, and all counts', async () => {
  const path = folder.write('ten.hlog', logText(TEN_MINUTES));
  const { exitCode, stdout, stderr } = await importLog(path);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: `${path}: 20 rows, 2017-07-14 02:40:00.000 UTC to 2017-07-14 02:50:00.000 UTC\n`,
    stderr: '',
  });
  const groups = await queryHistory(history, { metric: 'values', by: ['tag'], percentiles: [50] });
  expect(groups.map(({ attributes, count, unit, scale }) => [attributes.tag, count, unit, scale])).toEqual([
    ['get', 600, 's', 1e-9],
    ['put', 120, 's', 1e-9],
  ]);
  const minutes = await queryHistory(history, { metric: 'values', everyMs: 60_000 });
  expect(minutes.map(({ startMs, count }) => [startMs! - START_MS, count])).toEqual(
    Array.from({ length: 10 }, (_, at) => [at * 60_000, 72]),
  );
});

test('percentiles are those of the log', async () => {
  const path = folder.write('ten.hlog', logText(TEN_MINUTES));
  await importLog(path);
  const summary = JSON.parse((await hdrscope(['log', 'summary', path, '--json'])).stdout);
  const answer = JSON.parse(
    (await hdrscope(['query', history, '--metric', 'values', '--by', 'tag', '--json'])).stdout,
  );
  for (const [at, { percentiles, count, max }] of summary.tags.entries()) {
    const group = answer.groups[at];
    expect([group.count, group.max.upper]).toEqual([count, max.value]);
    expect(group.percentiles.map(({ value }: { value: number }) => value)).toEqual(
      percentiles.map(({ value }: { value: number }) => value),
    );
  }
});

test('a log that is imported twice counts once, also when rotation has compressed it', async () => {
  const path = folder.write('twice.hlog', logText(TEN_MINUTES));
  await importLog(path);
  const before = filesIn(history);
  const known = (file: string): object => ({
    exitCode: 0,
    stdout: `${file}: 20 rows, all there already\n`,
    stderr: '',
  });
  expect(await importLog(path)).toEqual(known(path));
  const zipped = folder.pathOf('twice.hlog.1.gz');
  writeFileSync(zipped, gzipSync(logText(TEN_MINUTES)));
  rmSync(path);
  expect(await importLog(zipped)).toEqual(known(zipped));
  expect(filesIn(history)).toEqual(before);
  expect(await countOf()).toBe(720);
});

test('rows of a second import are the rows of the first, also when the files were merged', async () => {
  const path = folder.write('merged.hlog', logText(TEN_MINUTES));
  await importLog(path);
  const [day] = daysIn(history);
  const [file] = filesIn(history);
  const merged = join(history, day!, 'compacted.parquet');
  cpSync(join(history, file!), merged);
  rmSync(join(history, file!));
  expect((await importLog(path)).stdout).toContain('20 rows, all there already');
  expect(filesIn(history)).toHaveLength(1);
  expect(await countOf()).toBe(720);
});

test('a log that has grown adds what is new, also within a minute', async () => {
  const path = folder.write('grows.hlog', logText(TEN_MINUTES.slice(0, 47)));
  await importLog(path);
  expect(await countOf()).toBe(24 * 10 + 23 * 2);
  folder.write('grows.hlog', logText(TEN_MINUTES));
  expect((await importLog(path)).stdout).toMatch(/: 13 rows, .*; 7 rows there already/);
  expect(await countOf()).toBe(720);
  expect(filesIn(history)).toHaveLength(1);
  // A part that was imported has nothing new. Any other part may be another log.
  folder.write('grows.hlog', logText(TEN_MINUTES.slice(0, 47)));
  expect((await importLog(path)).stdout).toContain('all there already');
  folder.write('grows.hlog', logText(TEN_MINUTES.slice(0, 30)));
  expect(await importLog(path)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('import the whole log'),
  });
  expect(await countOf()).toBe(720);
});

test('the same bytes in another place are refused, unless an option names another host', async () => {
  const [a, b] = ['a.hlog', 'b.hlog'].map((name) => folder.write(name, logText(TEN_MINUTES)));
  await importLog(a!);
  const refused = await importLog(b!);
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/b\.hlog begins with all that was imported from .*a\.hlog: .* --host NAME/s);
  expect(await countOf()).toBe(720);
  expect((await importLog(b!, '--host', 'b')).stdout).toContain('20 rows, 2017');
  expect((await importLog(b!, '--attribute', 'host=b')).stdout).toContain('20 rows, all there already');
  expect(await countOf()).toBe(1440);
  expect((await importLog(a!, '--host', 'a', '--attribute', 'host=b')).exitCode).toBe(2);
});

test('the same log with other options is refused', async () => {
  const path = folder.write('ten.hlog', logText(TEN_MINUTES));
  await importLog(path);
  for (const options of [
    ['--every', '1h'],
    ['--attribute', 'host=a7'],
    ['--metric', 'rpc'],
    ['--unit', 'us'],
  ]) {
    const { exitCode, stdout, stderr } = await importLog(path, ...options);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /ten\.hlog is in .* already, imported with another --every.*: import it with the same, or into another folder/,
    );
  }
  expect(await countOf()).toBe(720);
});

test('days have folders of their own, and gaps have no rows', async () => {
  const text = logText([
    { at: 0, ms: [1] },
    { at: 86_400, ms: [2] },
    { at: 86_401, ms: [] },
    { at: 5 * 86_400, ms: [3, 4] },
  ]);
  expect((await importLog(folder.write('days.hlog', text))).stdout).toContain('3 rows');
  expect(daysIn(history)).toEqual(['day=2017-07-14', 'day=2017-07-15', 'day=2017-07-19']);
  expect(await countOf()).toBe(4);
});

test('families are those that the log described on an earlier day, and intervals out of order count', async () => {
  const note =
    '#[Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n';
  const text = logText([
    { tag: 'rpc', at: 0, ms: [1] },
    { tag: 'rpc', at: 86_400, ms: [2] },
    { tag: 'rpc', at: 86_390, ms: [3] },
    { tag: 'rpc', at: 2 * 86_400, ms: [4] },
  ]);
  const { exitCode, stderr } = await importLog(folder.write('notes.hlog', note + text));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(await historyMetrics(history)).toMatchObject([{ metric: 'rpc', keys: [], count: 4 }]);
  expect(await countOf('rpc')).toBe(4);
});

test('families that the log describes keep their names, units and attributes', async () => {
  const registry = createRegistry();
  const path = folder.pathOf('families.hlog');
  const log = await openIntervalLog(registry, { path, intervalMs: 3_600_000 });
  registry.histogram({ name: 'size', unit: 'By', significantDigits: 2 }).with({ kind: 'a' }).record(4096);
  registry.histogram({ name: 'http.duration', unit: 's' }).with({ route: '/', code: 200 }).record(0.25);
  await log.close();
  const { exitCode, stderr } = await importLog(path, '--attribute', 'host=a7', '--attribute', 'zone=');
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(await historyMetrics(history)).toMatchObject([
    { metric: 'http.duration', unit: 's', keys: ['code', 'host', 'route', 'zone'], count: 1 },
    { metric: 'size', unit: 'By', keys: ['host', 'kind', 'zone'], count: 1 },
  ]);
});

test('tags with a name and attributes, and the name and unit of other values', async () => {
  const text = logText([
    { tag: 'rpc?method="get"', at: 0, ms: [1] },
    { at: 1, ms: [2] },
  ]);
  await importLog(folder.write('tags.hlog', text), '--unit', 'us', '--metric', 'other', '--every', '1s');
  expect(await historyMetrics(history)).toMatchObject([
    { metric: 'other', unit: 's', scale: 1e-6, keys: [] },
    { metric: 'rpc', scale: 1e-6, keys: ['method'] },
  ]);
});

test('what cannot be counted is reported, and the rest is imported', async () => {
  const doubles = new DoubleHistogram({ significantDigits: 2 });
  doubles.record(0.5);
  const path = folder.write(
    'broken.hlog',
    `${logText([{ at: 0, ms: [1] }])}nonsense\n${formatInterval(doubles, { startSec: 1, endSec: 2 })}2.000,1.000,0.000,HISTFAAAAAA\n${intervalLine({ at: 3, ms: [2, 3] })}`,
  );
  const { exitCode, stdout, stderr } = await importLog(path);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('1 row, ');
  expect(stderr).toMatch(/1 interval of doubles is left out/);
  expect(stderr).toMatch(/1 interval whose histogram cannot be decoded is left out/);
  expect(stderr).toMatch(/line 4/);
  expect(stderr).toMatch(/left out 1 malformed line/);
  expect(await countOf()).toBe(3);
});

test('a log without a time, a wrong folder and wrong options are refused', async () => {
  const timeless = folder.write('timeless.hlog', intervalLine({ at: 5, ms: [1] }));
  expect((await importLog(timeless)).stderr).toMatch(
    /does not say when it was written: begin it with the line/,
  );
  const path = folder.write('ten.hlog', logText(TEN_MINUTES));
  const ran = async (...args: string[]) => {
    const { exitCode, stderr } = await hdrscope(['history', 'import', ...args]);
    return [exitCode, stderr];
  };
  expect(await ran(path)).toEqual([2, expect.stringContaining('-o is required')]);
  expect(await ran(path, '-o', path)).toEqual([
    1,
    expect.stringContaining('is a file, and a folder is needed'),
  ]);
  expect(await ran(path, '-o', history, '--every', '7m')).toEqual([
    2,
    expect.stringContaining('--every must be a duration that divides a day'),
  ]);
  expect(await ran(path, '-o', history, '--attribute', 'host')).toEqual([
    2,
    expect.stringContaining("--attribute must be key=value, as in host=a7, got 'host'"),
  ]);
  expect(await ran(path, '-o', history, '--attribute', 'a=1', '--attribute', 'a=2')).toEqual([
    2,
    expect.stringContaining('--attribute a must have one value'),
  ]);
});

test('compact merges the files of a day, and prints what it did', async () => {
  const a = folder.write('a.hlog', logText([{ at: 0, ms: [1] }]));
  const b = folder.write('b.hlog', logText([{ at: 0, ms: [2] }]));
  await importLog(a, b);
  const { exitCode, stdout } = await hdrscope(['history', 'compact', history]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^day +files +rows +bytes before +bytes after +duplicates\n2017-07-14 +2 +2 /);
  expect((await hdrscope(['history', 'compact', history])).stdout).toBe(
    'No day has more than one file that is to be merged.\n',
  );
  expect(JSON.parse((await hdrscope(['history', 'compact', history, '--json'])).stdout)).toEqual({
    days: [],
  });
  expect((await hdrscope(['history', 'compact', folder.pathOf('none')])).exitCode).toBe(1);
});
