import { kolmogorovSmirnovTest } from '../../src/analysis/kolmogorov-smirnov-test.ts';
import { mannWhitneyTest } from '../../src/analysis/mann-whitney-test.ts';
import { computeExcessKurtosis, computeSkewness } from '../../src/analysis/moments.ts';
import { welchTest } from '../../src/analysis/welch-test.ts';
import { expectWithin, goldens, samplesOf } from './goldens.ts';

// SciPy computed the golden numbers from the middles of the slots.
describe.each(goldens.samples)('$name: SciPy has the same result', (golden) => {
  const [a, b] = samplesOf(golden);

  test('of skewness and kurtosis', () => {
    for (const [i, sample] of [a, b].entries()) {
      expectWithin(computeSkewness(sample), golden.skewness[i]!, 1e-11);
      expectWithin(computeExcessKurtosis(sample), golden.excessKurtosis[i]!, 1e-11);
    }
  });

  test('of the Kolmogorov-Smirnov test', () => {
    const { statistic, pValue } = kolmogorovSmirnovTest(a, b);
    expectWithin(statistic, golden.kolmogorovSmirnov.statistic, 1e-14);
    expectWithin(pValue, golden.kolmogorovSmirnov.pValue, 1e-11);
  });

  test('of the Mann-Whitney test', () => {
    const { u, pValue } = mannWhitneyTest(a, b);
    expect(u).toBe(golden.mannWhitney.u);
    expectWithin(pValue, golden.mannWhitney.pValue, 1e-11);
  });

  test('of Welch’s test', () => {
    const { welch } = golden;
    const { t, degreesOfFreedom, pValue, interval } = welchTest(a, b, { confidence: 0.99 });
    expectWithin(t, welch.t, 1e-12);
    expectWithin(degreesOfFreedom, welch.degreesOfFreedom, 1e-12);
    expectWithin(pValue, welch.pValue, 1e-10);
    expectWithin(interval.lower, welch.lower99, 1e-11);
    expectWithin(interval.upper, welch.upper99, 1e-11);
  });
});
