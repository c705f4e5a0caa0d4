import { inspect } from 'node:util';
import { Histogram } from '../../src/histogram/histogram.ts';
import { describeEachStorage } from '../support/storages.ts';

const { emitWarning } = process;
const { NODE_ENV } = process.env;
const warnings: string[] = [];

beforeEach(() => {
  warnings.length = 0;
  process.emitWarning = (warning: string | Error) => {
    warnings.push(String(warning));
  };
});

afterEach(() => {
  process.env.NODE_ENV = NODE_ENV;
  process.emitWarning = emitWarning;
});

describe('a histogram that gets seconds where it counts milliseconds', () => {
  test('warns in no production process', () => {
    process.env.NODE_ENV = 'production';
    const histogram = new Histogram();
    for (let i = 0; i < 200; i++) histogram.record(0.012);
    expect(warnings).toEqual([]);
  });

  test('warns of no zeros, and of no few fractions among larger values', () => {
    const histogram = new Histogram();
    histogram.record(0, 10_000);
    for (let i = 0; i < 5000; i++) histogram.record(0.5);
    expect([warnings, inspect(histogram)]).toEqual([[], expect.not.stringContaining('finer unit')]);
  });

  test('warns once, and shows it when it is inspected', () => {
    for (let n = 0; n < 2; n++) {
      const histogram = new Histogram();
      for (let i = 0; i < 200; i++) histogram.record(0.012);
      expect(inspect(histogram)).toContain('200 of 200 values were above 0 and below 1, and count as 0');
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('100 of 100 values were above 0 and below 1, and count as 0');
  });
});

describeEachStorage('fractions below 1', (storage) => {
  test('count as 0, however they are recorded', () => {
    const histogram = new Histogram({ storage });
    histogram.record(0.5);
    histogram.record(0.5, 3);
    histogram.recordValues([0.25, 1.75]);
    expect([histogram.totalCount, histogram.countAt(0), histogram.countAt(1)]).toEqual([6, 5, 1]);
  });

  test('are forgotten by a reset', () => {
    const histogram = new Histogram({ storage });
    histogram.record(0.5);
    histogram.reset();
    histogram.record(0);
    expect(inspect(histogram)).not.toContain('finer unit');
  });
});
