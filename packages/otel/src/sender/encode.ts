import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Slices } from '@hdrscope/kit';
import type { HrTime } from '@opentelemetry/api';
import { delimited, fixed64, varint } from '../receiver/wire.ts';
import {
  type ExplicitHistogramValue,
  type ExponentialHistogramValue,
  type HistogramMetric,
  type Point,
  PointType,
  type ScopeMetrics,
  Temporality,
} from '../sdk.ts';

/** The members of `DataPointType` for numbers. */
export const NumberPointType = { GAUGE: 2, SUM: 3 } as const;

/** The kind of `MetricData` that holds numbers. */
export interface NumberMetric {
  readonly descriptor: Pick<HistogramMetric['descriptor'], 'name' | 'description' | 'unit' | 'valueType'>;
  readonly aggregationTemporality: number;
  readonly dataPointType: (typeof NumberPointType)[keyof typeof NumberPointType];
  readonly isMonotonic: boolean;
  readonly dataPoints: readonly Omit<Point<number>, 'exemplars'>[];
}

type Metric = HistogramMetric | NumberMetric;

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto
// The fields have the order in which the exporters of the SDK write them.
const INTEGER = 0;

/**
 * Encodes an `ExportMetricsServiceRequest`. The bytes are those of the SDK's own exporters. Other work runs in between.
 *
 * @param resource The attributes of the resource.
 */
export async function encodeRequest(
  resource: Readonly<Record<string, unknown>>,
  scopes: readonly ScopeMetrics[],
): Promise<Uint8Array> {
  const slices = new Slices();
  const writer = new BinaryWriter();
  writer.uint32(delimited(1)).fork();
  writer.uint32(delimited(1)).fork();
  writeAttributes(writer, 1, resource);
  // The SDK writes the number of dropped attributes, too.
  writer.uint32(varint(2)).uint32(0).join();
  for (const { scope, metrics } of scopes) {
    writer.uint32(delimited(2)).fork();
    writer.uint32(delimited(1)).fork();
    writer.uint32(delimited(1)).string(scope.name);
    if (scope.version) writer.uint32(delimited(2)).string(scope.version);
    writer.join();
    for (const metric of metrics as readonly Metric[]) await writeMetric(writer, metric, slices);
    if (scope.schemaUrl) writer.uint32(delimited(3)).string(scope.schemaUrl);
    writer.join();
  }
  return writer.join().finish();
}

async function writeMetric(writer: BinaryWriter, metric: Metric, slices: Slices): Promise<void> {
  const { descriptor, dataPointType, aggregationTemporality } = metric;
  writer.uint32(delimited(2)).fork();
  writer.uint32(delimited(1)).string(descriptor.name);
  if (descriptor.description) writer.uint32(delimited(2)).string(descriptor.description);
  if (descriptor.unit) writer.uint32(delimited(3)).string(descriptor.unit);
  writer.uint32(delimited(FIELDS[dataPointType as keyof typeof FIELDS])).fork();
  for (const point of metric.dataPoints) {
    writer.uint32(delimited(1)).fork();
    if (dataPointType === PointType.EXPONENTIAL_HISTOGRAM)
      writeExponential(writer, point as Point<ExponentialHistogramValue>);
    else if (dataPointType === PointType.HISTOGRAM)
      writeExplicit(writer, point as Point<ExplicitHistogramValue>);
    else writeNumber(writer, point as Point<number>, descriptor.valueType);
    writer.join();
    if (slices.isOver()) await slices.next();
  }
  if (dataPointType !== NumberPointType.GAUGE) {
    writer.uint32(varint(2)).uint32(aggregationTemporality === Temporality.DELTA ? 1 : 2);
    if ('isMonotonic' in metric && metric.isMonotonic) writer.uint32(varint(3)).bool(true);
  }
  writer.join().join();
}

/** The field of a `Metric` that holds the points of a type. */
const FIELDS = {
  [NumberPointType.GAUGE]: 5,
  [NumberPointType.SUM]: 7,
  [PointType.HISTOGRAM]: 9,
  [PointType.EXPONENTIAL_HISTOGRAM]: 10,
} as const;

function writeNumber(writer: BinaryWriter, point: Point<number>, valueType: number): void {
  writeTimes(writer, point);
  if (valueType === INTEGER) writer.uint32(fixed64(6)).sfixed64(BigInt(point.value));
  else writer.uint32(fixed64(4)).double(point.value);
  writeAttributes(writer, 7, point.attributes);
}

function writeExplicit(writer: BinaryWriter, point: Point<ExplicitHistogramValue>): void {
  const { count, sum, min, max, buckets } = point.value;
  writeTimes(writer, point);
  writeCount(writer.uint32(fixed64(4)), count);
  writer.uint32(fixed64(5)).double(sum);
  if (buckets.counts.length > 0) {
    writer.uint32(delimited(6)).uint32(8 * buckets.counts.length);
    for (const one of buckets.counts) writeCount(writer, one);
  }
  if (buckets.boundaries.length > 0) {
    writer.uint32(delimited(7)).uint32(8 * buckets.boundaries.length);
    for (const bound of buckets.boundaries) writer.double(bound);
  }
  writeAttributes(writer, 9, point.attributes);
  if (min !== undefined) writer.uint32(fixed64(11)).double(min);
  if (max !== undefined) writer.uint32(fixed64(12)).double(max);
}

function writeExponential(writer: BinaryWriter, point: Point<ExponentialHistogramValue>): void {
  const { count, sum, min, max, scale, zeroCount, positive, negative } = point.value;
  writeAttributes(writer, 1, point.attributes);
  writeTimes(writer, point);
  writeCount(writer.uint32(fixed64(4)), count);
  writer.uint32(fixed64(5)).double(sum);
  if (scale !== 0) writer.uint32(varint(6)).sint32(scale);
  writeCount(writer.uint32(fixed64(7)), zeroCount);
  writeBuckets(writer.uint32(delimited(8)), positive);
  writeBuckets(writer.uint32(delimited(9)), negative);
  if (min !== undefined) writer.uint32(fixed64(12)).double(min);
  if (max !== undefined) writer.uint32(fixed64(13)).double(max);
}

function writeBuckets(
  writer: BinaryWriter,
  { offset, bucketCounts }: ExponentialHistogramValue['positive'],
): void {
  // The property may unpack its counts at each look.
  const counts = bucketCounts;
  writer.fork();
  if (offset !== 0) writer.uint32(varint(1)).sint32(offset);
  if (counts.length > 0) {
    writer.uint32(delimited(2)).fork();
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      // A varint of 64 bits goes through a bigint, which takes ten times as long.
      if (count < TURN) writer.uint32(count);
      else writer.uint64(count);
    }
    writer.join();
  }
  writer.join();
}

const TURN = 2 ** 32;

/** Writes an integer up to 2^53 in eight bytes. */
function writeCount(writer: BinaryWriter, count: number): void {
  writer.fixed32(count % TURN).fixed32(Math.floor(count / TURN));
}

function writeTimes(
  writer: BinaryWriter,
  { startTime, endTime }: Pick<Point<unknown>, 'startTime' | 'endTime'>,
): void {
  writer.uint32(fixed64(2)).fixed64(nanoseconds(startTime));
  writer.uint32(fixed64(3)).fixed64(nanoseconds(endTime));
}

function nanoseconds([seconds, rest]: HrTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest);
}

function writeAttributes(
  writer: BinaryWriter,
  field: number,
  attributes: Readonly<Record<string, unknown>>,
): void {
  for (const [key, value] of Object.entries(attributes)) {
    writer.uint32(delimited(field)).fork();
    writer.uint32(delimited(1)).string(key);
    writer.uint32(delimited(2)).fork();
    writeValue(writer, value);
    writer.join().join();
  }
}

/** Writes the content of an `AnyValue`: nothing for a value that attributes cannot have. */
function writeValue(writer: BinaryWriter, value: unknown): void {
  if (typeof value === 'string') writer.uint32(delimited(1)).string(value);
  else if (typeof value === 'boolean') writer.uint32(varint(2)).bool(value);
  else if (typeof value === 'number') {
    const isInteger = Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
    if (isInteger) writer.uint32(varint(3)).int64(BigInt(value));
    else writer.uint32(fixed64(4)).double(value);
  } else if (Array.isArray(value)) {
    writer.uint32(delimited(5)).fork();
    for (const item of value) {
      writer.uint32(delimited(1)).fork();
      writeValue(writer, item);
      writer.join();
    }
    writer.join();
  }
}
