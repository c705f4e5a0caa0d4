import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
import fc from 'fast-check';
import {
  figureBounds,
  type HistoryQuestion,
  type HistoryRow,
  mergeRows,
  percentilesOf,
} from '../../src/index.ts';
import { groupedBy, INTERVAL_MS, recorded, rowsOf } from './recorded.ts';

/** Asks an engine. Its rows have the columns of `historySql`, whose integers are numbers. */
export type Ask = (
  question: HistoryQuestion,
) => Record<string, unknown>[] | Promise<Record<string, unknown>[]>;

/** An answer whose integers of 64 bits are texts, as in JSON, with numbers instead. */
export function withNumbers(answer: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  // JSON has no infinity: ClickHouse writes null, and PostgreSQL a text.
  const readEnd = ([name, value]: [string, unknown]): [string, unknown] =>
    /^max$|_upper$/.test(name) && (value === null || value === 'Infinity')
      ? [name, Number.POSITIVE_INFINITY]
      : [name, value];
  return answer.map((row) => ({
    ...Object.fromEntries(Object.entries(row).map(readEnd)),
    count: Number(row.count),
    start_ms: row.start_ms === null ? null : Number(row.start_ms),
  }));
}

const PERCENTILES = [0, 50, 99.9, 100];

/** Rows by the group and the bucket of time that a question puts them in: see `groupKey`. */
export function groupsOf(
  rows: readonly HistoryRow[],
  by: readonly string[],
  everyMs: number | undefined,
): Map<string, HistoryRow[]> {
  return groupedBy(rows, ({ attributes, startMs }) =>
    groupKey(
      by.map((key) => attributes[key]),
      everyMs && startMs - (startMs % everyMs),
    ),
  );
}

/** The key of a group, from the values of its attributes and the start of its bucket. */
export function groupKey(values: readonly unknown[], start: unknown): string {
  return JSON.stringify([values.map((value) => value ?? null), start ?? null]);
}

/**
 * Expects that an engine gives the percentiles of merged rows, by group and time, whatever the digits are.
 *
 * @param store Gives the engine a table of these lists of rows only; some rows are in two lists, as after a retry. Returns each way
 *   to ask for them.
 */
export async function expectMergedPercentiles(
  numRuns: number,
  store: (lists: readonly (readonly HistoryRow[])[]) => Promise<readonly Ask[]>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 4 }),
      fc.constantFrom([], ['route'], ['method', 'absent']),
      fc.constantFrom(undefined, INTERVAL_MS),
      async (all, by, everyMs) => {
        const rows = await rowsOf(all);
        if (rows.length === 0) return;
        const groups = groupsOf(rows, by, everyMs);
        const question = { metric: 'lat', percentiles: PERCENTILES, by, ...(everyMs && { everyMs }) };
        for (const ask of await store([rows, rows.slice(0, 2)])) {
          const answer = await ask(question);
          expect(answer.length).toBe(groups.size);
          for (const group of answer) expectMerged(group, by, groups);
        }
      },
    ),
    { numRuns },
  );
}

function expectMerged(
  group: Record<string, unknown>,
  by: readonly string[],
  groups: ReadonlyMap<string, readonly HistoryRow[]>,
): void {
  const key = groupKey(
    by.map((_, i) => group[`group${i + 1}`]),
    group.start_ms,
  );
  const merged = mergeRows(groups.get(key)!);
  const { count, bits } = merged;
  const resolution = resolutionOf(merged.scale);
  const { min, max } = figureBounds(merged);
  const found = [group.count, group.min, group.min_upper, group.max_lower, group.max, group.bits];
  expect(found).toEqual([count, min.lower, min.upper, max.lower, max.upper, bits]);
  const { sumBelow, sumAbove } = merged.margins ?? { sumBelow: 0, sumAbove: 0 };
  const sums = [merged.sum - sumBelow, merged.sum, merged.sum + sumAbove];
  expect([group.sum_lower, group.sum, group.sum_upper]).toEqual(
    sums.map((ticks) => expect.closeTo(fromTicks(resolution, ticks), 3)),
  );
  for (const { percentile, lower, upper } of percentilesOf(merged, PERCENTILES)) {
    const name = `p${percentile}`.replace('.', '_');
    expect([group[`${name}_lower`], group[`${name}_upper`]]).toEqual([lower, upper]);
  }
}
