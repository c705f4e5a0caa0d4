import type { OtlpNumber, OtlpSender, OtlpSenderMemory, OtlpSenderObserver } from '@hdrscope/otel/sender';
import * as z from '#zod';
import { duration, mapping, oneOf, size, text, texts } from '../config/values.ts';
import { HEALTH_NUMBERS } from '../health.ts';
import { MemoryKind } from '../memory.ts';
import { defineSink, type EntryContext, entry, noteOnce, type SinkPart } from '../part.ts';
import { checkTimeout, headers, startSending, timeout, tls } from './sending.ts';

const queue = mapping({
  folder: text('the path of a folder').describe('The folder of the queue. It is made if it does not exist.'),
  maxSize: size.prefault('64MiB').describe('The most bytes of all files in the folder.'),
});

const schema = entry('otlp', "Metrics sent by OpenTelemetry's protocol.", {
  protocol: oneOf('http/protobuf', 'http/json', 'grpc')
    .default('http/protobuf')
    .describe('The transport and the encoding.'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:4318/v1/metrics' })
    .optional()
    .describe(
      'The whole URL of the endpoint: nothing is added to it. Default: http://localhost:4318/v1/metrics, or http://localhost:4317 for grpc.',
    ),
  headers: headers.describe("Headers of every request. They win over those of OpenTelemetry's variables."),
  interval: duration.prefault('60s').describe('The time between two requests.'),
  timeout,
  temporality: oneOf('cumulative', 'delta')
    .default('cumulative')
    .describe(
      'Whether points have all counts since the start of a series, or those since the request before.',
    ),
  histograms: oneOf('exponential', 'explicit').default('exponential').describe('The kind of histogram.'),
  compression: oneOf('gzip', 'none').default('gzip').describe('The encoding of the bodies of requests.'),
  maxRequestSize: size.prefault('4MiB').describe('The largest request, before compression.'),
  giveUpAfter: duration
    .prefault('1h')
    .describe('How long the same deltas are sent again while nobody takes them.'),
  queue: queue
    .exactOptional()
    .describe(
      'Keeps deltas on disk until the receiver has taken them, also when the agent is killed. Default: they are in memory only.',
    ),
  tls: tls.describe(
    "Files for https, in PEM. Default: those of OpenTelemetry's variables, then those of Node.js.",
  ),
  resource: texts.prefault({}).describe('Attributes of the resource, such as service.name.'),
})
  .check(checkTimeout)
  .check(({ value: { queue, temporality }, issues }) => {
    if (queue === undefined || temporality === 'delta') return;
    const message = 'must be delta for a sink with a queue';
    issues.push({ code: 'custom', message, path: ['temporality'], input: temporality });
  })
  .transform(({ url, ...rest }) => ({
    ...rest,
    url: url ?? (rest.protocol === 'grpc' ? 'http://localhost:4317' : 'http://localhost:4318/v1/metrics'),
  }));

/** Memories of senders, by the names of their sinks and by the kind of points that they send. They outlive the sinks. */
const SENDERS = new MemoryKind<OtlpSenderMemory>();

/** Sends the histograms of the registry and the agent's own metrics over OTLP. */
export const otlp: SinkPart = defineSink({
  schema,
  example: `
# OpenTelemetry's protocol: http/protobuf, http/json or grpc.
- type: otlp
  protocol: http/protobuf
  url: http://localhost:4318/v1/metrics
  headers:
    authorization: Bearer \${OTLP_TOKEN}
  interval: 30s
`,
  async start(config, context) {
    const { OtlpSenderMemory, otlpOptionsFromEnvironment, sendOtlp } = await import('@hdrscope/otel/sender');
    const { url, protocol, temporality, histograms, compression, resource, queue } = config;
    const { interval, timeout, giveUpAfter, maxRequestSize } = config;
    const variables = otlpOptionsFromEnvironment();
    for (const warning of variables.warnings) noteOnce(warning, context);
    // Knows which deltas the receiver has.
    const memory = context.memory.ensure(
      SENDERS,
      `${config.name} ${temporality} ${histograms}`,
      () => new OtlpSenderMemory(),
    );
    const start = (observer: OtlpSenderObserver): OtlpSender =>
      sendOtlp(context.registry, {
        url,
        protocol,
        temporality,
        histograms,
        compression,
        maxRequestBytes: maxRequestSize,
        headers: { ...variables.options.headers, ...config.headers },
        tls: { ...variables.options.tls, ...config.tls },
        resource: { 'service.name': 'hdrscope', ...resource },
        intervalMs: interval,
        timeoutMs: timeout,
        giveUpAfterMs: giveUpAfter,
        ...(queue !== undefined && { queue: { folder: queue.folder, maxBytes: queue.maxSize } }),
        numbers: { scope: 'hdrscope.agent', read: () => readHealth(context) },
        memory,
        observer: { ...observer, warned: (message) => context.info(message) },
      });
    return startSending(url, context, start, ({ health }) => health);
  },
});

function readHealth({ health, nowMs }: EntryContext): OtlpNumber[] {
  const now = health();
  return HEALTH_NUMBERS.map((number) => ({ ...number, points: number.points(now, nowMs()) }));
}
