import { servePrometheus } from '@hdrscope/prometheus';
import { fetchExposition, ingestPrometheus, readExposition } from '@hdrscope/prometheus/scraper';
import { createRegistry } from '@hdrscope/registry';
import { boundsAtPercentiles, endCounts } from '@hdrscope/registry/internal';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { startPrometheus } from './support/prometheus.ts';
import { durations } from './support/sampling.ts';

const QUANTILES = [0.5, 0.9, 0.99, 0.999];

describeWithPeers(['prometheus-3'])('a scraper beside Prometheus 3', () => {
  afterAll(stopPeers);

  test('has the buckets that Prometheus has of one target, and bounds around its quantiles and the true ones', async () => {
    const source = createRegistry();
    const series = source
      .histogram({ name: 'rpc.duration', unit: 's', significantDigits: 3 })
      .with({ method: 'Buy' });
    const values = durations(5000, 7, { spread: 1.1 });
    for (const value of values) series.record(value);
    const server = await servePrometheus(source, { host: '127.0.0.1', port: 0 });
    try {
      const target = `127.0.0.1:${server.port}`;
      const prometheus = await startPrometheus('prometheus-3', [target]);
      const [{ histogram }] = await prometheus.query('rpc_duration_seconds');

      const url = `http://${target}/metrics`;
      const { bytes, format } = await fetchExposition({ url });
      const scraped = readExposition(bytes, format).families.find(
        ({ name }) => name === 'rpc_duration_seconds',
      )!;
      const { layout, counts } = scraped.histograms[0]!.counted;
      const used = Array.from({ length: layout.slotCount }, (_, slot) => ({
        slot,
        count: counts.at(slot),
      })).filter(({ count }) => count > 0);
      expect(used.map(({ count }) => count)).toEqual(histogram!.buckets.map(({ count }) => count));
      for (const [i, { slot }] of used.entries()) {
        expect(layout.upper(slot)).toBeCloseTo(histogram!.buckets[i]!.upper, 9);
      }

      const registry = createRegistry();
      const ingestion = ingestPrometheus(registry, () => fetchExposition({ url }), {
        attributes: { job: 'test' },
      });
      await ingestion.scrape();
      const { families } = await registry.gather();
      const family = families.find(({ name }) => name === 'rpc_duration_seconds')!;
      const { histogram: own, reaches } = family.series[0]!;
      const bounds = boundsAtPercentiles(
        family,
        endCounts(own.counts, reaches),
        QUANTILES.map((quantile) => 100 * quantile),
      );
      const sorted = [...values].sort((a, b) => a - b);
      for (const [i, quantile] of QUANTILES.entries()) {
        const { lower, upper } = bounds[i]!;
        const truth = sorted[Math.ceil(quantile * sorted.length) - 1]!;
        // A slot of three digits may round the truth.
        expect(lower).toBeLessThanOrEqual(truth * 1.001);
        expect(upper).toBeGreaterThanOrEqual(truth * 0.999);
        const theirs = await prometheus.queryNumber(`histogram_quantile(${quantile}, rpc_duration_seconds)`);
        expect(theirs).toBeGreaterThanOrEqual(lower * 0.999);
        expect(theirs).toBeLessThanOrEqual(upper * 1.001);
      }
    } finally {
      await server.close();
    }
  });

  test('reads the page of Prometheus itself without a refusal: native and classic histograms in protobuf, classic ones in text', async () => {
    const prometheus = await startPrometheus('prometheus-3', ['127.0.0.1:1']);
    const url = `${prometheus.url}/metrics`;
    await waitFor(
      async () => {
        const { bytes, format } = await fetchExposition({ url });
        const { families, refusals } = readExposition(bytes, format);
        expect(format).toBe('protobuf');
        expect(refusals.filter(({ reason }) => reason !== 'unsupported')).toEqual([]);
        const requests = families.find(({ name }) => name === 'prometheus_http_request_duration_seconds');
        const kinds = new Set(
          families.flatMap(({ histograms }) => histograms.map(({ counted }) => counted.layout.kind)),
        );
        return (requests?.histograms.length ?? 0) > 0 && kinds.has('exponential') && kinds.has('explicit');
      },
      { what: 'native and classic histograms of Prometheus' },
    );
    const registry = createRegistry();
    const ingestion = ingestPrometheus(registry, () =>
      fetchExposition({ url, headers: { accept: 'text/plain' } }),
    );
    const first = await ingestion.scrape();
    expect([first.refused, first.histograms > 5]).toEqual([0, true]);
    const { values } = await ingestion.scrape();
    // A few requests were counted between the two.
    expect(values).toBeLessThan(first.values);
  });
});
