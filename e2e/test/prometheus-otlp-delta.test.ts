import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';

/** Values so far from the bounds of buckets, of every scale up to 6, that no HDR slot reaches over a bound. */
const MIDDLES = Array.from({ length: 80 }, (_, i) => 2 ** ((i + 1 / 3) / 8));
const INTERVALS = 12;

/** A proxy to a server. `loses` returns whether the client gets no answer, although the server has the request. */
async function startProxy(target: string, loses: () => boolean) {
  const server = createServer((incoming, outgoing) => {
    const { method = '', headers, url = '' } = incoming;
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      if (loses()) {
        answer.resume().on('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Records in three series of a family, and returns the values of each. */
function recorder(registry: Registry, name: string) {
  const family = registry.histogram({ name, unit: 's' });
  const jobs = ['a', 'b', 'c'];
  const values = new Map(jobs.map((job): [string, number[]] => [job, []]));
  return {
    values,
    record(interval: number): void {
      for (const [number, job] of jobs.entries()) {
        // One series pauses in some intervals.
        if (number === 2 && interval % 3 === 0) continue;
        for (let i = 0; i < 50; i++) {
          const value = MIDDLES[(i * (number + 1) + interval * 7) % MIDDLES.length]!;
          family.with({ job }).record(value);
          values.get(job)!.push(value);
        }
      }
    },
  };
}

describeWithPeers(['prometheus-3'])('deltas to Prometheus, which keeps them as they are', () => {
  let server: Prometheus;

  beforeAll(async () => {
    server = await startPrometheus('prometheus-3', [], {
      isOtlpReceiver: true,
      args: ['--enable-feature=otlp-native-delta-ingestion'],
    });
  });

  afterAll(stopPeers);

  async function sendIntervals(name: string, url: string, histograms: 'exponential' | 'explicit') {
    const registry = createRegistry();
    const { values, record } = recorder(registry, name);
    const sender = sendOtlp(registry, {
      url: `${url}/api/v1/otlp/v1/metrics`,
      temporality: 'delta',
      histograms,
      // Each interval goes out in several requests.
      maxRequestBytes: 400,
      intervalMs: 3_600_000,
    });
    for (let interval = 0; interval < INTERVALS; interval++) {
      record(interval);
      // A request whose answer is lost is sent again.
      await waitFor(
        () =>
          sender.flush().then(
            () => true,
            () => false,
          ),
        { what: 'a flush' },
      );
      await sleep(20);
    }
    await sender.close();
    return { values, health: sender.health };
  }

  test('the buckets over a range are those that were recorded, also when answers were lost', async () => {
    let answers = 0;
    const proxy = await startProxy(server.url, () => ++answers % 5 === 0);
    const { values, health } = await sendIntervals('rpc.delta', proxy.url, 'exponential');
    proxy.close();
    expect(health.requests).toBeGreaterThan(INTERVALS);
    expect(health.failedRequests).toBeGreaterThan(3);
    expect(health).toMatchObject({ rejectedPoints: 0, givenUpValues: 0, pendingValues: 0 });

    const samples = await server.query('sum_over_time(rpc_delta_seconds[10m])');
    expect(samples.map(({ labels }) => labels.job).sort()).toEqual(['a', 'b', 'c']);
    for (const { labels, histogram } of samples) {
      const recorded = values.get(labels.job!)!;
      const { count, sum, buckets } = histogram!;
      expect(count).toBe(recorded.length);
      const exact = recorded.reduce((total, value) => total + value, 0);
      expect(Math.abs(sum / exact - 1)).toBeLessThan(1e-6);
      expect(buckets.length).toBeGreaterThan(20);
      for (const { lower, upper, count: inBucket } of buckets) {
        expect(inBucket).toBe(recorded.filter((value) => value > lower && value <= upper).length);
      }
      expect(buckets.reduce((total, bucket) => total + bucket.count, 0)).toBe(count);
    }
    // Each sample is an interval of its own.
    const [inAll] = await server.query('sum(count_over_time(rpc_delta_seconds[10m]))');
    expect(inAll.value).toBe(3 * INTERVALS - INTERVALS / 3);
    const [quantile] = await server.query(
      'histogram_quantile(0.5, sum(sum_over_time(rpc_delta_seconds[10m])))',
    );
    const all = [...values.values()].flat().sort((a, b) => a - b);
    // The bucket of the median at scale 3 is 9 % wide.
    expect(Math.abs(quantile.value! / all[all.length / 2 - 1]! - 1)).toBeLessThan(0.09);
  });

  test('classic buckets over a range are those that were recorded', async () => {
    const { values } = await sendIntervals('rpc.classic', server.url, 'explicit');
    const samples = await server.query('sum_over_time(rpc_classic_seconds_bucket[10m])');
    expect(samples).toHaveLength(3 * 15);
    for (const { labels, value } of samples) {
      const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
      expect(value).toBe(values.get(labels.job!)!.filter((one) => one <= bound).length);
    }
  });
});
