import { placeSlots } from '../../src/chart/slot-axis.ts';
import { slotText } from '../../src/chart/slot-text.ts';

const slotsOf = (bounds: number[]) => bounds.slice(1).map((upper, i) => ({ lower: bounds[i]!, upper }));

test('slots of one width are placed by their bounds', () => {
  const { places, min, max } = placeSlots({ name: 'x', unit: 'none', slots: slotsOf([0, 8, 16, 24]) }, 10);
  expect(places).toEqual([
    [0, 8],
    [8, 16],
    [16, 24],
  ]);
  expect([min, max]).toEqual([0, 24]);
});

test('slots of growing widths are placed by the logarithm of their bounds, and open slots are as wide as the usual one', () => {
  const slots = slotsOf([Number.NEGATIVE_INFINITY, 0, 512, 1024, 2048, Number.POSITIVE_INFINITY]);
  const { places } = placeSlots({ name: 'x', unit: 'bytes', slots }, 10);
  expect(places).toEqual([
    [7, 8],
    [8, 9],
    [9, 10],
    [10, 11],
    [11, 12],
  ]);
});

test('slots of integers leave no gaps between them', () => {
  const slots = [
    { lower: 2, upper: 3 },
    { lower: 4, upper: 7 },
    { lower: 8, upper: 16 },
  ];
  const { places } = placeSlots({ name: 'x', unit: 'none', slots }, 10);
  expect(places).toEqual([
    [1, 2],
    [2, 3],
    [3, 4],
  ]);
});

test('slots of time keep their gaps', () => {
  const slots = [
    { lower: 1000, upper: 2000 },
    { lower: 5000, upper: 6000 },
  ];
  expect(placeSlots({ name: 'time', unit: 'time', slots }, 10).places).toEqual([
    [1000, 2000],
    [5000, 6000],
  ]);
});

test('round values are labelled in place of bounds that are not, no more than there is room for', () => {
  const slots = slotsOf(Array.from({ length: 61 }, (_, i) => 100 * 1.2 ** i));
  const { labels } = placeSlots({ name: 'x', unit: 'us', slots }, 12);
  expect(labels.map(({ text }) => text)).toEqual(['100 µs', '1 ms', '10 ms', '100 ms', '1 s']);
  for (const [i, { place }] of labels.entries()) expect(place).toBeCloseTo(Math.log2(100 * 10 ** i), 9);
});

test.each([
  [{ lower: 2, upper: 4 }, 'none', true, '2–4'],
  [{ lower: 1, upper: 1 }, 'none', true, '1'],
  [{ lower: 65, upper: Number.POSITIVE_INFINITY }, 'none', true, '65+'],
  [{ lower: 1024, upper: 2048 }, 'ns', false, '1.02 µs – 2.05 µs'],
  [{ lower: 4096, upper: Number.POSITIVE_INFINITY }, 'bytes', false, 'from 4 KiB'],
  [{ lower: Number.NEGATIVE_INFINITY, upper: 0 }, 'ms', false, 'below 0 ns'],
  [
    { lower: Date.UTC(2026, 0, 1, 12), upper: Date.UTC(2026, 0, 1, 12, 0, 1) },
    'time',
    false,
    '12:00:00 – 12:00:01',
  ],
] as const)('the slot %j in %s with isInteger %j reads %j', (slot, unit, isInteger, text) => {
  expect(slotText(slot, unit, isInteger)).toBe(text);
});
