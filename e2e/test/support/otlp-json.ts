import { AggregationTemporality, DataPointType, type ResourceMetrics } from '@opentelemetry/sdk-metrics';

/** The parts of an OTLP request that the tests read, in OTLP's JSON encoding: 64-bit integers are strings. */
export interface OtlpMetrics {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes?: readonly OtlpAttribute[] };
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string; readonly version?: string };
      readonly metrics: readonly OtlpMetric[];
    }[];
  }[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly doubleValue?: number;
    readonly boolValue?: boolean;
  };
}

interface OtlpMetric {
  readonly name: string;
  readonly description?: string;
  readonly unit?: string;
  readonly exponentialHistogram?: OtlpHistogram;
  readonly histogram?: OtlpHistogram;
}

interface OtlpHistogram {
  readonly aggregationTemporality: number;
  readonly dataPoints: readonly {
    readonly attributes?: readonly OtlpAttribute[];
    readonly startTimeUnixNano: string;
    readonly timeUnixNano: string;
    readonly count: string;
    readonly sum: number;
    readonly min: number;
    readonly max: number;
    readonly scale?: number;
    readonly zeroCount?: string;
    readonly positive?: OtlpBuckets;
    readonly negative?: OtlpBuckets;
    readonly bucketCounts?: readonly string[];
    readonly explicitBounds?: readonly number[];
    readonly exemplars?: readonly OtlpExemplar[];
  }[];
}

interface OtlpExemplar {
  readonly timeUnixNano: string;
  readonly asDouble: number;
  readonly filteredAttributes?: readonly OtlpAttribute[];
  readonly traceId?: string;
  readonly spanId?: string;
}

interface OtlpBuckets {
  readonly offset?: number;
  readonly bucketCounts?: readonly string[];
}

/** One histogram point with its metric and scope, in one form for sent and received points. */
export interface HistogramPoint {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly scope: { readonly name: string; readonly version: string };
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly isDelta: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly count: number;
  readonly sum: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly buckets: ExponentialBuckets | ExplicitBuckets;
}

interface ExponentialBuckets {
  readonly scale: number;
  readonly zeroCount: number;
  readonly offset: number;
  readonly counts: readonly number[];
  readonly negativeCounts: readonly number[];
}

interface ExplicitBuckets {
  readonly boundaries: readonly number[];
  readonly counts: readonly number[];
}

/** The histogram points that a Collector has received. */
export function pointsReceived(requests: readonly OtlpMetrics[]): HistogramPoint[] {
  return requests.flatMap(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
      scopeMetrics.flatMap(({ scope, metrics }) =>
        metrics.flatMap(({ name, description = '', unit = '', exponentialHistogram, histogram }) => {
          const { aggregationTemporality = 0, dataPoints = [] } = exponentialHistogram ?? histogram ?? {};
          return dataPoints.map((point) => ({
            resource: recordOf(resource.attributes),
            scope: { name: scope.name, version: scope.version ?? '' },
            name,
            description,
            unit,
            isDelta: aggregationTemporality === 1,
            attributes: recordOf(point.attributes),
            startNs: BigInt(point.startTimeUnixNano),
            endNs: BigInt(point.timeUnixNano),
            count: Number(point.count),
            sum: point.sum,
            min: point.min,
            max: point.max,
            buckets:
              exponentialHistogram === undefined
                ? {
                    boundaries: point.explicitBounds ?? [],
                    counts: (point.bucketCounts ?? []).map(Number),
                  }
                : {
                    scale: point.scale ?? 0,
                    zeroCount: Number(point.zeroCount ?? 0),
                    offset: point.positive?.offset ?? 0,
                    counts: (point.positive?.bucketCounts ?? []).map(Number),
                    negativeCounts: (point.negative?.bucketCounts ?? []).map(Number),
                  },
          }));
        }),
      ),
    ),
  );
}

/** The histogram points that a reader passed to its exporter. */
export function pointsSent({ resource, scopeMetrics }: ResourceMetrics): HistogramPoint[] {
  return scopeMetrics.flatMap(({ scope, metrics }) =>
    metrics.flatMap((metric) => {
      const { descriptor, aggregationTemporality, dataPointType } = metric;
      if (
        dataPointType !== DataPointType.EXPONENTIAL_HISTOGRAM &&
        dataPointType !== DataPointType.HISTOGRAM
      ) {
        return [];
      }
      return metric.dataPoints.map(({ attributes, startTime, endTime, value }) => ({
        resource: { ...resource.attributes },
        scope: { name: scope.name, version: scope.version ?? '' },
        name: descriptor.name,
        description: descriptor.description,
        unit: descriptor.unit,
        isDelta: aggregationTemporality === AggregationTemporality.DELTA,
        attributes: { ...attributes },
        startNs: nanoseconds(startTime),
        endNs: nanoseconds(endTime),
        count: value.count,
        sum: value.sum,
        min: value.min,
        max: value.max,
        buckets:
          'buckets' in value
            ? { boundaries: [...value.buckets.boundaries], counts: [...value.buckets.counts] }
            : {
                scale: value.scale,
                zeroCount: value.zeroCount,
                offset: value.positive.offset,
                counts: [...value.positive.bucketCounts],
                negativeCounts: [...value.negative.bucketCounts],
              },
      }));
    }),
  );
}

function recordOf(attributes: readonly OtlpAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.boolValue ??
        value.doubleValue ??
        (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  );
}

function nanoseconds([seconds, rest]: readonly [number, number]): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest);
}
