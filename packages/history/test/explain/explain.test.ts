import type { SeriesChange } from '@hdrscope/explain/internal';
import { BITS, incidentWorld, SCALE, world } from '@hdrscope/testing/incidents';
import { createRandom } from '@hdrscope/testing/random';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { explainHistory } from '../../src/explain/explain.ts';
import { explainSeries } from '../../src/explain/explain-series.ts';
import type { HistoryRow } from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const BEFORE_MS = Date.parse('2026-03-10T14:00:00Z');
const AFTER_MS = Date.parse('2026-03-10T15:10:00Z');
const END_MS = Date.parse('2026-03-10T15:18:00Z');
const RANGES = {
  before: { sinceMs: BEFORE_MS, untilMs: AFTER_MS },
  after: { sinceMs: AFTER_MS, untilMs: END_MS },
};

/** Two rows for each series, and one outside of both ranges. */
function rowsOf(all: readonly SeriesChange[], more: Partial<HistoryRow> = {}): HistoryRow[] {
  let sequence = 0;
  return all.flatMap(({ attributes, before, after }) =>
    (
      [
        [before, BEFORE_MS],
        [after, AFTER_MS],
        [after, END_MS],
      ] as const
    )
      .filter(([{ k }]) => k.length > 0)
      .map(([{ k, c }, startMs]) => {
        const sorted = Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
        return {
          metric: 'lat',
          unit: 's',
          attributes: Object.fromEntries(sorted),
          startMs,
          endMs: startMs + 60_000,
          producer: 'p',
          sequence: sequence++,
          count: c.reduce((sum, n) => sum + n, 0),
          sum: 1,
          min: 0,
          max: 1,
          scale: SCALE,
          bits: BITS,
          k,
          c,
          w: [],
          version: 2 as const,
          ...more,
        };
      }),
  );
}

test.each([1, 2, 3])('files and DuckDB give the explanation of incident %i in memory', async (seed) => {
  const { series, guilty } = incidentWorld(createRandom(seed));
  const folder = newDirectory();
  const rows = rowsOf(series);
  await writeRows(folder, rows);
  await writeRows(folder, rows.slice(0, 50)); // a retry
  const found = await explainHistory(folder, { metric: 'lat', ...RANGES });
  const expected = explainSeries(series, { percentile: 99.9, bits: BITS, scale: SCALE });
  const sorted = (causes: typeof expected.causes) =>
    causes.map((cause) => JSON.stringify({ ...cause, evidence: Math.round(cause.evidence) })).sort();
  expect({ ...found, causes: sorted(found.causes) }).toEqual({
    ...expected,
    unit: 's',
    causes: sorted(expected.causes),
  });
  expect(found.verdict).toBe('explained');
  const [[key, value] = ['', '']] = Object.entries(guilty[0]!.attributes);
  expect(found.causes[0]!.attributes).toContainEqual([{ key, value }]);
  const inside = await explainHistory(folder, {
    metric: 'lat',
    ...RANGES,
    where: { [key]: value },
  });
  expect(inside.after.count).toBe(found.causes[0]!.after.count);
});

test('a quiet day in files has no verdict, and a metric that nobody counted has no values', async () => {
  const folder = newDirectory();
  await writeRows(folder, rowsOf(world(createRandom(1001)).series));
  expect(await explainHistory(folder, { metric: 'lat', ...RANGES })).toMatchObject({
    verdict: 'no difference shown',
    causes: [],
  });
  expect(await explainHistory(folder, { metric: 'other', ...RANGES })).toMatchObject({
    unit: undefined,
    verdict: 'too few values',
    before: { count: 0 },
  });
});

test('rows of more bits are merged at the fewest of all', async () => {
  const folder = newDirectory();
  const { series } = incidentWorld(createRandom(4));
  const finer = rowsOf(series, { producer: 'fine', bits: BITS + 3 }).map((row) => ({
    ...row,
    k: row.k.map((slot) => slot * 8 + 5),
  }));
  await writeRows(folder, [...rowsOf(series).slice(0, 3), ...finer.slice(3)]);
  const found = await explainHistory(folder, { metric: 'lat', ...RANGES });
  const expected = explainSeries(series, { percentile: 99.9, bits: BITS, scale: SCALE });
  expect(found.difference).toEqual(expected.difference);
});

test('rows of two scales are refused', async () => {
  const folder = newDirectory();
  const { series } = world(createRandom(5));
  await writeRows(folder, rowsOf(series));
  await writeRows(folder, rowsOf(series, { producer: 'q', scale: 1e-6 }));
  await expect(explainHistory(folder, { metric: 'lat', ...RANGES })).rejects.toMatchObject({
    code: 'ERR_INCOMPATIBLE',
    message: expect.stringContaining(
      'lat must have one unit and scale before and after, got "s" in steps of',
    ),
  });
});

test.each([
  [{ percentile: 101 }, 'percentile must be a number from 0 to 100, got 101'],
  [{ confidence: 1 }, 'confidence must be a number above 0 and below 1, got 1'],
  [{ minShare: 0 }, 'minShare must be a number above 0 and at most 1, got 0'],
  [{ minChange: -1 }, 'minChange must be a finite number of at least 0, got -1'],
  [
    { after: RANGES.before },
    'after must be a range from sinceMs to untilMs that does not overlap with before',
  ],
  [
    { before: { sinceMs: 2, untilMs: 1 } },
    'before must be a range whose untilMs is after its sinceMs, got "2 to 1"',
  ],
  [{ before: undefined }, 'before must be a range: { sinceMs, untilMs }, got undefined'],
])('%j is refused', async (wrong, message) => {
  await expect(explainHistory('a', { metric: 'lat', ...RANGES, ...wrong } as never)).rejects.toThrow(message);
});

test('a misspelt option is refused', async () => {
  await expectMisspelt(
    () => explainHistory('a', { metric: 'lat', ...RANGES, percentiles: 1 } as never),
    'percentile',
  );
});
