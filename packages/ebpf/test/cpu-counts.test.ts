import fc from 'fast-check';
import { explicitKernelLayout, listCpuCounts, sumCpus } from '../src/index.ts';

const LAYOUT = explicitKernelLayout([0, 4]);

test('counts and sums of all CPUs are added up, slot by slot', () => {
  const { layout, counts, sum } = sumCpus({ layout: LAYOUT, counts: [1, 2, 3, 10, 20, 30], sums: [8, 80] });
  expect(layout).toBe(LAYOUT.slots);
  expect([counts.at(0), counts.at(1), counts.at(2), counts.total, sum]).toEqual([11, 22, 33, 66, 88]);
});

test('each CPU has its own counts and sum', () => {
  const cpus = listCpuCounts({ layout: LAYOUT, counts: [1, 2, 3, 10, 20, 30], sums: [8, 80] });
  expect(cpus.map(({ counts, sum }) => [counts.at(0), counts.at(1), counts.at(2), sum])).toEqual([
    [1, 2, 3, 8],
    [10, 20, 30, 80],
  ]);
});

test('without sums of the program there is no sum', () => {
  const kernel = { layout: LAYOUT, counts: [1, 2, 3] };
  expect([sumCpus(kernel).sum, listCpuCounts(kernel)[0]!.sum]).toEqual([undefined, undefined]);
});

test('the counts of the CPUs add up to the counts of all CPUs', () => {
  const cpu = fc.array(fc.nat(), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(cpu, { minLength: 1, maxLength: 5 }), (cpus) => {
      const kernel = { layout: LAYOUT, counts: cpus.flat() };
      const parts = listCpuCounts(kernel).map(({ counts }) => counts.total);
      expect(sumCpus(kernel).counts.total).toBe(parts.reduce((left, right) => left + right));
    }),
  );
});

test.each([
  ['no counts', []],
  ['counts for a part of a CPU', [1, 2, 3, 4]],
  ['a negative count', [1, 2, -3]],
  ['a total above 2^53 - 1', [2 ** 53 - 1, 1, 0]],
])('%s are refused', (_, counts) => {
  for (const read of [sumCpus, listCpuCounts]) {
    expect(() => read({ layout: LAYOUT, counts })).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_COUNT' }),
    );
  }
});
