import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { prometheusHandler } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { DISTRIBUTIONS, drawNamed, drawRandom } from '@hdrscope/testing/distributions';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { relativeError, trueQuantile } from './support/quantiles.ts';

const SEED = 2;
const RANDOM_COUNT = 40;
/** No quantile lies between two values. */
const VALUE_COUNT = 10_001;
const QUANTILES = [0.5, 0.9, 0.99, 0.999];

/** The bounds that the README of `@hdrscope/prometheus` states for values from 10 µs to 10 s: `npm run quantile-errors` measures them. */
const PROMISES = [
  { digits: 1, maxBuckets: undefined, bound: 0.125 },
  { digits: 2, maxBuckets: undefined, bound: 0.095 },
  { digits: 2, maxBuckets: 640, bound: 0.026 },
  { digits: 2, maxBuckets: 1280, bound: 0.015 },
  { digits: 3, maxBuckets: undefined, bound: 0.0911 },
  { digits: 3, maxBuckets: 640, bound: 0.0225 },
  { digits: 3, maxBuckets: 5120, bound: 0.0033 },
].map((promise) => ({ ...promise, job: `${promise.digits}-${promise.maxBuckets ?? 'default'}` }));

/** Ascending values by the label `id`: those of known distributions, and of random ones. */
const ALL: ReadonlyMap<string, Float64Array> = new Map([
  ...DISTRIBUTIONS.map((name) => [name, drawNamed(name, VALUE_COUNT, SEED).sort()] as const),
  ...Array.from(
    { length: RANDOM_COUNT },
    (_, index) => [`random ${index}`, drawRandom(VALUE_COUNT, SEED, index).sort()] as const,
  ),
]);
const NARROW = new Map([...ALL].filter(([, sorted]) => sorted.at(-1)! <= 1000 * sorted[0]!));

/** A service with a path for each promise. */
async function startService(): Promise<{ target: string; stop(): Promise<void> }> {
  const registries = new Map(
    [1, 2, 3].map((significantDigits) => {
      const registry = createRegistry();
      const family = registry.histogram({ name: 'latency', unit: 's', significantDigits });
      for (const [id, values] of ALL) {
        const series = family.with({ id });
        for (const value of values) series.record(value);
      }
      return [significantDigits, registry];
    }),
  );
  const handlers = new Map(
    PROMISES.map(({ job, digits, maxBuckets }) => [
      `/${job}`,
      prometheusHandler(registries.get(digits)!, { maxBuckets }),
    ]),
  );
  const server = createServer((request, response) => handlers.get(request.url!)!(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe.each(['prometheus-2', 'prometheus-3'] as const)('histogram_quantile in %s', (name) => {
  describeWithPeers([name])('of known and of random latencies', () => {
    let service: Awaited<ReturnType<typeof startService>>;
    let prometheus: Prometheus;

    beforeAll(async () => {
      service = await startService();
      prometheus = await startPrometheus(name, [service.target], {
        // The values do not change. More scrapes would be work for nothing.
        jobs: PROMISES.map(({ job }) => ({
          ...{ job_name: job, metrics_path: `/${job}` },
          ...{ scrape_interval: '5s', scrape_timeout: '5s' },
        })),
      });
      await waitFor(
        async () => {
          const counts = await prometheus.queryNow('count by (job) (latency_seconds)');
          return counts.length === PROMISES.length && counts.every(({ value }) => value === ALL.size);
        },
        { what: 'a scrape of each job' },
      );
    }, 120_000);

    afterAll(async () => {
      await stopPeers();
      await service.stop();
    });

    test.each(PROMISES)(
      'is within the stated bound: $digits digits, maxBuckets $maxBuckets',
      async (promise) => {
        expect(await worstError(prometheus, promise.job, ALL)).toBeLessThanOrEqual(promise.bound);
      },
    );

    test('is within 1.5 % with 2 digits and 640 buckets, for values over three decades', async () => {
      expect(NARROW.size).toBeGreaterThan(10);
      expect(await worstError(prometheus, '2-640', NARROW)).toBeLessThanOrEqual(0.015);
    });
  });
});

/** The largest relative error of all quantiles of some series. */
async function worstError(
  prometheus: Prometheus,
  job: string,
  valuesById: ReadonlyMap<string, Float64Array>,
): Promise<number> {
  let worst = 0;
  for (const quantile of QUANTILES) {
    const shown = await prometheus.queryNow(`histogram_quantile(${quantile}, latency_seconds{job="${job}"})`);
    const valueById = new Map(shown.map(({ labels, value }) => [labels.id!, value!]));
    for (const [id, sorted] of valuesById) {
      const error = relativeError(valueById.get(id) ?? Number.NaN, trueQuantile(sorted, quantile));
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}
