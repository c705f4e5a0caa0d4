import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { type Collector, startCollector } from './support/collector.ts';
import type { OtlpMetrics } from './support/otlp-json.ts';
import { createFolder, freePort, stopPeers, waitFor } from './support/peer-process.ts';

/** A part of the time of a series, as the Collector has received it. */
interface Part {
  readonly start: string;
  readonly end: string;
  readonly count: number;
}

/** The parts of each series, in the order in which they came. */
function partsIn(requests: readonly OtlpMetrics[]): Map<string, Part[]> {
  const parts = new Map<string, Part[]>();
  for (const { dataPoints } of histogramsIn(requests)) {
    for (const { attributes, startTimeUnixNano: start, timeUnixNano: end, count } of dataPoints) {
      const key = JSON.stringify(attributes);
      parts.set(key, [...(parts.get(key) ?? []), { start, end, count: Number(count) }]);
    }
  }
  return parts;
}

function histogramsIn(requests: readonly OtlpMetrics[]) {
  return requests
    .flatMap(({ resourceMetrics }) => resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ exponentialHistogram }) => exponentialHistogram ?? []);
}

/** The sum over the parts of all series. A part that came twice has the same times and the same count, and counts once. */
function valuesIn(requests: readonly OtlpMetrics[]): number {
  let sum = 0;
  for (const parts of partsIn(requests).values()) {
    const byTimes = new Map(parts.map((part) => [`${part.start} ${part.end}`, part]));
    for (const part of parts) expect(part).toEqual(byTimes.get(`${part.start} ${part.end}`));
    let lastEnd = 0n;
    for (const { start, end, count } of byTimes.values()) {
      // No time is covered twice.
      expect(BigInt(start)).toBeGreaterThanOrEqual(lastEnd);
      lastEnd = BigInt(end);
      sum += count;
    }
  }
  return sum;
}

/** The sum of all series that the Collector serves to Prometheus. */
async function scraped({ scrapeTarget }: Collector): Promise<number> {
  const text = await (await fetch(`http://${scrapeTarget}/metrics`)).text();
  return [...text.matchAll(/^job_duration\w*_count\S* (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

describeWithPeers(['collector'])('delivery to a Collector', () => {
  let ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    ends = [];
    await stopPeers();
  });

  test.each([
    ['http/protobuf', 'SIGTERM'],
    ['http/protobuf', 'SIGKILL'],
    ['http/protobuf', 'SIGSTOP'],
    ['http/json', 'SIGTERM'],
    ['grpc', 'SIGTERM'],
    ['grpc', 'SIGSTOP'],
  ] as const)(
    'deltas over %s lose nothing to %s and a start, and none is counted twice',
    async (protocol, signal) => {
      const folder = await createFolder();
      ends.push(() => rm(folder, { recursive: true, force: true }));
      const ports = [await freePort(), await freePort(), await freePort()] as const;
      const place = { ports, file: join(folder, 'received.json') };
      let collector = await startCollector(place);

      const registry = createRegistry();
      const family = registry.histogram({ name: 'job.duration', unit: 'ms' });
      const series = ['a', 'b', 'c'].map((job) => family.with({ job }));
      let recorded = 0;
      const recorder = setInterval(() => series[recorded++ % 3]!.record(recorded % 90), 2);
      ends.push(() => clearInterval(recorder));
      const url = protocol === 'grpc' ? collector.grpcUrl : `${collector.httpUrl}/v1/metrics`;
      const options = { temporality: 'delta', intervalMs: 100, timeoutMs: 500 } as const;
      const sender = sendOtlp(registry, { url, protocol, ...options });

      await waitFor(() => sender.health.requests > 3, { what: 'requests that were taken' });
      // A Collector that is killed loses the points that it has taken and not written yet.
      if (signal === 'SIGKILL') {
        clearInterval(recorder);
        await sender.flush();
        await waitFor(() => valuesIn(collector.received()) === recorded, { what: 'all in the file' });
      }
      collector.signal(signal);
      if (signal !== 'SIGSTOP') await collector.ended();
      for (const one of series) one.record(7);
      recorded += series.length;
      await sleep(3000);
      expect(sender.health.failedRequests).toBeGreaterThan(1);
      expect(sender.health.pendingValues).toBeGreaterThan(0);
      if (signal === 'SIGSTOP') collector.signal('SIGCONT');
      else collector = await startCollector(place);

      clearInterval(recorder);
      await waitFor(
        async () => {
          await sender.flush().catch(() => {});
          return sender.health.pendingValues === 0;
        },
        { what: 'a request that is taken' },
      );
      await sender.close();
      await waitFor(() => valuesIn(collector.received()) >= recorded, { what: 'all values in the file' });
      await sleep(200);
      expect(valuesIn(collector.received())).toBe(recorded);
      expect(sender.health.givenUpValues).toBe(0);
      // A Collector that was frozen has seen all: its own sum knows repetitions by their times.
      if (signal === 'SIGSTOP') expect(await scraped(collector)).toBe(recorded);
    },
    60_000,
  );
});
