import { rankInterval } from '../../src/analysis/order-statistics.ts';
import { goldens } from './goldens.ts';

// Golden numbers: SciPy and mpmath.
test.each(goldens.rankInterval)(
  'of %d values, quantile %d at %d',
  (n, quantile, confidence, lower, upper, attained) => {
    const interval = rankInterval(n!, quantile!, confidence!);
    expect([interval.lower, interval.upper]).toEqual([lower, upper]);
    expect(interval.confidence).toBeCloseTo(attained!, 12);
  },
);
