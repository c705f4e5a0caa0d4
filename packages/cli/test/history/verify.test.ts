import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { hdrscope } from '../support/fake-io.ts';
import { faultsIn, readSchema } from '../support/json-schema.ts';
import { evenly, logText, useFolder } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();

/** The start of the logs, and the first two minutes. */
const START_MS = Date.parse('2017-07-14T02:40:00Z');
const RANGES = ['--before', '2017-07-14T02:40/02:41', '--after', '2017-07-14T02:41/02:42'];

test('a damaged file is named, is left out of answers, and is set aside', async () => {
  const history = folder.pathOf('history');
  const log = (atSec: number) =>
    folder.write(`${atSec}.hlog`, logText([{ tag: 'get', at: atSec, length: 60, ms: evenly(10) }]));
  await hdrscope(['history', 'import', log(0), '-o', history]);
  await hdrscope(['history', 'import', log(600), '-o', history]);
  const verify = (...args: string[]) => hdrscope(['history', 'verify', history, ...args]);
  const query = () => hdrscope(['query', history, '--metric', 'values', '--format', 'csv']);
  expect(await verify()).toMatchObject({ exitCode: 0, stdout: '2 files: none is damaged.\n' });

  const [name] = readdirSync(history, { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.parquet'),
  );
  const path = join(history, name!);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 4;
  writeFileSync(path, bytes);
  const reason = `cannot read ${path}: it is damaged: its bytes are not those of its seal`;
  const lost = '1 row with 10 values';
  const cure = `hdrscope history verify ${history} --repair sets such files aside`;
  expect(await query()).toEqual({
    exitCode: 1,
    stdout: expect.stringMatching(/\n10,/),
    stderr: `hdrscope: ${reason}\nhdrscope: the answer lacks the values of a file (the history lacks ${lost}): ${cure}\n`,
  });
  const found = await verify();
  expect(found.exitCode).toBe(1);
  expect(found.stdout).toMatch(
    `${reason} (${lost})\n2 files, of which 1 is damaged: the history lacks ${lost}. --repair gives`,
  );
  const json = await verify('--json');
  const figures = { rows: { lower: 1, upper: 1 }, values: { lower: 10, upper: 10 } };
  expect(JSON.parse(json.stdout)).toEqual({
    files: 2,
    damaged: [{ path, reason, ...figures }],
    isRepaired: false,
  });

  expect(await verify('--repair')).toMatchObject({ exitCode: 0 });
  expect((await query()).stdout).toMatch(/\n10,/);
  expect(await verify()).toMatchObject({ exitCode: 0, stdout: '1 file: none is damaged.\n' });
});

test.each([
  ['the metrics', ['query']],
  ['percentiles', ['query', '--metric', 'values']],
  ['a plot', ['query', '--metric', 'values', '--plot']],
  ['a heat map', ['query', '--metric', 'values', '--kind', 'heat-map']],
  ['a comparison', ['query', '--metric', 'values', ...RANGES]],
  ['an explanation', ['explain', '--metric', 'values', ...RANGES]],
  [
    'a report',
    [
      'slo',
      'report',
      '--metric',
      'values',
      '--threshold',
      '1s',
      '--objective',
      '99%',
      '--since',
      '2017-07-14',
    ],
  ],
])('%s without the values of a damaged file: exit code 1, or 0 with --allow-missing', async (_, args) => {
  const history = folder.pathOf('damaged');
  if (!existsSync(history)) {
    const logOf = (minute: number) =>
      folder.write(`minute-${minute}.hlog`, logText([{ at: minute * 60, length: 60, ms: evenly(1000) }]));
    for (const minute of [0, 1, 2]) await hdrscope(['history', 'import', logOf(minute), '-o', history]);
    const day = readdirSync(history).find((name) => name.startsWith('day='));
    const [name] = readdirSync(join(history, day!)).filter((one) =>
      one.startsWith(String(START_MS + 120_000)),
    );
    writeFileSync(join(history, day!, name!), 'damaged');
  }
  const at = args[0] === 'slo' ? 2 : 1;
  const command = [...args.slice(0, at), history, ...args.slice(at)];
  const strict = await hdrscope(command);
  expect(strict.exitCode).toBe(1);
  expect(strict.stdout).not.toBe('');
  expect(strict.stderr).toContain(
    'hdrscope: the answer lacks the values of a file (the history lacks an unknown number of rows and values): ',
  );
  const lenient = await hdrscope([...command, '--allow-missing']);
  expect(lenient).toEqual({ ...strict, exitCode: 0 });
  if (args.includes('--plot') || args.includes('--kind')) return;
  const { missing } = JSON.parse((await hdrscope([...command, '--json'])).stdout);
  const unknown = { lower: 0, upper: null };
  expect(missing).toEqual([
    {
      path: expect.stringContaining(history),
      reason: expect.any(String),
      ...{ rows: unknown, values: unknown },
    },
  ]);
  expect(faultsIn(missing, readSchema('missing.schema.json'))).toEqual([]);
});

test('a question whose values are all damaged is refused, and says why', async () => {
  const history = folder.pathOf('gone');
  const log = folder.write('gone.hlog', logText([{ at: 0, length: 60, ms: evenly(1000) }]));
  await hdrscope(['history', 'import', log, '-o', history]);
  for (const name of readdirSync(history, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.parquet')) writeFileSync(join(history, name), '');
  }
  const { exitCode, stdout, stderr } = await hdrscope(['query', history, '--metric', 'values', ...RANGES]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('the answer lacks the values of a file (');
});
