import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { decodedProtobuf } from '../receiver/support/receiving.ts';
import { startEndpoint } from './support.ts';

const SERIES = 1000;

interface SentPoint {
  readonly count: number;
  readonly zeroCount: number;
  readonly positive: { readonly counts: readonly number[] };
}

test('a point has the counts of one moment, and no value is missed or sent too early, while others record', async () => {
  const endpoint = await startEndpoint(() => undefined);
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', cardinalityLimit: SERIES });
  const all = Array.from({ length: SERIES }, (_, i) => family.with({ i: String(i) }));
  const sender = sendOtlp(registry, { url: endpoint.url, compression: 'none', intervalMs: 3_600_000 });
  let recorded = 0;
  const record = (): void => {
    for (const [i, series] of all.entries()) series.record((i * 7 + recorded * 131) % 5000);
    recorded++;
  };
  const totals: number[] = [];
  for (let round = 0; round < 4; round++) {
    record();
    const least = recorded;
    const turns = setInterval(record, 0);
    await sender.flush();
    clearInterval(turns);
    const [metric] = endpoint.bodies.splice(0).flatMap((body) => decodedProtobuf(body));
    const points = (metric!.data as unknown as { points: SentPoint[] }).points;
    expect(points).toHaveLength(SERIES);
    for (const { count, zeroCount, positive } of points) {
      expect(positive.counts.reduce((sum, one) => sum + one, zeroCount)).toBe(count);
      expect(count).toBeGreaterThanOrEqual(least);
      expect(count).toBeLessThanOrEqual(recorded);
    }
    totals.push(recorded);
  }
  await sender.close();
  expect(totals.at(-1)).toBeGreaterThan(4);
});
