import {
  type RemoteWriteObserver,
  type RemoteWriter,
  sendRemoteWrite,
} from '@hdrscope/prometheus/remote-write';
import type { RemoteWriteSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import type { EntryDelivery } from '../health.ts';
import { healthFamilies } from './health-families.ts';
import { startSending } from './sending.ts';

/** Sends the histograms of the registry and the agent's own metrics by remote write. */
export const startRemoteWriteSink: Start<RemoteWriteSinkConfig> = async (config, context) => {
  const { url, headers, tls, labels, interval, timeout, buckets, unitSuffix } = config;
  const { deliveries } = context.memory;
  const before = deliveries.get(config.name) ?? NOTHING;
  const deliveryOf = ({
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
      withUnitSuffix: unitSuffix,
      intervalMs: interval,
      timeoutMs: timeout,
      sources: [() => healthFamilies(context)],
      observer,
      warn: (message) => context.info(message),
    });
  return startSending(url, context, start, deliveryOf);
};

const NOTHING: EntryDelivery = {
  requests: 0,
  failedRequests: 0,
  // Counts are cumulative: the next request has what this one could not deliver.
  pendingValues: 0,
  rejectedPoints: 0,
  givenUpValues: 0,
  uncertainValues: 0,
  tooLargePoints: 0,
  lastPartialSuccess: undefined,
};
