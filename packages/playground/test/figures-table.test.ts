import { Histogram } from '@hdrscope/core';
import { figuresJson, summarizeHistogram } from '@hdrscope/inputs/internal';
import { tabulateFigures } from '../browser/figures-table.ts';
import type { LabelledFigures } from '../browser/job.ts';

function document(values: readonly number[]): LabelledFigures {
  const histogram = new Histogram({ significantDigits: 2 });
  for (const value of values) histogram.record(value);
  const shown = (value: number): number => value / 1000;
  return figuresJson(summarizeHistogram(histogram, { name: 'a', unit: 'ms', percentiles: [50, 99], shown }));
}

test('has the columns of hdrscope log summary, and the bounds of values that are known within their slots', () => {
  const figures = document([1000, 2000, 50_000]);
  const { heads, columns, rows, unit } = tabulateFigures(
    { tags: [{ ...figures, tag: null, intervals: 1, startSec: 0, endSec: 2, ratePerSec: 1.5 }] },
    false,
  );
  expect(unit).toBe('ms');
  expect(heads).toEqual(['tag']);
  expect(columns).toEqual(['count', 'rate/s', 'min', 'mean', 'p50', 'p99', 'max']);
  expect(rows[0]!.heads).toEqual(['(no tag)']);
  const [count, rate, min] = rows[0]!.cells;
  expect([count, rate]).toEqual([{ text: '3' }, { text: '1.5' }]);
  // Two significant digits: 1000 lies in a slot of 4.
  expect(min).toEqual({ text: '1.000', bounds: '1.000 to 1.003' });
});

test('has the labels of groups, and shows bounds alone where they stand for the values', () => {
  const { heads, rows } = tabulateFigures(
    { groups: [{ ...document([1000, 50_000]), labels: { route: '/a' }, failed: 3 }] },
    true,
  );
  expect(heads).toEqual(['route', 'failed']);
  expect(rows[0]!.heads).toEqual(['/a', '3']);
  expect(rows[0]!.cells[1]).toEqual({ text: '1.000 to 1.003' });
});

test('writes a dash for what is not known', () => {
  const { rows } = tabulateFigures({ tags: [{ ...document([]), tag: 'a', startSec: 0, endSec: 0 }] }, false);
  expect(rows[0]!.cells.map(({ text }) => text)).toEqual(['0', '-', '-', '-', '-', '-', '-']);
});

test('has the attributes of all groups of a history, of which some lack one', () => {
  const figures = document([1000]);
  const { heads, rows } = tabulateFigures(
    {
      groups: [
        { ...figures, attributes: {} },
        { ...figures, attributes: { route: '/a' } },
      ],
    },
    false,
  );
  expect(heads).toEqual(['route']);
  expect(rows.map((row) => row.heads)).toEqual([[''], ['/a']]);
});
