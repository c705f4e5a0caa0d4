import { type RunningRemoteWrite, serveRemoteWrite } from '@hdrscope/prometheus/receiver';
import { fetchExposition, ingestPrometheus } from '@hdrscope/prometheus/scraper';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { startPrometheus } from './support/prometheus.ts';
import { startTargets } from './support/prometheus-targets.ts';
import { durations } from './support/sampling.ts';

const TOKEN = 'a-token-for-this-test';
const ROUTES = ['/cart', '/pay', '/search'];
const VALUES_OF_ROUTE = 200;
/** What both targets count in one step. */
const VALUES = 2 * ROUTES.length * VALUES_OF_ROUTE;

/** The counts of all slots and the sum of each series, without the attributes that Prometheus adds. */
async function readSlots(registry: Registry): Promise<Record<string, unknown>> {
  const { families } = await registry.gather();
  return Object.fromEntries(
    families
      .filter(({ name }) => isOfTest(name))
      .flatMap(({ name, unit, boundaries, series }) =>
        series.map(({ attributes, histogram: { counts, layout }, sum }) => {
          const slots: [slot: number, count: number][] = [];
          for (let slot = 0; slot < layout.slotCount; slot++) {
            if (counts.at(slot) > 0) slots.push([slot, counts.at(slot)]);
          }
          const { instance, job, ...labels } = attributes;
          return [`${name} ${JSON.stringify(labels)}`, { unit, boundaries, slots, sum: sum?.toPrecision(9) }];
        }),
      ),
  );
}

/** How many values the histograms of the test have. */
async function readTotal(registry: Registry): Promise<number> {
  const { families } = await registry.gather();
  return families
    .filter(({ name }) => isOfTest(name))
    .flatMap(({ series }) => series)
    .reduce((total, { histogram }) => total + histogram.totalCount, 0);
}

function isOfTest(name: string): boolean {
  return /^(?:hdr|client)_/.test(name);
}

/** Targets that count values of all routes in one step. */
async function startRoutes() {
  const targets = await startTargets();
  let seed = 1;
  return {
    ...targets,
    record() {
      for (const route of ROUTES) targets.record(route, durations(VALUES_OF_ROUTE, seed++, { spread: 1.1 }));
    },
  };
}

const CASES: [version: string, name: 'prometheus-2' | 'prometheus-3', remoteWrite: object, args: string[]][] =
  [
    ['Prometheus 2.42 by version 1', 'prometheus-2', { send_native_histograms: true }, []],
    ['Prometheus 3 by version 1', 'prometheus-3', { send_native_histograms: true }, []],
    [
      'Prometheus 3 by version 2',
      'prometheus-3',
      { send_native_histograms: true, protobuf_message: 'io.prometheus.write.v2.Request' },
      ['--enable-feature=metadata-wal-records'],
    ],
    [
      'Prometheus 3 by version 2, over many shards',
      'prometheus-3',
      {
        ...{ send_native_histograms: true, protobuf_message: 'io.prometheus.write.v2.Request' },
        queue_config: { min_shards: 7, max_shards: 7, max_samples_per_send: 3, batch_send_deadline: '100ms' },
      },
      ['--enable-feature=metadata-wal-records'],
    ],
  ];

describe.each(CASES)('%s', (_, name, remoteWrite, args) => {
  describeWithPeers([name])('writes to a receiver', () => {
    let receiver: RunningRemoteWrite;
    const problems: string[] = [];
    afterAll(async () => {
      await stopPeers();
      await receiver.close();
    });

    test('that gets the buckets of a direct scrape, each value once', async () => {
      const registry = createRegistry();
      receiver = await serveRemoteWrite(registry, {
        ...{ host: '127.0.0.1', port: 0, token: TOKEN },
        observer: { failed: (error) => problems.push((error as Error).message) },
      });
      const targets = await startRoutes();
      targets.record();
      const prometheus = await startPrometheus(name, targets.targets, {
        remoteWrite: [
          {
            url: `http://127.0.0.1:${receiver.port}/api/v1/write`,
            authorization: { credentials: TOKEN },
            ...remoteWrite,
          },
        ],
        args,
      });
      // The same two states come both ways: a histogram that has grown may have coarser buckets.
      const scraped = createRegistry();
      const ingestions = targets.targets.map((target) =>
        ingestPrometheus(scraped, () => fetchExposition({ url: `http://${target}/metrics` })),
      );
      for (const values of [VALUES, 2 * VALUES]) {
        for (const ingestion of ingestions) await ingestion.scrape();
        await waitFor(async () => (await readTotal(registry)) === values, {
          what: `${values} values that are written`,
        });
        if (values === VALUES) targets.record();
      }
      const expected = await readSlots(scraped);
      expect(Object.keys(expected)).toHaveLength(2 * ROUTES.length);
      expect(await readSlots(registry)).toEqual(expected);
      const { health } = receiver;
      expect(health).toMatchObject({ failedRequests: 0, resets: 0, lostValues: 0 });
      expect(Object.values(health.refused)).toEqual([0, 0, 0, 0, 0]);
      expect(health.leftOut).toEqual(expect.arrayContaining(['up', 'client_summary_seconds']));
      expect(problems).toEqual([]);
      // The sender has understood the answers.
      const failed = await prometheus.queryNow(
        'sum({__name__=~"prometheus_remote_storage_(samples|histograms)_failed_total"})',
      );
      expect(failed.map(({ value }) => value ?? 0).every((value) => value === 0)).toBe(true);
      await targets.stop();
    });
  });
});
