import { createHdr } from '@hdrscope/otel';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { OtlpSinkConfig } from '../config/types.ts';
import type { EntryContext, Start } from '../entry.ts';
import { HEALTH_NUMBERS } from '../health.ts';
import type { MetricProducer } from '../memory.ts';

/** Sends the histograms of the registry and the agent's own metrics over OTLP. */
export const startOtlpSink: Start<OtlpSinkConfig> = async (config, context) => {
  const exporter = observed(await createExporter(config), context);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: config.interval,
    exportTimeoutMillis: config.timeout,
    metricProducers: [producerOf(config, context)],
  });
  const resource = resourceFromAttributes({ 'service.name': 'hdrscope', ...config.resource });
  const provider = new MeterProvider({ resource, readers: [reader] });
  addHealth(provider, context);
  return {
    note: config.url,
    // The shutdown sends what is left before it resolves.
    stop: () => provider.shutdown({ timeoutMillis: context.shutdownTimeoutMs }),
  };
};

/** The producer of a sink. It outlives the sink, because it knows which deltas the receiver has. */
function producerOf(
  { name, temporality, histograms }: OtlpSinkConfig,
  context: EntryContext,
): MetricProducer {
  const key = `otlp sink ${name} ${temporality} ${histograms}`;
  const known = context.memory.producers.get(key);
  if (known !== undefined) return known;
  const hdr = createHdr({ views: [], registry: context.registry, exemplarFilter: 'always_off' });
  const producer = hdr.producer({ temporality, format: histograms }) as unknown as MetricProducer;
  context.memory.producers.set(key, producer);
  return producer;
}

async function createExporter(config: OtlpSinkConfig): Promise<PushMetricExporter> {
  const { url, headers, timeout, temporality } = config;
  const options = {
    url,
    timeoutMillis: timeout,
    // The enumeration lies in a package that nothing else here needs.
    compression: config.compression as never,
    temporalityPreference:
      temporality === 'delta' ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
  };
  if (config.protocol === 'grpc') {
    const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-grpc');
    return new OTLPMetricExporter(options);
  }
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto');
  return new OTLPMetricExporter({ ...options, headers: { ...headers } });
}

/** Reports the result of every export, which the exporter passes to its caller only. */
function observed(exporter: PushMetricExporter, context: EntryContext): PushMetricExporter {
  return {
    export(metrics, onResult) {
      exporter.export(metrics, (result) => {
        if (result.code === 0) context.succeeded();
        else context.failed(result.error ?? new Error('the export has failed'));
        onResult(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    selectAggregationTemporality: (type) =>
      exporter.selectAggregationTemporality?.(type) ?? AggregationTemporality.CUMULATIVE,
  };
}

function addHealth(provider: MeterProvider, { health, nowMs }: EntryContext): void {
  const meter = provider.getMeter('hdrscope.agent');
  for (const { name, kind, unit, description, points } of HEALTH_NUMBERS) {
    const options = { unit, description };
    const instrument =
      kind === 'counter'
        ? meter.createObservableCounter(name, options)
        : meter.createObservableGauge(name, options);
    instrument.addCallback((result) => {
      for (const { attributes, value } of points(health(), nowMs())) result.observe(value, attributes);
    });
  }
}
