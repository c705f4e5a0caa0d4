import { createRegistry, type Snapshot } from '../src/index.ts';
import { collectGarbage } from './support/heap.ts';

/** Lets objects go that are only weakly held. */
async function letGo(): Promise<void> {
  // What was looked at in this turn stays until its end.
  await new Promise((resolve) => setTimeout(resolve, 5));
  collectGarbage();
}

test('what was counted between any two held snapshots is exact, however many were taken and let go meanwhile', async () => {
  let nowMs = 1_000_000;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const family = registry.histogram({ name: 'rpc', unit: 's', significantDigits: 3 });
  /** By series: its values in each interval. */
  const counted = new Map<string, number[][]>();
  const held = new Map<number, Snapshot>();
  const holds = new Set([0, 1, 17, 40, 41, 111, 160]);
  for (let n = 0; n <= 160; n++) {
    const snapshot = await registry.gather({ maxAgeMs: 0 });
    if (holds.has(n)) held.set(n, snapshot);
    if (n % 20 === 7) await letGo();
    nowMs += 1000;
    for (const name of ['a', 'b', 'c', 'd']) {
      const values = counted.get(name) ?? [];
      counted.set(name, values);
      // Some series pause, and one begins late.
      const count = name === 'd' && n < 50 ? 0 : (n * (name.charCodeAt(0) - 90)) % 3;
      values.push(
        Array.from({ length: count }, (_, i) => ((n * 37 + i * 11 + name.charCodeAt(0)) % 500) / 1000),
      );
      for (const value of values.at(-1)!) family.with({ name }).record(value);
    }
  }
  for (const [from, then] of held) {
    for (const [to, now] of held) {
      if (to <= from) continue;
      const wanted = [...counted]
        .map(([name, values]) => [name, values.slice(from, to).flat()] as const)
        .filter(([, values]) => values.length > 0)
        .map(([name, values]) => [name, values.length, Math.min(...values), Math.max(...values)]);
      const { families } = now.since(then);
      const found = families.flatMap(({ series }) =>
        series.map(({ attributes, counts, min, max }) => [attributes.name, counts.total, min, max]),
      );
      expect(found.sort()).toEqual(wanted.sort());
    }
  }
});

test('a series that ended while an old snapshot was held is in what came after it', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'jobs' });
  family.with({ n: 'goes' }).record(5);
  const first = await registry.gather({ maxAgeMs: 0 });
  family.with({ n: 'goes' }).record(7);
  for (let n = 0; n < 40; n++) {
    family.with({ n: 'stays' }).record(1);
    if (n === 20) family.remove({ n: 'goes' });
    await registry.gather({ maxAgeMs: 0 });
    if (n % 10 === 9) await letGo();
  }
  const { families } = (await registry.gather({ maxAgeMs: 0 })).since(first);
  const found = families[0]!.series.map(({ attributes, counts, min, max }) => [
    attributes.n,
    counts.total,
    min,
    max,
  ]);
  expect(found.sort()).toEqual([
    ['goes', 1, 7, 7],
    ['stays', 40, 1, 1],
  ]);
});

test('holding an old snapshot does not keep all states since', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'rpc', unit: 's', significantDigits: 3 });
  const series = Array.from({ length: 20 }, (_, n) => family.with({ n }));
  for (const one of series) one.record(1);
  const first = await registry.gather({ maxAgeMs: 0 });
  const sizes: number[] = [];
  for (let n = 0; n < 1200; n++) {
    for (const [at, one] of series.entries()) one.record(0.001 * (1 + ((n * 7 + at) % 300)));
    await registry.gather({ maxAgeMs: 0 });
    if (n % 400 !== 399) continue;
    // Joining looks at what the collector has let go, and the collector then takes what was joined.
    for (let round = 0; round < 3; round++) {
      await letGo();
      for (let more = 0; more < 20; more++) {
        series[0]!.record(1);
        await registry.gather({ maxAgeMs: 0 });
      }
    }
    await letGo();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    sizes.push(heapUsed + arrayBuffers);
  }
  // 400 states of 20 series take 15 MB.
  expect(sizes.at(-1)! - sizes[0]!).toBeLessThan(4_000_000);
  expect(first.families[0]!.series).toHaveLength(20);
});
