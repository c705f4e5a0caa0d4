import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { formatInterval, readIntervals, reintervalLog, sumLogs, summarizeLogs } from '@hdrscope/interval-log';
import { bytes } from '../support/read.ts';

interface Shape {
  readonly significantDigits: number;
  readonly lowestDiscernibleValue?: number;
}

/** A log of one interval, of a histogram of this shape. */
function logOf(values: readonly number[], shape: Shape, second = 1): string {
  const histogram = new Histogram({ highestTrackableValue: 2 ** 40, ...shape });
  histogram.recordValues(values);
  return formatInterval(histogram, { startSec: second, endSec: second + 1 });
}

const FINE = logOf([427, 100_050], { significantDigits: 3 });
const COARSE = logOf([100_900, 200_000], { significantDigits: 2 });
const WIDE = logOf([16_383, 5_000_000], { significantDigits: 3, lowestDiscernibleValue: 2 ** 14 });
const TRUTH = [427, 16_383, 100_050, 100_900, 200_000, 5_000_000];

const ORDERS = [
  [FINE, COARSE, WIDE],
  [WIDE, COARSE, FINE],
  [COARSE, WIDE, FINE],
];

describe('logs of unlike layouts', () => {
  test.each(ORDERS)(
    'have the same sum in any order, with bounds that contain the truth (%#)',
    async (...logs) => {
      const { tags } = await summarizeLogs(logs.map((log) => bytes(log)));
      const { sum, histogram } = tags[0]!;
      for (const [i, value] of TRUTH.entries()) {
        const percentile = (100 * (i + 1)) / TRUTH.length;
        const { lower, upper } = sum.percentile(percentile);
        expect([lower <= value, upper >= value]).toEqual([true, true]);
        const at = histogram.valueAtPercentile(percentile);
        expect(histogram.lowestEquivalentValue(at)).toBeLessThanOrEqual(value);
        expect(at).toBeGreaterThanOrEqual(value);
      }
      expect(sum.percentile(1)).toEqual({ lower: 0, upper: 427 });
      const { layout } = histogram as Histogram;
      expect([layout.significantDigits, layout.lowestDiscernibleValue]).toEqual([2, 2 ** 14]);
      expect((await sumLogs([bytes(logs.join(''))]))!.toJSON()).toEqual(histogram.toJSON());
    },
  );

  test('become longer intervals in slots that contain theirs', async () => {
    const lines: string[] = [];
    for await (const line of reintervalLog(bytes(FINE + COARSE), { lengthSec: 60 })) lines.push(line);
    for await (const interval of readIntervals(bytes(lines.join('')))) {
      const histogram = interval.histogram() as Histogram;
      expect(histogram.layout.significantDigits).toBe(2);
      expect(TRUTH.filter((value) => histogram.countAt(value) > 0)).toEqual([427, 100_050, 100_900, 200_000]);
    }
  });

  test('of doubles keep every interval, however far apart the values are', async () => {
    const doublesOf = (value: number, significantDigits: number): string => {
      const doubles = new DoubleHistogram({ significantDigits });
      doubles.record(value);
      return formatInterval(doubles, { startSec: 1, endSec: 2 });
    };
    const logs = [doublesOf(1e-12, 3), doublesOf(1e12, 3), doublesOf(0.5, 2)];
    for (const order of [logs, [...logs].reverse()]) {
      const malformed: unknown[] = [];
      const onMalformed = (line: unknown): void => void malformed.push(line);
      const { tags } = await summarizeLogs([bytes(order.join(''))], { onMalformed });
      expect([tags[0]!.sum.totalCount, malformed]).toEqual([3, []]);
      expect(tags[0]!.sum.percentile(50).upper).toBeCloseTo(0.5, 1);
      expect(() => tags[0]!.histogram).toThrow(expect.objectContaining({ code: 'ERR_VALUE_OUT_OF_RANGE' }));
    }
  });
});
