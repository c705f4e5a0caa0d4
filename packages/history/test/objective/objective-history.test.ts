import { caseCount } from '@hdrscope/testing/case-count';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { type HistoryRow, slotBounds } from '../../src/index.ts';
import { historyUnits, objectiveHistory } from '../../src/objective/objective-history.ts';
import { dividedSlot, thresholdSlot } from '../../src/objective/threshold.ts';
import { writeRows } from '../support/folder.ts';
import { groupedBy, INTERVAL_MS, recorded, rowsOf, START_MS } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const DAY_MS = 86_400_000;
const FIRST_DAY_MS = START_MS - (START_MS % DAY_MS);
const QUESTION = {
  metric: 'lat',
  threshold: 0.25,
  objective: 0.999,
  sinceMs: FIRST_DAY_MS,
  untilMs: FIRST_DAY_MS + 10 * DAY_MS,
};

let sequence = 0;

/** A row of a day, which has `good` values of 1 ms and `bad` ones of 1 s. */
function row(day: number, good: number, bad: number, more: Partial<HistoryRow> = {}): HistoryRow {
  const slots = [[1e6, good] as const, [1e9, bad] as const].filter(([, count]) => count > 0);
  const startMs = FIRST_DAY_MS + day * DAY_MS + 1000;
  const bits = 7;
  return {
    metric: 'lat',
    unit: 's',
    attributes: {},
    startMs,
    endMs: startMs + 60_000,
    producer: 'p',
    sequence: sequence++,
    count: good + bad,
    sum: good * 1e6 + bad * 1e9,
    min: 1e6,
    max: 1e9,
    scale: 1e-9,
    bits,
    k: slots.map(([tick]) => thresholdSlot(tick * 1e-9, 1e-9, bits).lastPossible),
    c: slots.map(([, count]) => count),
    w: [],
    version: 2,
    ...more,
  };
}

test('days are kept, missed or without values, and the budget of all of them is used in parts', async () => {
  const folder = newDirectory();
  // 1 of 1000 is just kept, 2 of 1000 are missed.
  await writeRows(folder, [row(0, 999, 1), row(1, 998, 2), row(3, 1000, 0), row(3, 1000, 0)]);
  const [all, ...others] = await objectiveHistory(folder, {
    ...QUESTION,
    untilMs: FIRST_DAY_MS + 4 * DAY_MS,
  });
  expect(others).toEqual([]);
  expect(all!.divided).toEqual(dividedSlot(0.25, 1e-9, 7));
  expect(all!.periods.map(({ verdict }) => verdict)).toEqual(['kept', 'missed', 'without values', 'kept']);
  expect(all!.verdicts).toEqual({ kept: 2, missed: 1, undecided: 0, 'without values': 1 });
  expect(all!.periods.map(({ burnRate }) => burnRate?.upper)).toEqual([1, 2, undefined, 0]);
  expect(all!.periods.map(({ budgetUsed }) => budgetUsed.upper)).toEqual([0.25, 0.5, 0, 0]);
  expect(all!.total).toMatchObject({
    startMs: QUESTION.sinceMs,
    endMs: FIRST_DAY_MS + 4 * DAY_MS,
    count: 4000,
    within: { lower: 3997, upper: 3997 },
    share: { lower: 0.99925, upper: 0.99925 },
    burnRate: { lower: 0.75, upper: 0.75 },
    verdict: 'kept',
  });
});

test('the values of a slot that the threshold divides leave a day undecided, and its bounds decide it', async () => {
  const folder = newDirectory();
  await writeRows(folder, [row(0, 999, 1)]);
  const verdictOf = async (threshold: number) => {
    const [all] = await objectiveHistory(folder, { ...QUESTION, objective: 0.9995, threshold });
    return [all!.periods[0]!.verdict, all!.divided] as const;
  };
  const { lower, upper } = slotBounds(thresholdSlot(1, 1e-9, 7).lastPossible, 7);
  expect(await verdictOf(1)).toEqual(['undecided', { lower: lower / 1e9, upper: upper / 1e9 }]);
  expect(await verdictOf(upper / 1e9)).toEqual(['kept', undefined]);
  expect(await verdictOf((lower - 1) / 1e9)).toEqual(['missed', undefined]);
});

test('a first and a last day that are asked for in part are shorter', async () => {
  const folder = newDirectory();
  await writeRows(folder, [row(0, 5, 0), row(1, 7, 0)]);
  const sinceMs = FIRST_DAY_MS + DAY_MS / 2;
  const [all] = await objectiveHistory(folder, { ...QUESTION, sinceMs, untilMs: sinceMs + DAY_MS });
  expect(all!.periods).toMatchObject([
    { startMs: sinceMs, endMs: FIRST_DAY_MS + DAY_MS, count: 0 },
    { startMs: FIRST_DAY_MS + DAY_MS, endMs: sinceMs + DAY_MS, count: 7 },
  ]);
});

test('rows of different digits and scales are each judged by their own slots, as values are counted one by one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 4 }),
      fc.array(recorded, { maxLength: 1 }),
      fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 2 ** 49 })),
      fc.constantFrom([], ['route'], ['route', 'method']),
      async (fine, coarse, tick, by) => {
        const coarser = (await rowsOf(coarse, { scale: 1e-6 })).map((one) => ({
          ...one,
          producer: 'coarse',
        }));
        const rows = [...(await rowsOf(fine)), ...coarser];
        if (rows.length === 0) return;
        const folder = newDirectory();
        await writeRows(folder, rows);
        await writeRows(folder, rows.slice(0, 1)); // a retry
        const threshold = tick / 1e9;
        const span = { sinceMs: START_MS, untilMs: START_MS + 10 * INTERVAL_MS, everyMs: INTERVAL_MS };
        const found = await objectiveHistory(folder, { ...QUESTION, ...span, threshold, by });
        const groups = groupedBy(rows, ({ attributes }) =>
          JSON.stringify(by.map((key) => attributes[key] ?? null)),
        );
        const keyOf = (texts: Readonly<Record<string, string>>) =>
          JSON.stringify(by.map((key) => texts[key] ?? null));
        expect(found.map(({ attributes }) => keyOf(attributes)).sort()).toEqual([...groups.keys()].sort());
        for (const { attributes, periods } of found) {
          for (const { startMs, endMs, count, within } of periods) {
            const own = groups
              .get(keyOf(attributes))!
              .filter(
                (one) => one.startMs - (one.startMs % INTERVAL_MS) === startMs - (startMs % INTERVAL_MS),
              );
            expect(endMs).toBeGreaterThan(startMs);
            const slots = own.flatMap(({ k, c, bits, scale }) =>
              k.map((slot, i) => ({ slot, bits, scale, n: c[i]! })),
            );
            // In nanoseconds; bounds of large ticks are beyond the integers of doubles.
            const ns = (tick: number, scale: number) => BigInt(tick) * (scale === 1e-9 ? 1n : 1000n);
            const sum = (bound: 'lower' | 'upper') =>
              slots
                .filter(({ slot, bits, scale }) => ns(slotBounds(slot, bits)[bound], scale) <= BigInt(tick))
                .reduce((total, { n }) => total + n, 0);
            expect({ count, within }).toEqual({
              count: slots.reduce((total, { n }) => total + n, 0),
              within: { lower: sum('upper'), upper: sum('lower') },
            });
          }
        }
      },
    ),
    { numRuns: caseCount(8, 25) },
  );
});

test('a metric in two units is refused until one is named', async () => {
  const folder = newDirectory();
  await writeRows(folder, [row(0, 10, 0), row(0, 20, 0, { unit: 'ms', scale: 1e-6 })]);
  expect(
    await historyUnits(folder, { metric: 'lat', sinceMs: QUESTION.sinceMs, untilMs: QUESTION.untilMs }),
  ).toEqual(['ms', 's']);
  await expect(objectiveHistory(folder, QUESTION)).rejects.toMatchObject({
    code: 'ERR_INCOMPATIBLE',
    message:
      'lat has values in the units "ms" and "s", and a threshold has one: ask for one of them with unit',
  });
  const [all] = await objectiveHistory(folder, { ...QUESTION, unit: 's' });
  expect(all!.total.count).toBe(10);
  expect(await objectiveHistory(folder, { ...QUESTION, metric: 'other' })).toEqual([]);
});

test.each([
  [{ threshold: -1 }, 'threshold must be a finite number of at least 0, got -1'],
  [{ objective: 99.9 }, 'objective must be a share above 0 and below 1, as in 0.999, got 99.9'],
  [{ untilMs: QUESTION.sinceMs }, `untilMs must be a time after sinceMs, which is ${QUESTION.sinceMs}, got`],
  [{ everyMs: 1 }, 'everyMs must be so long that there are at most 100000 periods, got 1'],
  [{ by: 'route' }, 'by must be an array of texts, got "route"'],
])('%j is refused', async (wrong, message) => {
  await expect(objectiveHistory('a', { ...QUESTION, ...wrong } as never)).rejects.toThrow(message);
});

test('a misspelt option is refused', async () => {
  await expectMisspelt(() => objectiveHistory('a', { ...QUESTION, thresholds: 1 } as never), 'threshold');
});

test('a row with more bits than a history has is refused, because its values would count as bad', async () => {
  const folder = newDirectory();
  await writeRows(folder, [row(0, 999, 1), row(0, 5, 0, { bits: 21 })]);
  await expect(objectiveHistory(folder, QUESTION)).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
    message: expect.stringContaining('its rows must have bits from 0 to 20'),
  });
});
