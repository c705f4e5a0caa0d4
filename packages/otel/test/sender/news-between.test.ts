import { createRegistry, EMPTY_SNAPSHOT } from '@hdrscope/registry';
import { newsBetween } from '../../src/sender/deliveries.ts';

test('values and series that have ended are counted while other work runs', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'job.duration', unit: 's', cardinalityLimit: 3000 });
  const all = Array.from({ length: 2000 }, (_, i) => family.with({ i }));
  for (const series of all) for (let n = 1; n <= 50; n++) series.record(n / 10);
  await registry.gather();
  const before = await registry.gather();
  for (const series of all) for (let n = 1; n <= 50; n++) series.record(n);
  for (const { attributes } of before.families[0]!.series.slice(0, 10)) family.remove(attributes);
  const now = await registry.gather();

  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await newsBetween(before, now)).toEqual({ values: 100_000, ended: 10 });
  isOver = true;
  expect(turns).toBeGreaterThan(1);
  expect((await newsBetween(EMPTY_SNAPSHOT, before)).values).toBe(100_000);
});
