import { BITS, INCIDENT_KINDS, judgeAnswer, QUIET_KINDS, SCALE } from '@hdrscope/testing/incidents';
import { explainSeries } from '../../src/explain/explain-series.ts';
import { QUESTION } from './questions.ts';

/**
 * Describes how often explainChange finds the causes that a generator has hidden. `npm run incidents` makes a table of more.
 *
 * @param seeds How many incidents of each kind.
 */
export function describeGeneratedIncidents(seeds: number): void {
  const numbers = Array.from({ length: seeds }, (_, i) => i + 1);
  let total = 0;

  test.each(INCIDENT_KINDS)(
    '$name: the cause comes first in nearly all cases',
    ({ percentile, generate }) => {
      const right = numbers.filter((seed) => {
        const { series, guilty } = generate(seed);
        return judgeAnswer(explainSeries(series, { percentile, bits: BITS, scale: SCALE }), guilty)
          .isFirstRight;
      });
      total += right.length;
      expect(right.length).toBeGreaterThanOrEqual(seeds === 1 ? 0 : Math.floor(0.8 * seeds));
    },
  );

  test('of all incidents, at least 95 % have a guilty cause first', () => {
    console.log(`explain: ${total} of ${INCIDENT_KINDS.length * seeds} incidents`);
    expect(total).toBeGreaterThanOrEqual(0.95 * INCIDENT_KINDS.length * seeds);
  });

  test.each(QUIET_KINDS)('$name: no cause is named', ({ generate }) => {
    const alarms = numbers.filter(
      (seed) => explainSeries(generate(1000 + seed), QUESTION).verdict === 'explained',
    );
    expect(alarms.length).toBeLessThanOrEqual(0.05 * seeds);
  });
}
