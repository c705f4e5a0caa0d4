import { describeWithPeers, isInstalled } from '@hdrscope/testing';
import { type Collector, startCollector } from './support/collector.ts';
import { FleetService, killServices } from './support/fleet-service.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { bucketQuantile, quantileBound, relativeError, scaleOf, trueQuantile } from './support/quantiles.ts';
import { durations } from './support/sampling.ts';

const METRIC = 'rpc_server_duration_seconds';
const DIGITS = 2; // as in fleet-service.mjs
const QUANTILES = [0.01, 0.25, 0.5, 0.9, 0.99, 0.999];
const ROUNDS = 6;
const BATCH = 1500;

/** Services of unequal speed, so that neither a quantile of one service nor a mean of quantiles is the fleet's quantile. */
const INSTANCES = [
  { instance: 'shop-1', median: 0.004, spread: 0.4 },
  { instance: 'shop-2', median: 0.02, spread: 0.8 },
  { instance: 'shop-3', median: 0.025, spread: 0.6 },
  { instance: 'shop-4', median: 0.6, spread: 1 },
];

/** The expected state of a fleet. */
interface Ledger {
  /** The values that the Collector has acknowledged, by instance. */
  readonly acknowledged: ReadonlyMap<string, number[]>;
  /** The values that shop-3 was sending when it was killed. */
  readonly inFlight: readonly number[];
}

function batchOf(index: number, round: number): number[] {
  const { median, spread } = INSTANCES[index]!;
  return durations(BATCH, 1000 * round + index, { median, spread });
}

/**
 * Runs six rounds of four services. In the third, shop-2 is killed with values that it has not sent, and shop-3 while it
 * sends. Each has a successor of the same name, which starts in the fourth round.
 */
async function runFleet(
  collector: Collector,
  afterRound: (acknowledged: Ledger['acknowledged']) => Promise<void>,
): Promise<Ledger> {
  const services = await Promise.all(
    INSTANCES.map(({ instance }) => FleetService.start(collector.httpUrl, instance)),
  );
  const acknowledged = new Map<string, number[]>(INSTANCES.map(({ instance }) => [instance, []]));
  const inFlight = batchOf(2, 1001);
  const flush = async (index: number, round: number): Promise<void> => {
    const batch = batchOf(index, round);
    await services[index]!.flush(batch);
    acknowledged.get(services[index]!.instance)!.push(...batch);
  };
  const succeed = async (index: number): Promise<void> => {
    services[index] = await FleetService.start(collector.httpUrl, services[index]!.instance);
  };
  for (let round = 1; round <= ROUNDS; round++) {
    if (round === 4) await Promise.all([succeed(1), succeed(2)]);
    await Promise.all(services.map((_, index) => flush(index, round)));
    if (round === 3) {
      await services[1]!.record(batchOf(1, 1000));
      await Promise.all([services[1]!.kill(), services[2]!.killInFlush(inFlight)]);
    }
    await afterRound(acknowledged);
  }
  return { acknowledged, inFlight };
}

const PROMETHEUS_NAMES = ['prometheus-2', 'prometheus-3'] as const;

describeWithPeers(['collector'])('a fleet of services, two of them killed, behind a Collector', () => {
  let collector: Collector;
  let ledger: Ledger;
  const servers = new Map<string, Prometheus>();
  /** The counts of the instances that each Prometheus showed over time. */
  const history = new Map<string, Map<string, number>[]>();

  beforeAll(async () => {
    collector = await startCollector();
    for (const name of PROMETHEUS_NAMES.filter(isInstalled)) {
      servers.set(name, await startPrometheus(name, [collector.scrapeTarget]));
      history.set(name, []);
    }
    ledger = await runFleet(collector, async (acknowledged) => {
      for (const [name, server] of servers) {
        history.get(name)!.push(await waitForCounts(server, acknowledged));
      }
    });
  });

  afterAll(async () => {
    await killServices();
    await stopPeers();
  });

  describe.each(PROMETHEUS_NAMES)('and %s', (name) => {
    const inPrometheus = describeWithPeers(['collector', name]);

    inPrometheus('which scrapes it', () => {
      let server: Prometheus;
      let pooled: number[];

      beforeAll(async () => {
        server = servers.get(name)!;
        // A batch in flight has arrived by now, or never will.
        const counts = history.get(name)!.at(-1)!;
        const all = [...ledger.acknowledged.values()].flat();
        const arrived = counts.get('shop-3')! > ledger.acknowledged.get('shop-3')!.length;
        pooled = [...all, ...(arrived ? ledger.inFlight : [])].sort((a, b) => a - b);
      });

      test('has every acknowledged value once, and the batch in flight completely or not at all', async () => {
        const counts = history.get(name)!.at(-1)!;

        for (const { instance } of INSTANCES) {
          const surely = ledger.acknowledged.get(instance)!.length;
          const possible = instance === 'shop-3' ? [surely, surely + ledger.inFlight.length] : [surely];
          expect(possible).toContain(counts.get(instance));
        }
        expect(await server.queryNumber(`histogram_count(sum(${METRIC}))`)).toBe(pooled.length);
      });

      test('has the sum of all values', async () => {
        const sum = await server.queryNumber(`histogram_sum(sum(${METRIC}))`);

        expect(sum).toBeCloseTo(
          pooled.reduce((total, value) => total + value, 0),
          6,
        );
      });

      test('shows counts that only grow, and rates that are never negative', async () => {
        const seen = history.get(name)!;
        expect(seen).toHaveLength(ROUNDS);
        for (const { instance } of INSTANCES) {
          const counts = seen.map((counts) => counts.get(instance) ?? 0);
          expect(counts).toEqual([...counts].sort((a, b) => a - b));
          expect(counts[0]).toBeGreaterThan(0);
        }
        const rates = await server.query(`rate(${METRIC}[1m])`);
        expect(rates.length).toBe(INSTANCES.length);
        for (const { histogram } of rates) {
          expect(histogram!.count).toBeGreaterThan(0);
          expect(histogram!.buckets.every(({ count }) => count >= 0)).toBe(true);
        }
      });

      test.each(QUANTILES)(
        'gives the quantile %d of all values pooled, within the stated bound',
        async (q) => {
          const [sum] = await server.query(`sum(${METRIC})`);
          const bound = quantileBound(DIGITS, scaleOf(sum.histogram!));
          const actual = trueQuantile(pooled, q);
          const shown = await server.queryNumber(`histogram_quantile(${q}, sum(${METRIC}))`);

          // The bound is stated for the first value; a user sees the second one, which is interpolated.
          expect(relativeError(bucketQuantile(sum.histogram!, q), actual)).toBeLessThanOrEqual(bound);
          expect(relativeError(shown, actual)).toBeLessThanOrEqual(bound);
        },
      );
    });
  });
});

/** The count of each instance, as soon as none lacks what was acknowledged. */
function waitForCounts(
  server: Prometheus,
  acknowledged: Ledger['acknowledged'],
): Promise<Map<string, number>> {
  return waitFor(
    async () => {
      const samples = await server.queryNow(`histogram_count(${METRIC})`);
      const counts = new Map(samples.map(({ labels, value }) => [labels.instance!, value!]));
      const isComplete = [...acknowledged].every(
        ([instance, { length }]) => (counts.get(instance) ?? 0) >= length,
      );
      return isComplete && counts;
    },
    { what: 'all that was acknowledged' },
  );
}
