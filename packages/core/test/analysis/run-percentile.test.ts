import { Histogram } from '@hdrscope/core';
import { percentileOfRun } from '@hdrscope/core/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import { Draws, LOAD_MODELS } from '@hdrscope/testing/load-models';

const SECONDS = 30;
const RATE = 100;
const STRETCHES = 60;

function microseconds(ms: Iterable<number>): Histogram {
  const histogram = new Histogram({ significantDigits: 3 });
  for (const value of ms) histogram.record(Math.round(value * 1000));
  return histogram;
}

describe.each(['independent', 'stalls of 20 to 200 ms', 'AR(1), ρ 0.9', 'AR(1), ρ 0.99'])(
  'runs: %s',
  (name) => {
    const model = LOAD_MODELS[name]!;
    const population = microseconds(model(new Draws(1), 1, { seconds: 10_000, rate: RATE }).values);

    test.each([50, 99])('a 99 %% interval of p%d misses the population in few runs', (percentile) => {
      const truth = population.valueAtPercentile(percentile);
      const runs = caseCount(40, 1000);
      let missed = 0;
      for (let run = 0; run < runs; run++) {
        const { values } = model(new Draws(100 + run), 1, { seconds: SECONDS, rate: RATE });
        const size = values.length / STRETCHES;
        const stretches = Array.from({ length: STRETCHES }, (_, at) =>
          microseconds(values.subarray(at * size, at * size + size)),
        );
        const all = microseconds(values);
        const whole = { histogram: all, lowest: all, highest: all };
        const { figure, reason } = percentileOfRun(whole, stretches, percentile, 0.99);
        const { lower, upper } = figure.interval;
        if (reason === undefined && (truth < lower || truth > upper)) missed++;
      }
      // Without the rule of 20 independent values beyond, 4 % of the runs that stall miss p99, and 27 % of those of ρ 0.99.
      expect(missed).toBeLessThanOrEqual(0.02 * runs + 1);
    });
  },
);
