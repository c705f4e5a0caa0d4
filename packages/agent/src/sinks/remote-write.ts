import type { RemoteWriteObserver, RemoteWriter } from '@hdrscope/prometheus/remote-write';
import * as z from '#zod';
import { duration, oneOf, texts } from '../config/values.ts';
import { type EntryDelivery, healthFamilies } from '../health.ts';
import { MemoryKind } from '../memory.ts';
import { defineSink, entry, type SinkPart } from '../part.ts';
import { translationStrategy } from './names.ts';
import { checkTimeout, headers, startSending, timeout, tls } from './sending.ts';

const schema = entry('remote-write', "Metrics sent by Prometheus' remote write 2.", {
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:9090/api/v1/write' })
    .default('http://localhost:9090/api/v1/write')
    .describe('The whole URL, with the path.'),
  headers,
  interval: duration.prefault('15s').describe('The time between two requests.'),
  timeout,
  buckets: oneOf('custom', 'native')
    .default('custom')
    .describe(
      'custom sends histograms of the kernel, of Ceph and explicit ones with their own boundaries; native sends exponential buckets only.',
    ),
  translationStrategy,
  tls,
  labels: texts.prefault({}).describe('Labels of all series, besides job="hdrscope".'),
}).check(checkTimeout);

/** What each sink has delivered, by its name. */
const DELIVERIES = new MemoryKind<EntryDelivery>();

/** Sends the histograms of the registry and the agent's own metrics by remote write. */
export const remoteWrite: SinkPart = defineSink({
  schema,
  example: `
# Prometheus' remote write 2: histograms of the kernel and of Ceph with their own boundaries.
- type: remote-write
  url: http://localhost:9090/api/v1/write
  labels:
    instance: this-host
`,
  async start(config, context) {
    const { url, headers, tls, labels, interval, timeout, buckets, translationStrategy } = config;
    const { sendRemoteWrite } = await import('@hdrscope/prometheus/remote-write');
    const deliveries = context.memory.of(DELIVERIES);
    const before = deliveries.get(config.name) ?? NOTHING;
    const readDelivery = ({
      health: { requests, failedRequests, rejectedSamples },
    }: RemoteWriter): EntryDelivery => {
      const now = {
        ...before,
        requests: before.requests + requests,
        failedRequests: before.failedRequests + failedRequests,
        rejectedPoints: before.rejectedPoints + rejectedSamples,
      };
      deliveries.set(config.name, now);
      return now;
    };
    const start = (observer: RemoteWriteObserver): RemoteWriter =>
      sendRemoteWrite(context.registry, {
        url,
        headers,
        tls,
        labels: { job: 'hdrscope', ...labels },
        buckets,
        translationStrategy,
        intervalMs: interval,
        timeoutMs: timeout,
        sources: [() => healthFamilies(context)],
        observer,
        warn: (message) => context.info(message),
      });
    return startSending(url, context, start, readDelivery);
  },
});

const NOTHING: EntryDelivery = {
  requests: 0,
  failedRequests: 0,
  // Counts are cumulative: the next request has what this one could not deliver.
  pendingValues: 0,
  rejectedPoints: 0,
  givenUpValues: 0,
  uncertainValues: 0,
  tooLargePoints: 0,
  damagedFiles: 0,
  queueProblem: undefined,
  lastPartialSuccess: undefined,
};
