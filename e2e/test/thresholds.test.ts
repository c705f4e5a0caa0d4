import { createHdr } from '@hdrscope/otel';
import { sendOtlp } from '@hdrscope/otel/sender';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { startCollector } from './support/collector.ts';
import { freePort, stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { sloRules } from './support/slo-rules.ts';

const DIGITS = [1, 2, 3];
/** The first one is the end of a bucket in every schema from 0 on. */
const THRESHOLDS = [0.25, 0.3];

const FORMS = ['native', 'counter', 'classic'] as const;
type Form = (typeof FORMS)[number];

const metricOf = (digits: number): string => `digits_${digits}_seconds`;

interface Service {
  stop(): Promise<void>;
}

/**
 * A service that counts, in each turn and for each threshold, one value on it, two just below and one just above. All values of a turn
 * are recorded at once, so each scrape and each request has whole turns.
 *
 * @param exposes Brings the registry to Prometheus, and returns what ends that.
 */
async function startService(exposes: (registry: Registry) => Promise<() => Promise<void>>): Promise<Service> {
  const registry = createRegistry();
  const series = DIGITS.flatMap((significantDigits) => {
    const name = `digits.${significantDigits}`;
    const family = registry.histogram({ ...{ name, unit: 's', significantDigits }, thresholds: THRESHOLDS });
    return THRESHOLDS.map((threshold) => ({ threshold, one: family.with({ around: threshold }) }));
  });
  const timer = setInterval(() => {
    for (const { threshold, one } of series)
      for (const part of [1, 1 - 1e-7, 1 - 1e-4, 1 + 1e-7]) one.record(threshold * part);
  }, 20);
  const end = await exposes(registry);
  return {
    async stop() {
      clearInterval(timer);
      await end();
    },
  };
}

const startScraped = (port: number): Promise<Service> =>
  startService(async (registry) => {
    const server = await servePrometheus(registry, {
      ...{ host: '127.0.0.1', port },
      classicBoundaries: THRESHOLDS,
    });
    return () => server.close();
  });

const RESOURCE = { 'service.name': 'native' };

/** Sends a registry to a URL, and returns what ends that. */
type Push = (registry: Registry, url: string) => () => Promise<void>;

const pushBySender =
  (temporality: 'cumulative' | 'delta'): Push =>
  (registry, url) => {
    const sender = sendOtlp(registry, { url, temporality, resource: RESOURCE, intervalMs: 500 });
    return () => sender.close();
  };

const pushByReader: Push = (registry, url) => {
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url, temporalityPreference: AggregationTemporality.CUMULATIVE }),
    ...{ exportIntervalMillis: 500, exportTimeoutMillis: 500 },
  });
  const readers = [createHdr({ views: [], registry }).wrapReader(reader)];
  const provider = new MeterProvider({ readers, resource: resourceFromAttributes(RESOURCE) });
  return () => provider.shutdown();
};

/** The rules of a form for values around a threshold. */
function rulesFor(form: Form, digits: number, threshold: number): string {
  const job = form === 'classic' ? 'classic' : 'native';
  return sloRules(
    ...['--metric', metricOf(digits), '--unit', 's', '--threshold', `${threshold}s`],
    ...['--objective', '99%', '--window', '12h', '--name', nameOf(form, digits, threshold)],
    ...['--histogram', form, ...(form === 'classic' ? ['--bounds', THRESHOLDS.join(',')] : [])],
    ...['--match', `job="${job}"`, '--match', `around="${threshold}"`],
  );
}

const nameOf = (form: string, digits: number, threshold: number): string =>
  `${form} ${digits} digits ${threshold}`;

describeWithPeers(['prometheus-2', 'prometheus-3'])('ratios at declared thresholds', () => {
  let service: Service | undefined;
  afterEach(() => service?.stop());
  afterAll(() => stopPeers());

  test.each(['prometheus-2', 'prometheus-3'] as const)(
    'are exact in %s by the counter and the classic bucket, and by buckets that end there, also after a restart',
    async (name) => {
      const port = await freePort();
      service = await startScraped(port);
      // Prometheus 2 stores classic buckets of all jobs, or native ones of all jobs.
      const forms = name === 'prometheus-3' ? FORMS : FORMS.filter((form) => form !== 'classic');
      const rules = SUBJECTS.flatMap(({ digits, threshold }) =>
        forms.map((form) => rulesFor(form, digits, threshold)),
      );
      const prometheus = await startPrometheus(name, [`127.0.0.1:${port}`], {
        rules,
        jobs: [
          { job_name: 'native' },
          ...(name === 'prometheus-3' ? [{ job_name: 'classic', scrape_native_histograms: false }] : []),
        ],
      });
      await expectRatios(prometheus, forms, SUBJECTS);
      await service.stop();
      service = await startScraped(port);
      await expectRatios(prometheus, forms, SUBJECTS);
    },
    240_000,
  );

  // Prometheus 2 takes no OTLP.
  test.each([
    ['by sendOtlp, cumulative', pushBySender('cumulative'), []],
    ['by sendOtlp, as deltas', pushBySender('delta'), ['--enable-feature=otlp-deltatocumulative']],
    ["by an exporter of OpenTelemetry's SDK", pushByReader, []],
  ] as const)(
    'are exact over OTLP, %s, by the counter, and by buckets that end there, also after a restart',
    async (_, push, args) => {
      const forms = FORMS.filter((form) => form !== 'classic');
      const rules = SUBJECTS.flatMap(({ digits, threshold }) =>
        forms.map((form) => rulesFor(form, digits, threshold)),
      );
      const prometheus = await startPrometheus('prometheus-3', [], { isOtlpReceiver: true, rules, args });
      const start = (): Promise<Service> =>
        startService(async (registry) => push(registry, `${prometheus.url}/api/v1/otlp/v1/metrics`));
      service = await start();
      await expectRatios(prometheus, forms, SUBJECTS);
      await service.stop();
      service = await start();
      await expectRatios(prometheus, forms, SUBJECTS);
      const counters = await prometheus.queryNow('{__name__=~".*_within_.*"}');
      expect(new Set(counters.map(({ labels }) => labels.__name__))).toEqual(
        new Set(DIGITS.map((digits) => `${metricOf(digits)}_within_total`)),
      );
    },
    240_000,
  );
});

describeWithPeers(['collector', 'prometheus-2'])('ratios by a Collector that Prometheus 2 scrapes', () => {
  afterAll(() => stopPeers());

  test.each(['cumulative', 'delta'] as const)(
    'are exact by the counter (%s)',
    async (temporality) => {
      const collector = await startCollector();
      const rules = SUBJECTS.map(({ digits, threshold }) => rulesFor('counter', digits, threshold));
      const prometheus = await startPrometheus('prometheus-2', [collector.scrapeTarget], { rules });
      const push = pushBySender(temporality);
      const service = await startService(async (registry) =>
        push(registry, `${collector.httpUrl}/v1/metrics`),
      );
      await expectExact(prometheus, ['counter'], SUBJECTS);
      await service.stop();
    },
    240_000,
  );
});

interface Subject {
  readonly digits: number;
  readonly threshold: number;
}

const SUBJECTS: readonly Subject[] = DIGITS.flatMap((digits) =>
  THRESHOLDS.map((threshold) => ({ digits, threshold })),
);

async function expectRatios(
  prometheus: Prometheus,
  forms: readonly Form[],
  subjects: readonly Subject[],
): Promise<void> {
  const found = await expectExact(prometheus, forms, subjects);
  const shares = await waitFor(
    async () => {
      const known = await ratiosIn(prometheus, 'slo:threshold_bucket:ratio');
      return known.size === subjects.length && known;
    },
    { what: 'shares of buckets' },
  );
  for (const { digits, threshold } of subjects) {
    const one = nameOf('native', digits, threshold);
    expect(Math.abs(found.get(one)! - 0.25)).toBeLessThanOrEqual(shares.get(one)!);
  }
}

/** Waits until the rules have a ratio for each form and subject, exact except for native buckets that the threshold divides. */
async function expectExact(
  prometheus: Prometheus,
  forms: readonly Form[],
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, number>> {
  const expected = subjects.flatMap(({ digits, threshold }) =>
    forms
      .filter((form) => form !== 'native' || threshold === 0.25)
      .map((form) => nameOf(form, digits, threshold)),
  );
  let found = new Map<string, number>();
  // A window that begins with the service has less of some series than of others.
  await waitFor(
    async () => {
      found = await ratiosIn(prometheus, 'slo:error_ratio:rate{window="5s"}');
      const isExact = expected.every((one) => Math.abs((found.get(one) ?? Number.NaN) - 0.25) < 1e-9);
      return isExact && found.size === forms.length * subjects.length;
    },
    { what: 'exact ratios' },
  ).catch((error: unknown) => {
    throw new Error(`not exact: ${JSON.stringify([...found])}`, { cause: error });
  });
  return found;
}

async function ratiosIn({ queryNow }: Prometheus, record: string): Promise<Map<string, number>> {
  return new Map((await queryNow(record)).map(({ labels, value }) => [labels.slo!, value!]));
}
