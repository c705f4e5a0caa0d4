import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as engine from '@hdrscope/history';
import { type HistoryRow, rowsBetween, writeRows } from '@hdrscope/history';
import * as internal from '@hdrscope/history/internal';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { fillDisk } from '../browser/disk.ts';
import * as page from '../browser/node/history.ts';

shareDuckDb();

const START_MS = Date.parse('2026-11-22T22:00:00Z');
const MINUTE_MS = 60_000;

const recorded = fc.record({
  metric: fc.constantFrom('rpc', 'sizes'),
  route: fc.constantFrom(undefined, '/a', '/b'),
  host: fc.constantFrom('h1', 'h2'),
  digits: fc.constantFrom(2, 3),
  minute: fc.nat(300),
  lengthMs: fc.constantFrom(MINUTE_MS, 90_000),
  values: fc.array(fc.nat(4000), { maxLength: 20 }),
});
type Recorded = typeof recorded extends fc.Arbitrary<infer T> ? T : never;

async function makeRow(
  { metric, route, host, digits, minute, lengthMs, values }: Recorded,
  sequence: number,
) {
  const registry = createRegistry();
  const unit = metric === 'rpc' ? 's' : 'By';
  const family = registry.histogram({ name: metric, unit, significantDigits: digits as 2 | 3 });
  const series = family.with({ host, ...(route !== undefined && { route }) });
  for (const value of values) series.record(metric === 'rpc' ? value / 4 : value);
  const [row] = rowsBetween(undefined, await registry.gather(), { producer: host });
  const startMs = START_MS + minute * MINUTE_MS;
  // Every second row has a trace, and some rows have the same one.
  const exemplars = [{ value: row?.max ?? 0, timeMs: startMs, traceId: `t${sequence % 8}`, spanId: '' }];
  const traced = sequence % 2 === 0 ? { exemplars } : {};
  return row && { ...row, ...traced, startMs, endMs: startMs + lengthMs, sequence };
}

/** Calls `use` with the folder of a history, whose files the disk of the worker has, too. */
async function withHistory(all: readonly Recorded[], use: (folder: string) => Promise<void>): Promise<void> {
  const made = await Promise.all(all.map(makeRow));
  const rows = made.filter((row): row is HistoryRow => row !== undefined);
  if (rows.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-playground-history-'));
  try {
    const paths = new Set<string>();
    // The second write has rows again, as after a retry.
    for (const [at, some] of [rows, rows.slice(0, 2)].entries())
      for (const day of new Set(some.map(({ startMs }) => internal.dayOf(startMs)))) {
        const ofDay = some.filter(({ startMs }) => internal.dayOf(startMs) === day);
        const path = join(folder, `${internal.DAY}${day}`, `${at}.parquet`);
        await writeRows(path, ofDay);
        paths.add(path);
      }
    fillDisk(new Map([...paths].map((path) => [path, new Blob([readFileSync(path)])])), () => {});
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const questions = fc.record({
  metric: fc.constantFrom('rpc', 'sizes', 'absent'),
  by: fc.constantFrom([], ['route'], ['route', 'host'], ['absent']),
  where: fc.constantFrom({}, { host: 'h1' }),
  time: fc.constantFrom(
    {},
    { everyMs: MINUTE_MS },
    { every: { days: 1 }, timeZone: 'Europe/Berlin' },
    { everyMs: 3_600_000 },
  ),
  span: fc.constantFrom({}, { sinceMs: START_MS + 10 * MINUTE_MS }, { untilMs: START_MS + 100 * MINUTE_MS }),
});

test('the page answers questions about a history as DuckDB does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 12 }),
      fc.array(questions, { minLength: 1, maxLength: 4 }),
      async (all, asked) => {
        await withHistory(all, async (folder) => {
          expect(await page.historyMetrics(folder)).toEqual(await engine.historyMetrics(folder));
          for (const { time, span, ...rest } of asked) {
            const question = { ...rest, ...time, ...span, percentiles: [0, 50, 99.9, 100] };
            expect(await page.queryHistory(folder, question)).toEqual(
              await engine.queryHistory(folder, question),
            );
            const { percentiles: _, ...merge } = question;
            const merged = await listAll(page.queryMergedRows(folder, merge));
            expect(merged).toEqual(await listAll(engine.queryMergedRows(folder, merge)));
            const limits = { ...rest, limit: 3 };
            const { by: _by, ...exemplars } = { ...limits, ...span };
            expect(await page.queryExemplars(folder, exemplars)).toEqual(
              await engine.queryExemplars(folder, exemplars),
            );
            const selection = { metric: rest.metric, where: rest.where, ...span };
            expect(await page.historySpan(folder, selection)).toEqual(
              await engine.historySpan(folder, selection),
            );
          }
        });
      },
    ),
    { numRuns: caseCount(3, 25), endOnFailure: true },
  );
}, 120_000);

test('the page explains what changed as DuckDB does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 12 }),
      fc.nat(300),
      fc.constantFrom(50, 99, undefined),
      fc.constantFrom({}, { host: 'h1' }),
      async (all, minute, percentile, where) => {
        await withHistory(all, async (folder) => {
          const changedMs = START_MS + minute * MINUTE_MS;
          const question = {
            ...{ metric: 'rpc', where, ...(percentile !== undefined && { percentile }) },
            before: { sinceMs: START_MS, untilMs: changedMs + 1 },
            after: { sinceMs: changedMs + 1, untilMs: START_MS + 301 * MINUTE_MS },
          };
          expect(await page.explainHistory(folder, question)).toEqual(
            await engine.explainHistory(folder, question),
          );
        });
      },
    ),
    { numRuns: caseCount(3, 25), endOnFailure: true },
  );
}, 120_000);

async function listAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
