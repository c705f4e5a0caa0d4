import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHdr } from '@hdrscope/otel';
import { HdrPrometheusExporter, prometheusHandler } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, isInstalled } from '@hdrscope/testing';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, type PromHistogram, startPrometheus } from './support/prometheus.ts';
import {
  bucketQuantile,
  quantileBound,
  relativeError,
  scaleOf,
  slotError,
  trueQuantile,
} from './support/quantiles.ts';
import { durations } from './support/sampling.ts';

const METRIC = 'rpc_server_duration_seconds';
const DIGITS = 3;
const QUANTILES = [0.01, 0.5, 0.9, 0.99, 0.999];

/** The values that are recorded before each scrape. The range widens, so that the scale must decrease. */
const ROUNDS = [
  durations(3000, 11, { spread: 0.2 }),
  [0, 0, ...durations(5000, 12, { spread: 1.2 })],
  [1e-6, 30, ...durations(500, 13)],
];

/** An application that Prometheus can scrape. */
interface Application {
  readonly target: string;
  /** The largest relative distance of a value from the classic boundary that it is on the wrong side of. */
  readonly classicError: number;
  record(value: number): void;
  stop(): Promise<void>;
}

const APPLICATIONS: Record<string, () => Promise<Application>> = {
  'HdrPrometheusExporter, as a reader of OpenTelemetry metrics': async () => {
    const exporter = new HdrPrometheusExporter({ host: '127.0.0.1', port: 0 });
    const hdr = createHdr({ views: [{ instrumentName: 'rpc.*', significantDigits: DIGITS }] });
    const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(exporter)] }));
    const instrument = provider.getMeter('shop').createHistogram('rpc.server.duration', { unit: 's' });
    await exporter.startServer();
    return {
      target: `127.0.0.1:${exporter.port}`,
      // Text is written from the exponential buckets, which have scale 2 for values from 1e-6 to 30.
      classicError: quantileBound(DIGITS, 2),
      record: (value) => instrument.record(value, { 'rpc.method': 'Buy' }),
      stop: () => provider.shutdown(),
    };
  },
  'prometheusHandler, of a registry': async () => {
    const registry = createRegistry();
    const series = registry
      .histogram({ name: 'rpc.server.duration', unit: 's', significantDigits: DIGITS })
      .with({ 'rpc.method': 'Buy' });
    const server = createServer(prometheusHandler(registry)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      classicError: slotError(DIGITS),
      record: (value) => series.record(value),
      async stop() {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    };
  },
};

const KINDS = Object.keys(APPLICATIONS);
const PROMETHEUS_NAMES = ['prometheus-2', 'prometheus-3'] as const;

/** The state of Prometheus after a round, and the expected state. */
interface Look {
  readonly shown: PromHistogram;
  readonly values: readonly number[];
}

const applications = new Map<string, Application>();
/** With native histograms, and with text only; by name. */
const nativeServers = new Map<string, Prometheus>();
const textServers = new Map<string, Prometheus>();
/** After every round; by the names of Prometheus and application. */
const looks = new Map<string, Look[]>();

beforeAll(async () => {
  for (const kind of KINDS) applications.set(kind, await APPLICATIONS[kind]!());
  // All together, because a Prometheus takes five seconds to find its targets.
  const targets = [...applications.values()].map(({ target }) => target);
  const names = PROMETHEUS_NAMES.filter(isInstalled);
  await Promise.all(
    names.flatMap((name) => [
      startPrometheus(name, targets).then((server) => nativeServers.set(name, server)),
      startPrometheus(name, targets, { isNative: false }).then((server) => textServers.set(name, server)),
    ]),
  );
  const recorded: number[] = [];
  for (const round of ROUNDS) {
    recorded.push(...round);
    const values = ascending(recorded);
    for (const { record } of applications.values()) round.forEach(record);
    for (const name of names) {
      for (const kind of KINDS) {
        const shown = await lookFor(nativeServers.get(name)!, seriesOf(kind), values.length);
        looks.set(`${name} ${kind}`, [...(looks.get(`${name} ${kind}`) ?? []), { shown, values }]);
      }
    }
  }
});

afterAll(async () => {
  await stopPeers();
  await Promise.all([...applications.values()].map((application) => application.stop()));
});

describe.each(PROMETHEUS_NAMES)('%s', (name) => {
  const inPrometheus = describeWithPeers([name]);

  inPrometheus('which takes native histograms', () => {
    describe.each(KINDS)('and scrapes %s', (kind) => {
      const looksHere = () => looks.get(`${name} ${kind}`)!;

      test('has all values, and their sum, after every round', () => {
        expect(looksHere()).toHaveLength(ROUNDS.length);
        for (const { shown, values } of looksHere()) {
          expect(shown.count).toBe(values.length);
          expect(shown.sum).toBeCloseTo(sumOf(values), 6);
          expect(shown.buckets.reduce((total, { count }) => total + count, 0)).toBe(values.length);
        }
      });

      test('has each value in its bucket, or in the next one when it is less than half a slot away', () => {
        for (const { shown, values } of looksHere()) {
          let cumulative = 0;
          for (const { upper, count } of shown.buckets) {
            cumulative += count;
            expect(cumulative).toBeGreaterThanOrEqual(countUpTo(values, upper * (1 - slotError(DIGITS))));
            expect(cumulative).toBeLessThanOrEqual(countUpTo(values, upper * (1 + slotError(DIGITS))));
          }
        }
      });

      test('has the zeros in the zero bucket', () => {
        const zeros = looksHere().map(
          ({ shown }) => shown.buckets.find(({ lower, upper }) => lower <= 0 && upper > 0)?.count ?? 0,
        );

        expect(zeros).toEqual([0, 2, 2]);
      });

      test('sees a coarser scale when the range widens, and no counter reset', async () => {
        const server = nativeServers.get(name)!;
        const scales = looksHere().map(({ shown }) => scaleOf(shown));

        expect(scales).toEqual([...scales].sort((a, b) => b - a));
        expect(scales[0]).toBeGreaterThan(scales[2]!);
        const [increase] = await server.query(`increase(${seriesOf(kind)}[1m])`);
        expect(increase.histogram!.buckets.every(({ count }) => count >= 0)).toBe(true);
        // Earlier versions have no `resets` of histograms.
        if (name === 'prometheus-3') {
          expect(await server.queryNumber(`resets(${seriesOf(kind)}[1m])`)).toBe(0);
        }
      });

      test.each(QUANTILES)('computes the quantile %d within the stated bound', async (q) => {
        const { shown, values } = looksHere().at(-1)!;
        const bound = quantileBound(DIGITS, scaleOf(shown));
        const interpolated = await nativeServers
          .get(name)!
          .queryNumber(`histogram_quantile(${q}, ${seriesOf(kind)})`);

        expect(relativeError(bucketQuantile(shown, q), trueQuantile(values, q))).toBeLessThanOrEqual(bound);
        expect(relativeError(interpolated, trueQuantile(values, q))).toBeLessThanOrEqual(bound);
      });
    });
  });

  inPrometheus('which takes text only', () => {
    test.each(KINDS)('has classic buckets with all values of %s', async (kind) => {
      const server = textServers.get(name)!;
      const { target, classicError } = applications.get(kind)!;
      const values = ascending(ROUNDS.flat());
      await server.query(`${METRIC}_count{instance="${target}"} == ${values.length}`);

      // A busy machine may miss a scrape.
      await server.query(`up{instance="${target}"} == 1`);
      expect(await server.queryNumber(`${METRIC}_sum{instance="${target}"}`)).toBeCloseTo(sumOf(values), 6);
      const buckets = await server.query(`${METRIC}_bucket{rpc_method="Buy", instance="${target}"}`);
      expect(buckets.length).toBeGreaterThan(10);
      for (const { labels, value } of buckets) {
        const boundary = Number(labels.le!.replace('+Inf', 'Infinity'));
        expect(value).toBeGreaterThanOrEqual(countUpTo(values, boundary * (1 - classicError)));
        expect(value).toBeLessThanOrEqual(countUpTo(values, boundary * (1 + classicError)));
      }
    });
  });
});

/** Waits until Prometheus has a number of values, and returns its histogram. */
function lookFor(server: Prometheus, series: string, count: number): Promise<PromHistogram> {
  return waitFor(
    async () => {
      const [sample] = await server.queryNow(series);
      return sample?.histogram?.count === count ? sample.histogram : undefined;
    },
    { what: `${count} values in Prometheus` },
  );
}

function seriesOf(kind: string): string {
  return `${METRIC}{rpc_method="Buy", instance="${applications.get(kind)!.target}"}`;
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The number of values up to the bound. */
function countUpTo(sorted: readonly number[], bound: number): number {
  return sorted.filter((value) => value <= bound).length;
}
