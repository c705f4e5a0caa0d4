import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Histogram } from '@hdrscope/core';
import type { HistoryRow } from '@hdrscope/history';
import {
  compactHistory,
  historyMetrics,
  mergeRows,
  queryHistory,
  queryMergedRows,
  readRows,
  rollUpHistory,
  writeRows,
} from '@hdrscope/history';
import { formatBaseTime, formatInterval, readEntries } from '@hdrscope/interval-log';
import { caseCount, someCells } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { findPlace } from '../../src/history/import-places.ts';
import { hashBeginning } from '../../src/history/imported-files.ts';
import { type ImportedLog, importLog, importOtlp } from '../../src/history/index.ts';

shareDuckDb();

const START_MS = Date.UTC(2026, 10, 10);
const LATER_MS = START_MS + 3 * 86_400_000;

let folder: string;
let history: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'identity-'));
  history = join(folder, 'history');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An interval of a second with one value, in milliseconds. */
function intervalOf(second: number, ms: number): string {
  const histogram = new Histogram();
  histogram.record(ms * 1e6);
  return formatInterval(histogram, { startSec: second, endSec: second + 1 });
}

/** A log of a value each second. Logs of two seeds begin alike, with five equal values. */
function logOf(values: number, seed = 1): string {
  const intervals = Array.from({ length: values }, (_, at) => intervalOf(at, at < 5 ? 3 : 3 + seed + at));
  return formatBaseTime(START_MS) + intervals.join('');
}

function written(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = async (path: string, host?: string): Promise<ImportedLog['imported']> =>
  (await importLog(path, history, host === undefined ? {} : { attributes: { host } })).imported;

/** The number of values of a history, in each way that asks for it. */
async function totalsOf(from: string): Promise<number[]> {
  const question = { metric: 'values' };
  const sum = (groups: readonly { readonly count: number }[]): number =>
    groups.reduce((total, { count }) => total + count, 0);
  const rows: HistoryRow[] = [];
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.parquet')) for await (const row of readRows(join(from, name))) rows.push(row);
  }
  const merged: { readonly count: number }[] = [];
  for await (const row of queryMergedRows(from, question)) merged.push(row);
  return [
    sum(await queryHistory(from, question)),
    sum(await historyMetrics(from)),
    mergeRows(rows).count,
    sum(merged),
  ];
}

const each = (total: number): number[] => [total, total, total, total];

test('a log that has grown after a compaction counts all its values, at once, again, and after the next one', async () => {
  const path = written('service.hlog', logOf(40));
  await read(path);
  await read(written('other.hlog', logOf(6, 9).replace(/^#.*\n/, formatBaseTime(START_MS + 500))));
  await compactHistory(history, { nowMs: LATER_MS });
  written('service.hlog', logOf(70));
  expect(await read(path)).toMatchObject({ rows: 2, knownRows: 0 });
  for (let times = 0; times < 3; times++) expect(await totalsOf(history)).toEqual(each(76));
  await compactHistory(history, { nowMs: LATER_MS });
  expect(await totalsOf(history)).toEqual(each(76));
  expect(await read(path)).toMatchObject({ rows: 0, knownRows: 2 });
});

test('logs of two hosts that begin alike are two logs', async () => {
  await read(written('a/service.hlog', logOf(8, 1)));
  expect(await read(written('b/service.hlog', logOf(14, 2)))).toMatchObject({ rows: 1, knownRows: 0 });
  expect(await totalsOf(history)).toEqual(each(22));
  // A shorter one may be a part of the first.
  await expect(read(written('c/service.hlog', logOf(7, 3)))).rejects.toMatchObject({
    code: 'ERR_ALREADY_REGISTERED',
    details: { reason: 'shorter' },
  });
  expect(await read(join(folder, 'c/service.hlog'), 'c')).toMatchObject({ rows: 1 });
  expect(await totalsOf(history)).toEqual(each(29));
});

/** What happens to a log of 20 values after its import, and what the next import does. */
const CASES: Readonly<
  Record<
    string,
    { readonly change: (path: string) => string; readonly host?: string; readonly total: number | string }
  >
> = {
  'the same log': { change: (path) => path, total: 20 },
  'a log that has grown': { change: () => written('service.hlog', logOf(30)), total: 30 },
  'a log that was written anew with the same bytes': {
    change: (path) => {
      rmSync(path);
      return written('service.hlog', logOf(20));
    },
    total: 20,
  },
  'another log at the same place that begins alike': {
    change: () => written('service.hlog', logOf(20, 7)),
    total: 40,
  },
  'another log at the same place that begins alike and is shorter': {
    change: () => written('service.hlog', logOf(9, 7)),
    total: 'shorter',
  },
  'a log that is cut short': { change: () => written('service.hlog', logOf(12)), total: 'shorter' },
  'a log that is cut within its beginning': {
    change: () => written('service.hlog', logOf(1)),
    total: 'shorter',
  },
  'a renamed log': {
    change: (path) => {
      renameSync(path, join(folder, 'elsewhere.hlog'));
      return join(folder, 'elsewhere.hlog');
    },
    total: 20,
  },
  'a renamed log that has grown': {
    change: (path) => {
      renameSync(path, join(folder, 'elsewhere.hlog'));
      return written('elsewhere.hlog', logOf(30));
    },
    total: 30,
  },
  'a log that rotation has compressed': {
    change: (path) => {
      rmSync(path);
      return written('service.hlog.1.gz', gzipSync(logOf(25)));
    },
    total: 25,
  },
  'a log that rotation has copied and truncated': {
    change: (path) => {
      copyFileSync(path, join(folder, 'service-2026-11-10.hlog'));
      writeFileSync(path, formatBaseTime(START_MS + 86_400_000));
      return join(folder, 'service-2026-11-10.hlog');
    },
    total: 20,
  },
  'a copy beside the log': { change: () => written('service.copy.hlog', logOf(20)), total: 'elsewhere' },
  'a log of another folder with the same bytes': {
    change: () => written('twin/service.hlog', logOf(20)),
    total: 'elsewhere',
  },
  'a log of another folder that begins with all bytes': {
    change: () => written('twin/service.hlog', logOf(30)),
    total: 'elsewhere',
  },
  'a log of another folder with the same bytes after the log is gone': {
    change: (path) => {
      rmSync(path);
      return written('twin/service.hlog', logOf(20));
    },
    total: 'elsewhere',
  },
  'a log of another folder that begins alike': {
    change: () => written('twin/service.hlog', logOf(25, 7)),
    total: 45,
  },
  'the same bytes of another folder, of a host that is named': {
    change: () => written('twin/service.hlog', logOf(20)),
    host: 'b',
    total: 40,
  },
  'the same log, of a host that was not named before': {
    change: (path) => path,
    host: 'b',
    total: 'options',
  },
};

test('a file is itself under another name, and not the file that took its place', async () => {
  const files = new Set<string>();
  for (let i = 0; i < 50; i++) {
    const path = written('service.hlog', logOf(1));
    const file = (await findPlace(path, undefined))!.file!;
    const renamed = `${path}.1`;
    renameSync(path, renamed);
    expect((await findPlace(renamed, undefined))!.file).toBe(file);
    rmSync(renamed);
    files.add(file);
  }
  expect(files.size).toBe(50);
});

const NAMED = Object.entries(CASES);

describe.each([
  ['as written', NAMED],
  ['compacted', someCells(NAMED, 1)],
] as const)('with a history %s', (state, cases) => {
  test.each(cases)('%s', async (_, { change, host, total }) => {
    const path = written('service.hlog', logOf(20));
    await read(path);
    await read(written('other.hlog', logOf(6, 9).replace(/^#.*\n/, formatBaseTime(START_MS + 500))));
    if (state === 'compacted') await compactHistory(history, { nowMs: LATER_MS });
    const next = change(path);
    if (typeof total === 'number') {
      await read(next, host);
      expect(await totalsOf(history)).toEqual(each(total + 6));
      expect(await read(next, host)).toMatchObject({ rows: 0 });
    } else {
      await expect(read(next, host)).rejects.toMatchObject({
        code: 'ERR_ALREADY_REGISTERED',
        details: { reason: total },
      });
      expect(await totalsOf(history)).toEqual(each(26));
    }
  });
});

test('the attribute host is the only place of a stream', async () => {
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(logOf(20));
  }
  expect((await importLog(stream(), history)).imported).toMatchObject({ rows: 1 });
  await expect(importLog(stream(), history)).rejects.toMatchObject({ details: { reason: 'elsewhere' } });
  const a7 = { attributes: { host: 'a7' } };
  expect((await importLog(stream(), history, a7)).imported).toMatchObject({ rows: 1 });
  expect((await importLog(stream(), history, a7)).imported).toMatchObject({ rows: 0, knownRows: 1 });
});

test('days that were removed are imported again, and rows without a receipt are refused', async () => {
  const path = written('service.hlog', logOf(20));
  await read(path);
  rmSync(join(history, 'day=2026-11-10'), { recursive: true });
  expect(await read(path)).toMatchObject({ rows: 1 });
  rmSync(join(history, '_imports'), { recursive: true });
  await expect(read(path)).rejects.toMatchObject({ details: { reason: 'no receipt' } });
  expect(await totalsOf(history)).toEqual(each(20));
});

test('a log that version 1 has imported is not imported again', async () => {
  const path = written('service.hlog', logOf(20));
  await read(path);
  const [file] = readdirSync(history, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.parquet'),
  );
  const rows: HistoryRow[] = [];
  for await (const row of readRows(join(history, file!))) rows.push(row);
  rmSync(history, { recursive: true });
  const producer = `import ${await hashBeginning(readEntries(path))} 0123456789abcdef`;
  await writeRows(
    join(history, file!),
    rows.map((row) => ({ ...row, producer, revision: 0 })),
  );
  await expect(read(path)).rejects.toMatchObject({ details: { reason: 'no receipt' } });
  expect(await totalsOf(history)).toEqual(each(20));
});

test('an import that ended after its receipt goes on with the next one', async () => {
  const path = written('service.hlog', logOf(20));
  await read(path);
  const [day] = readdirSync(history).filter((name) => name.startsWith('day='));
  for (const name of readdirSync(join(history, day!))) rmSync(join(history, day!, name));
  written('service.hlog', logOf(30));
  expect(await read(path)).toMatchObject({ rows: 1 });
  expect(await totalsOf(history)).toEqual(each(30));
});

test('a receipt that cannot be parsed ends the import', async () => {
  const path = written('service.hlog', logOf(20));
  await read(path);
  const [name] = readdirSync(join(history, '_imports'));
  const receipt = join(history, '_imports', name!);
  writeFileSync(receipt, readFileSync(receipt, 'utf8').slice(0, 50));
  await expect(read(path)).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE', details: { path: receipt } });
});

test('a file of OTLP that has grown after a compaction counts all its values, and its twin is refused', async () => {
  const request = (at: number): string => {
    const times = {
      startTimeUnixNano: `${START_MS + at * 1000}000000`,
      timeUnixNano: `${START_MS + at * 1000 + 999}000000`,
    };
    const point = { ...times, count: '2', sum: 1, bucketCounts: ['2', '0'], explicitBounds: [2] };
    const metric = {
      name: 'values',
      unit: 's',
      histogram: { aggregationTemporality: 1, dataPoints: [point] },
    };
    return `${JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] })}\n`;
  };
  const textOf = (points: number): string => Array.from({ length: points }, (_, at) => request(at)).join('');
  const imported = async (path: string): Promise<void> => {
    const bytes = (async function* () {
      yield readFileSync(path);
    })();
    for await (const _ of importOtlp([{ name: path, path, bytes, encoding: 'json' }], history));
  };
  const path = written('a/metrics.json', textOf(10));
  await imported(path);
  await read(written('other.hlog', logOf(6)));
  await compactHistory(history, { nowMs: LATER_MS });
  written('a/metrics.json', textOf(30));
  await imported(path);
  const count = async (): Promise<number> =>
    (await historyMetrics(history)).reduce((sum, metric) => sum + metric.count, 0);
  expect(await count()).toBe(66);
  await compactHistory(history, { nowMs: LATER_MS });
  expect(await count()).toBe(66);
  await expect(imported(written('b/metrics.json', textOf(30)))).rejects.toMatchObject({
    details: { reason: 'elsewhere' },
  });
});

// Laws.

type Step = 'grow' | 'import' | 'compact' | 'roll up' | 'rotate' | 'copy';
const STEPS: readonly Step[] = ['grow', 'import', 'compact', 'roll up', 'rotate', 'copy'];
const HOSTS = ['a', 'b', 'c'];

test('whatever is imported, grows, is compacted, rolled up, rotated and copied: all imported values count once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.constantFrom(...STEPS), fc.constantFrom(...HOSTS), fc.integer({ min: 1, max: 90 })),
        {
          minLength: 3,
          maxLength: 14,
        },
      ),
      async (steps) => {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        // Each host has a log; all begin alike.
        const logs = new Map(
          HOSTS.map((host, seed) => [
            host,
            { seed, path: written(`${host}/s.hlog`, logOf(1, seed)), values: 1, imported: 0 },
          ]),
        );
        let rolled = 0;
        let renamed = 0;
        for (const [step, host, amount] of steps) {
          const log = logs.get(host)!;
          if (step === 'grow') {
            log.values += amount;
            writeFileSync(log.path, logOf(log.values, log.seed));
          } else if (step === 'import') {
            await read(log.path, host);
            log.imported = log.values;
          } else if (step === 'rotate') {
            const rotated = join(folder, host, `s.${++renamed}.hlog`);
            renameSync(log.path, rotated);
            log.path = rotated;
          } else if (step === 'copy' && log.imported > 0) {
            const copy = written(`copy/${host}.hlog`, logOf(log.values, log.seed));
            await expect(read(copy, host)).rejects.toMatchObject({ code: 'ERR_ALREADY_REGISTERED' });
          } else if (step === 'compact' && [...logs.values()].some(({ imported }) => imported > 0)) {
            await compactHistory(history, { nowMs: LATER_MS });
          } else if (step === 'roll up' && [...logs.values()].some(({ imported }) => imported > 0)) {
            await rollUpHistory(history, join(folder, 'hours'), { nowMs: LATER_MS });
            rolled = [...logs.values()].reduce((sum, { imported }) => sum + imported, 0);
          }
        }
        const total = [...logs.values()].reduce((sum, { imported }) => sum + imported, 0);
        if (total > 0) expect(await totalsOf(history)).toEqual(each(total));
        if (rolled > 0) expect(await totalsOf(join(folder, 'hours'))).toEqual(each(rolled));
      },
    ),
    { numRuns: caseCount(4, 100) },
  );
}, 300_000);
