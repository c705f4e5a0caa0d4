import { DeliveryLoop } from '../../src/delivery/index.ts';
import type { Patience } from '../../src/index.ts';

const PACE = { mostWaitMs: 1000, unref: true };

test.each([
  [20, 10],
  [60, 30],
])('work each %d ms may rest for %d ms', async (intervalMs, patientMs) => {
  const asked = await new Promise<{ isAtOnce: boolean; leftMs: number }>((resolve) => {
    const loop = new DeliveryLoop({ ...PACE, intervalMs }, async (isAtOnce, { untilMs }) => {
      resolve({ isAtOnce, leftMs: untilMs - performance.now() });
      void loop.stop();
    });
  });
  expect(asked.isAtOnce).toBe(false);
  expect(asked.leftMs).toBeLessThanOrEqual(patientMs);
});

test.each(['flush', 'stop'] as const)('%s takes the time for rests from the work under way', async (call) => {
  let begun: (patience: Patience) => void = () => {};
  let end = (): void => {};
  const beginning = new Promise<Patience>((resolve) => {
    begun = resolve;
  });
  const works: [isAtOnce: boolean, untilMs: number][] = [];
  const loop = new DeliveryLoop({ ...PACE, intervalMs: 5 }, async (isAtOnce, patience) => {
    works.push([isAtOnce, patience.untilMs]);
    if (isAtOnce) return;
    begun(patience);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  const patience = await beginning;
  expect(patience.untilMs).toBeGreaterThan(0);
  const called = loop[call]();
  expect(patience.untilMs).toBe(0);
  end();
  await called;
  expect(works.at(-1)).toEqual([true, 0]);
  end();
  await loop.stop();
});
