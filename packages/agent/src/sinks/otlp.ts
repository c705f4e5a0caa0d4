import {
  type OtlpNumber,
  type OtlpSender,
  OtlpSenderMemory,
  type OtlpSenderObserver,
  otlpOptionsFromEnvironment,
  sendOtlp,
} from '@hdrscope/otel/sender';
import type { OtlpSinkConfig } from '../config/types.ts';
import type { EntryContext, Start } from '../entry.ts';
import { HEALTH_NUMBERS } from '../health.ts';
import { noteOnce } from '../note-once.ts';
import { startSending } from './sending.ts';

/** Sends the histograms of the registry and the agent's own metrics over OTLP. */
export const startOtlpSink: Start<OtlpSinkConfig> = async (config, context) => {
  const { url, protocol, temporality, histograms, compression, resource } = config;
  const { interval, timeout, giveUpAfter, maxRequestSize } = config;
  const variables = otlpOptionsFromEnvironment();
  for (const warning of variables.warnings) noteOnce(warning, context);
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
      numbers: { scope: 'hdrscope.agent', read: () => healthNumbers(context) },
      memory: memoryOf(config, context),
      observer: { ...observer, warned: (message) => context.info(message) },
    });
  return startSending(url, context, start, ({ health }) => health);
};

/** The memory of a sink. It outlives the sink, because it knows which deltas the receiver has. */
function memoryOf(
  { name, temporality, histograms }: OtlpSinkConfig,
  { memory }: EntryContext,
): OtlpSenderMemory {
  const key = `otlp sink ${name} ${temporality} ${histograms}`;
  const known = memory.senders.get(key) ?? new OtlpSenderMemory();
  memory.senders.set(key, known);
  return known;
}

function healthNumbers({ health, nowMs }: EntryContext): OtlpNumber[] {
  const now = health();
  return HEALTH_NUMBERS.map((number) => ({ ...number, points: number.points(now, nowMs()) }));
}
