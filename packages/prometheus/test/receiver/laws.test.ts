import { createRegistry, type Registry } from '@hdrscope/registry';
import fc from 'fast-check';
import { servePrometheus } from '../../src/index.ts';
import { type RunningRemoteWrite, serveRemoteWrite } from '../../src/receiver/index.ts';
import { sendRemoteWrite } from '../../src/remote-write/index.ts';
import { fetchExposition, ingestPrometheus } from '../../src/scraper/index.ts';
import { classicSeries, type SeriesToWrite, TYPES, writeRequest } from '../support/write-request.ts';

const NOW = 1_700_000_000_000;

async function receiving(
  use: (server: RunningRemoteWrite, registry: Registry) => Promise<void>,
): Promise<void> {
  const registry = createRegistry();
  const server = await serveRemoteWrite(registry, { host: '127.0.0.1', port: 0 });
  try {
    await use(server, registry);
  } finally {
    await server.close();
  }
}

const urlOf = ({ port }: RunningRemoteWrite): string => `http://127.0.0.1:${port}/api/v1/write`;

/** The counts of all slots and the sum of each series. */
async function readSlots(registry: Registry): Promise<Record<string, unknown>> {
  const { families } = await registry.gather();
  return Object.fromEntries(
    families.flatMap(({ name, unit, boundaries, series }) =>
      series.map(({ attributes, histogram: { counts, layout }, sum }) => {
        const slots: [slot: number, count: number][] = [];
        for (let slot = 0; slot < layout.slotCount; slot++) {
          if (counts.at(slot) > 0) slots.push([slot, counts.at(slot)]);
        }
        return [`${name} ${JSON.stringify(attributes)}`, { unit, boundaries, slots, sum }];
      }),
    ),
  );
}

const value = fc.double({ min: 1e-6, max: 100, noNaN: true });
const step = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), value), { maxLength: 40 });

test('what the sender sends is what a scraper of the same registry has, whatever is recorded between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      await receiving(async (server, registry) => {
        const sent = createRegistry();
        const exporter = await servePrometheus(sent, { host: '127.0.0.1', port: 0 });
        const scraped = createRegistry();
        const url = `http://127.0.0.1:${exporter.port}/metrics`;
        // Protobuf has native buckets for all, and text has those with the boundaries of a family.
        const targets = [
          ingestPrometheus(scraped, () => fetchExposition({ url }), { metrics: ['native_*'] }),
          ingestPrometheus(scraped, () => fetchExposition({ url, headers: { accept: 'text/plain' } }), {
            metrics: ['custom_*'],
          }),
        ];
        const native = sent.histogram({ name: 'native', unit: 's' });
        const custom = sent.histogram({ name: 'custom', unit: 's', boundaries: [0.01, 0.1, 1, 10] });
        for (const values of steps) {
          for (const [route, one] of values) {
            native.with({ route }).record(one);
            custom.with({ route }).record(one);
          }
          // Each writer sends once when it ends. The series go on.
          const writer = sendRemoteWrite(sent, { url: urlOf(server), buckets: 'custom' });
          await writer.close();
          expect(writer.health.failedRequests).toBe(0);
          for (const target of targets) await target.scrape();
        }
        await exporter.close();
        const got = await readSlots(registry);
        expect(got).toEqual(await readSlots(scraped));
        expect(Object.keys(got)).toHaveLength(2 * new Set(steps.flat().map(([route]) => route)).size);
        expect(server.health.values).toBe(2 * steps.flat().length);
        expect(server.health).toMatchObject({ resets: 0, late: 0, duplicates: 0 });
      });
    }),
    { numRuns: 15 },
  );
});

// Prometheus shards by series: the parts of a histogram of one time come in requests that overtake each other, and each series is in order.
test('classic histograms are whole, whatever requests bring their parts in whatever order of the series', async () => {
  const scenario = fc.record({
    increases: fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5)), { minLength: 3, maxLength: 6 }),
    shards: fc.array(fc.nat(2), { minLength: 5, maxLength: 5 }),
    order: fc.array(fc.nat(2), { minLength: 40, maxLength: 40 }),
    repeats: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ increases, shards, order, repeats }) => {
      const queues: SeriesToWrite[][][] = [[], [], []];
      const total = [0, 0, 0];
      for (const [time, added] of increases.entries()) {
        for (const [i, count] of added.entries()) total[i]! += count;
        const [low, middle, high] = total as [number, number, number];
        const cumulative = { '0.1': low, '1': low + middle, '+Inf': low + middle + high };
        const parts = classicSeries('y_seconds', {}, cumulative, NOW + 1000 * time);
        for (const [i, queue] of queues.entries()) queue.push(parts.filter((_, part) => shards[part] === i));
      }
      await receiving(async (server, registry) => {
        const send = async (series: SeriesToWrite[]): Promise<void> => {
          const body = Buffer.from(writeRequest(1, series));
          const response = await fetch(urlOf(server), {
            method: 'POST',
            headers: { 'content-type': TYPES[1] },
            body,
          });
          expect(response.status).toBe(204);
        };
        let turn = 0;
        while (queues.some(({ length }) => length > 0)) {
          const queue = queues[order[turn % 40]!]!;
          const series = (queue.length > 0 ? queue : queues.find(({ length }) => length > 0)!).shift()!;
          await send(series);
          if (repeats[turn % 40]) await send(series);
          turn++;
        }
        await server.settle();
        const [family] = (await registry.gather()).families;
        const all = total[0]! + total[1]! + total[2]!;
        expect(family?.series[0]?.histogram.totalCount ?? 0).toBe(all);
        expect(server.health).toMatchObject({ waiting: 0, resets: 0 });
      });
    }),
    { numRuns: 60 },
  );
});
