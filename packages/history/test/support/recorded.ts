import { Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { anyCharacter } from '@hdrscope/testing/any-character';
import fc from 'fast-check';
import { countedOfRow, type HistoryRow, rowsBetween } from '../../src/index.ts';

/** Values that a series counted, in ticks, and how it counted them. */
export interface Recorded {
  readonly significantDigits: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** One list for each interval. */
  readonly intervals: readonly (readonly number[])[];
}

const tick = fc.oneof(
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 3000 }),
  fc
    .tuple(fc.integer({ min: 0, max: 52 }), fc.integer({ min: -1, max: 1 }))
    .map(([power, offset]) => Math.max(0, 2 ** power + offset)),
);

/** Any text that a file holds: also quotes, backslashes, NULs and keys of prototypes. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom(
    "'",
    "''",
    '"',
    '\\',
    "\\'",
    '`',
    '\0',
    '--',
    '/*',
    ';',
    "'; DROP TABLE history; --",
    '$$',
    '{x:String}',
    '?',
    '%',
    '\n',
    '__proto__',
    'constructor',
    'toString',
    '=',
    '',
    ' ',
    'NULL',
    '日本',
    '🙂',
    "E'\\''",
  ),
);

/** A few attributes out of a small world, so that groups meet. */
const attributes = fc.record(
  { route: fc.constantFrom('/pay', '/search', ''), method: fc.constantFrom('GET', 'POST') },
  { requiredKeys: [] },
);

export const recorded: fc.Arbitrary<Recorded> = fc.record({
  significantDigits: fc.integer({ min: 0, max: 5 }),
  attributes,
  intervals: fc.array(fc.array(tick, { maxLength: 20 }), { minLength: 1, maxLength: 3 }),
});

export const START_MS = 1_700_000_000_000;
export const INTERVAL_MS = 60_000;

/** The rows that registries, one for each list of values, give: each is a producer. */
export async function rowsOf(
  all: readonly Recorded[],
  { metric = 'lat', scale = 1e-9 }: { metric?: string; scale?: number } = {},
): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for (const [i, { significantDigits, attributes, intervals }] of all.entries()) {
    let nowMs = START_MS;
    const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
    const family = registry.histogram({ name: metric, unit: 's', resolution: scale, significantDigits });
    const series = family.with(attributes);
    let before = await registry.gather({ maxAgeMs: 0 });
    let sequence = 0;
    for (const ticks of intervals) {
      const histogram = emptyHistogram(significantDigits);
      for (const one of ticks) histogram.record(one);
      series.add(histogram);
      nowMs += INTERVAL_MS;
      const now = await registry.gather({ maxAgeMs: 0 });
      const added = [...rowsBetween(before, now, { producer: `producer ${i}`, sequence })];
      sequence += added.length;
      rows.push(...added);
      before = now;
    }
  }
  return rows;
}

/** A histogram for all ticks. */
export function emptyHistogram(significantDigits: number): Histogram {
  const layout = { highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits };
  return new Histogram({ ...layout, storage: 'sparse' });
}

/** The sum of rows by `Histogram.add`, at the digits of the coarsest. */
export function added(rows: readonly HistoryRow[]): Histogram {
  const digits = Math.min(...rows.map((row) => countedOfRow(row).layout.significantDigits));
  const total = emptyHistogram(digits);
  for (const row of rows) total.add(countedOfRow(row));
  return total;
}

/** Groups by a text. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
