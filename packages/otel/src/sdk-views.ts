import { type Attributes, diag, type HrTime, type Meter, type MeterProvider } from '@opentelemetry/api';
import type { HistogramFormat } from './metric-settings.ts';
import {
  type AttributesProcessor,
  type ExplicitHistogramValue,
  HISTOGRAM_INSTRUMENT,
  type HistogramMetric,
  type InstrumentDescriptor,
  type MetricScope,
  PointType,
  Temporality,
} from './sdk.ts';

/** One metric that the SDK's views make of an instrument. What no view states is `undefined`. */
export interface SdkMetric {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Run one after the other; empty when all attributes are kept. */
  readonly attributesProcessors: readonly AttributesProcessor[];
  readonly aggregationCardinalityLimit?: number | undefined;
  readonly aggregation: SdkAggregation;
}

/** An aggregation of the SDK: `'other'` has no buckets, as a sum has none. */
export type SdkAggregation =
  | { readonly kind: 'default' | 'drop' | 'other' }
  | {
      readonly kind: 'histogram';
      readonly format: HistogramFormat;
      /** The bounds of an explicit histogram. */
      readonly boundaries?: readonly number[];
      /** The most buckets of an exponential histogram. */
      readonly maxSize?: number | undefined;
      readonly hasMinMax: boolean;
    };

/**
 * Finds the metrics that the SDK's views make of a histogram. When no view matches, the result is the metric of an instrument without
 * views. When a view that matches cannot be read, the result is `undefined`.
 */
export type SdkViewReader = (
  meter: Meter,
  scope: MetricScope,
  instrument: Omit<InstrumentDescriptor, 'type'>,
) => readonly SdkMetric[] | undefined;

const WITHOUT_VIEWS: readonly SdkMetric[] = [{ attributesProcessors: [], aggregation: { kind: 'default' } }];

/** Reads the views that a provider was given. It warns once when the provider does not show them. */
export function sdkViewReader(provider: MeterProvider): SdkViewReader {
  let hasWarned = false;
  return (meter, scope, instrument) => {
    const registry = viewRegistryOf(provider, meter);
    if (registry === undefined) {
      // The API's own provider, which counts nothing, has neither views nor `shutdown`.
      if (!hasWarned && 'shutdown' in provider) {
        diag.warn(
          'the views of the SDK cannot be read in this version: attribute filters and other settings of theirs do not ' +
            'apply to HDR histograms. Put them into the HDR views',
        );
        hasWarned = true;
      }
      return WITHOUT_VIEWS;
    }
    try {
      const descriptor = { ...instrument, type: HISTOGRAM_INSTRUMENT };
      // As the SDK completes the scope of a meter.
      const found = registry.findViews(descriptor, { ...scope, version: scope.version ?? '' });
      return found.length === 0 ? WITHOUT_VIEWS : sdkMetricsOf(found, descriptor);
    } catch {
      return undefined;
    }
  };
}

// The SDK has no public way to its views. These private members are equal in 2.0.1 to 3.1.1, and tests cover both ends.

interface SdkViewRegistry {
  findViews(instrument: InstrumentDescriptor, scope: MetricScope): readonly SdkView[];
}

interface SdkView {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly attributesProcessor: AttributesProcessor;
  readonly aggregation: { createAggregator(instrument: InstrumentDescriptor): SdkAggregator };
  readonly aggregationCardinalityLimit?: number | undefined;
}

interface SdkAggregator {
  readonly _maxSize?: unknown;
  createAccumulation(startTime: HrTime): { record(value: number): void } | undefined;
  toMetricData(
    instrument: InstrumentDescriptor,
    temporality: number,
    accumulations: [Attributes, unknown][],
    endTime: HrTime,
  ): HistogramMetric | undefined;
}

/** A provider that wraps the SDK's may hide it, and pass its meters on. */
function viewRegistryOf(provider: MeterProvider, meter: Meter): SdkViewRegistry | undefined {
  const found =
    member(provider, '_sharedState', 'viewRegistry') ??
    member(meter, '_meterSharedState', '_meterProviderSharedState', 'viewRegistry');
  return typeof member(found, 'findViews') === 'function' ? (found as SdkViewRegistry) : undefined;
}

function member(of: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[key],
    of,
  );
}

/** Views that make a metric of the same name make one: the filters of all apply, and everything else is the first one's. */
function sdkMetricsOf(views: readonly SdkView[], instrument: InstrumentDescriptor): readonly SdkMetric[] {
  const sdkMetrics = new Map<string, SdkMetric>();
  for (const view of views) {
    const key = view.name ?? instrument.name;
    const sdkMetric = sdkMetrics.get(key);
    const filters = isNoop(view.attributesProcessor) ? [] : [view.attributesProcessor];
    if (sdkMetric !== undefined) {
      const attributesProcessors = [...sdkMetric.attributesProcessors, ...filters];
      sdkMetrics.set(key, { ...sdkMetric, attributesProcessors });
      continue;
    }
    const { name, description, aggregationCardinalityLimit } = view;
    sdkMetrics.set(key, {
      name,
      description,
      attributesProcessors: filters,
      aggregationCardinalityLimit: limitOf(aggregationCardinalityLimit),
      aggregation: aggregationOf(view, instrument),
    });
  }
  return [...sdkMetrics.values()];
}

/** By the name of its class. Where a bundler has changed the name, the processor runs and keeps all attributes. */
function isNoop(processor: AttributesProcessor): boolean {
  if (typeof processor.process !== 'function')
    throw new TypeError('an attributes processor must have process()');
  return processor.constructor.name === 'NoopAttributesProcessor';
}

/** The SDK takes any number, and shows everything in the overflow series from a limit of 1 downwards. */
function limitOf(limit: number | undefined): number | undefined {
  return typeof limit === 'number' && !Number.isNaN(limit)
    ? Math.min(Math.max(1, Math.floor(limit)), Number.MAX_SAFE_INTEGER)
    : undefined;
}

/** Recognises an aggregation by the metric that it makes: the names of its class and fields are private. */
function aggregationOf(view: SdkView, instrument: InstrumentDescriptor): SdkAggregation {
  const metric = trial(view, instrument);
  if (metric === undefined) return { kind: 'drop' };
  const { dataPointType, dataPoints } = metric;
  if (dataPointType !== PointType.HISTOGRAM && dataPointType !== PointType.EXPONENTIAL_HISTOGRAM) {
    return { kind: 'other' };
  }
  // Only the default aggregation makes something else of a counter.
  if (trial(view, { ...instrument, type: 'COUNTER' })?.dataPointType !== dataPointType)
    return { kind: 'default' };
  const { value } = dataPoints[0]!;
  const hasMinMax = value.min !== undefined;
  if (dataPointType === PointType.HISTOGRAM) {
    const { boundaries } = (value as ExplicitHistogramValue).buckets;
    return { kind: 'histogram', format: 'explicit', boundaries, hasMinMax };
  }
  const { _maxSize: maxSize } = view.aggregation.createAggregator(instrument);
  const isSize = Number.isSafeInteger(maxSize) && (maxSize as number) >= 2;
  return {
    kind: 'histogram',
    format: 'exponential',
    maxSize: isSize ? (maxSize as number) : undefined,
    hasMinMax,
  };
}

/** The metric of one value. */
function trial({ aggregation }: SdkView, instrument: InstrumentDescriptor): HistogramMetric | undefined {
  const now: HrTime = [0, 0];
  const aggregator = aggregation.createAggregator(instrument);
  const accumulation = aggregator.createAccumulation(now);
  accumulation?.record(1);
  return aggregator.toMetricData(instrument, Temporality.CUMULATIVE, [[{}, accumulation]], now);
}
