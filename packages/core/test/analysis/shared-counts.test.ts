import { kolmogorovSmirnovTest } from '../../src/analysis/kolmogorov-smirnov-test.ts';
import { mannWhitneyTest } from '../../src/analysis/mann-whitney-test.ts';
import { computeExcessKurtosis, computeSkewness } from '../../src/analysis/moments.ts';
import { percentileDifference } from '../../src/analysis/percentile-difference.ts';
import { percentileInterval } from '../../src/analysis/percentile-interval.ts';
import { welchTest } from '../../src/analysis/welch-test.ts';
import type { Counted } from '../../src/counted.ts';
import type { HdrLayout } from '../../src/layout/hdr.ts';
import { recordedOnce } from '../support/recorded.ts';

test.each<[string, (a: Counted<HdrLayout>, b: Counted<HdrLayout>) => unknown]>([
  ['the Kolmogorov-Smirnov test', kolmogorovSmirnovTest],
  ['the Mann-Whitney test', mannWhitneyTest],
  ['Welch’s test', (a, b) => welchTest(a, b)],
  ['the difference of a percentile', (a, b) => percentileDifference(a, b, 50)],
  ['the interval of a percentile', (a, b) => [a, b].map((one) => percentileInterval(one, 50))],
  ['skewness', (a, b) => [a, b].map(computeSkewness)],
  ['kurtosis', (a, b) => [a, b].map(computeExcessKurtosis)],
])('%s asks for the counts once, as those of shared storage are copied each time', (_what, read) => {
  let asked = 0;
  const histogram = recordedOnce([1, 5, 7, 90], { storage: 'shared', highestTrackableValue: 1000 });
  const watched: Counted<HdrLayout> = {
    layout: histogram.layout,
    get counts() {
      asked++;
      return histogram.counts;
    },
  };
  read(watched, watched);
  expect(asked).toBe(2);
});
