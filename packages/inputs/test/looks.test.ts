import fc from 'fast-check';
import { planLooks } from '../src/gate.ts';

test('all looks together have the error of the confidence', () => {
  const confidences = fc.double({ min: 0.5, max: 0.9999, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 200 }),
      fc.integer({ min: 2, max: 200 }),
      confidences,
      (runs, least, confidence) => {
        const looks = planLooks(runs, least, confidence);
        const error = looks.reduce((sum, look) => sum + (1 - look.confidence), 0);
        expect(error).toBeCloseTo(1 - confidence, 12);
        expect(looks.at(-1)!.runs).toBe(runs);
        const stops = looks.map((look) => look.runs);
        expect(stops).toEqual([...new Set(stops)].sort((a, b) => a - b));
        expect(stops.slice(0, -1).every((stop) => stop >= least)).toBe(true);
      },
    ),
  );
});
