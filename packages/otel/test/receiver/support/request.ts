import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A request in OTLP's JSON. `requestBytes` writes it as protobuf. */
export interface RequestJson {
  readonly resourceMetrics: readonly {
    readonly resource?: { readonly attributes?: readonly AttributeJson[] };
    readonly scopeMetrics: readonly {
      readonly scope?: { readonly name?: string; readonly version?: string };
      readonly metrics: readonly MetricJson[];
    }[];
  }[];
}

export interface AttributeJson {
  readonly key: string;
  readonly value?: ValueJson;
}

export interface ValueJson {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly bytesValue?: string;
  readonly arrayValue?: { readonly values: readonly ValueJson[] };
  readonly kvlistValue?: { readonly values: readonly AttributeJson[] };
}

export interface MetricJson {
  readonly name?: string;
  readonly unit?: string;
  readonly description?: string;
  readonly histogram?: DataJson<ExplicitJson>;
  readonly exponentialHistogram?: DataJson<ExponentialJson>;
  readonly gauge?: { readonly dataPoints: readonly NumberJson[] };
  readonly sum?: {
    readonly aggregationTemporality?: number;
    readonly isMonotonic?: boolean;
    readonly dataPoints: readonly NumberJson[];
  };
  readonly summary?: { readonly dataPoints: readonly object[] };
}

export interface DataJson<Point> {
  readonly aggregationTemporality: number;
  readonly dataPoints: readonly Point[];
}

export interface PointJson {
  readonly attributes?: readonly AttributeJson[];
  readonly startTimeUnixNano?: string | number;
  readonly timeUnixNano?: string | number;
  readonly count?: string | number;
  readonly sum?: number | string;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly flags?: number;
}

export interface NumberJson
  extends Pick<PointJson, 'attributes' | 'startTimeUnixNano' | 'timeUnixNano' | 'flags'> {
  readonly asInt?: string | number;
  readonly asDouble?: string | number;
}

export interface ExplicitJson extends PointJson {
  readonly bucketCounts?: readonly (string | number)[];
  readonly explicitBounds?: readonly (number | string)[];
}

export interface ExponentialJson extends PointJson {
  readonly scale?: number;
  readonly zeroCount?: string | number;
  readonly zeroThreshold?: number;
  readonly positive?: BucketsJson;
  readonly negative?: BucketsJson;
}

export interface BucketsJson {
  readonly offset?: number;
  readonly bucketCounts?: readonly (string | number)[];
}

/** Attributes that are texts or integers. */
export function attributesJson(attributes: Readonly<Record<string, string | number>>): AttributeJson[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: `${value}` },
  }));
}

/** A request with these metrics of one scope. */
export function requestJson(
  metrics: readonly MetricJson[],
  resource: Readonly<Record<string, string | number>> = { 'service.name': 'shop' },
  scope: { readonly name?: string; readonly version?: string } = { name: 'meter', version: '1.2.3' },
): RequestJson {
  return {
    resourceMetrics: [
      { resource: { attributes: attributesJson(resource) }, scopeMetrics: [{ scope, metrics }] },
    ],
  };
}

/** The same request as protobuf. */
export function requestBytes({ resourceMetrics }: RequestJson): Uint8Array {
  const writer = new BinaryWriter();
  for (const { resource, scopeMetrics } of resourceMetrics) {
    message(writer, 1, () => {
      message(writer, 1, () => writeAttributes(writer, 1, resource?.attributes));
      for (const { scope, metrics } of scopeMetrics) {
        message(writer, 2, () => {
          message(writer, 1, () => {
            text(writer, 1, scope?.name);
            text(writer, 2, scope?.version);
          });
          for (const metric of metrics) message(writer, 2, () => writeMetric(writer, metric));
        });
      }
    });
  }
  return writer.finish();
}

function writeMetric(writer: BinaryWriter, metric: MetricJson): void {
  text(writer, 1, metric.name);
  text(writer, 2, metric.description);
  text(writer, 3, metric.unit);
  const { gauge, sum, summary } = metric;
  if (gauge !== undefined) message(writer, 5, () => writeNumbers(writer, gauge.dataPoints));
  if (sum !== undefined) {
    message(writer, 7, () => {
      writeNumbers(writer, sum.dataPoints);
      if (sum.aggregationTemporality !== undefined)
        writer.tag(2, WireType.Varint).int32(sum.aggregationTemporality);
      if (sum.isMonotonic !== undefined) writer.tag(3, WireType.Varint).bool(sum.isMonotonic);
    });
  }
  if (summary !== undefined) {
    message(writer, 11, () => {
      for (const _ of summary.dataPoints) message(writer, 1, () => fixed(writer, 3, 1));
    });
  }
  writeData(writer, 9, metric.histogram, (point) => writeExplicit(writer, point));
  writeData(writer, 10, metric.exponentialHistogram, (point) => writeExponential(writer, point));
}

function writeNumbers(writer: BinaryWriter, points: readonly NumberJson[]): void {
  for (const { attributes, startTimeUnixNano, timeUnixNano, flags, asInt, asDouble } of points) {
    message(writer, 1, () => {
      fixed(writer, 2, startTimeUnixNano);
      fixed(writer, 3, timeUnixNano);
      double(writer, 4, asDouble);
      if (asInt !== undefined) writer.tag(6, WireType.Bit64).sfixed64(BigInt(asInt));
      writeAttributes(writer, 7, attributes);
      if (flags !== undefined) writer.tag(8, WireType.Varint).uint32(flags);
    });
  }
}

function writeData<Point>(
  writer: BinaryWriter,
  field: number,
  data: DataJson<Point> | undefined,
  write: (point: Point) => void,
): void {
  if (data === undefined) return;
  message(writer, field, () => {
    for (const point of data.dataPoints) message(writer, 1, () => write(point));
    writer.tag(2, WireType.Varint).int32(data.aggregationTemporality);
  });
}

function writeExplicit(writer: BinaryWriter, point: ExplicitJson): void {
  writePoint(writer, point);
  if (point.bucketCounts !== undefined) {
    message(writer, 6, () => point.bucketCounts!.forEach((count) => void writer.fixed64(BigInt(count))));
  }
  if (point.explicitBounds !== undefined) {
    message(writer, 7, () => point.explicitBounds!.forEach((bound) => void writer.double(Number(bound))));
  }
  writeAttributes(writer, 9, point.attributes);
  double(writer, 11, point.min);
  double(writer, 12, point.max);
}

function writeExponential(writer: BinaryWriter, point: ExponentialJson): void {
  writeAttributes(writer, 1, point.attributes);
  writePoint(writer, point);
  if (point.scale !== undefined) writer.tag(6, WireType.Varint).sint32(point.scale);
  fixed(writer, 7, point.zeroCount);
  for (const [field, buckets] of [
    [8, point.positive],
    [9, point.negative],
  ] as const) {
    if (buckets === undefined) continue;
    message(writer, field, () => {
      writer.tag(1, WireType.Varint).sint32(buckets.offset ?? 0);
      message(writer, 2, () => buckets.bucketCounts?.forEach((count) => void writer.uint64(BigInt(count))));
    });
  }
  double(writer, 12, point.min);
  double(writer, 13, point.max);
  double(writer, 14, point.zeroThreshold);
}

function writePoint(writer: BinaryWriter, point: PointJson): void {
  fixed(writer, 2, point.startTimeUnixNano);
  fixed(writer, 3, point.timeUnixNano);
  fixed(writer, 4, point.count);
  double(writer, 5, point.sum);
  if (point.flags !== undefined) writer.tag(10, WireType.Varint).uint32(point.flags);
}

function writeAttributes(
  writer: BinaryWriter,
  field: number,
  attributes: readonly AttributeJson[] = [],
): void {
  for (const { key, value } of attributes) {
    message(writer, field, () => {
      text(writer, 1, key);
      if (value !== undefined) message(writer, 2, () => writeValue(writer, value));
    });
  }
}

function writeValue(writer: BinaryWriter, value: ValueJson): void {
  text(writer, 1, value.stringValue);
  if (value.boolValue !== undefined) writer.tag(2, WireType.Varint).bool(value.boolValue);
  if (value.intValue !== undefined) writer.tag(3, WireType.Varint).int64(BigInt(value.intValue));
  double(writer, 4, value.doubleValue);
  const { arrayValue, kvlistValue } = value;
  if (arrayValue !== undefined) {
    message(writer, 5, () => {
      for (const one of arrayValue.values) message(writer, 1, () => writeValue(writer, one));
    });
  }
  if (kvlistValue !== undefined) message(writer, 6, () => writeAttributes(writer, 1, kvlistValue.values));
  if (value.bytesValue !== undefined) {
    writer.tag(7, WireType.LengthDelimited).bytes(Buffer.from(value.bytesValue, 'base64'));
  }
}

function message(writer: BinaryWriter, field: number, write: () => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.LengthDelimited).string(value);
}

function fixed(writer: BinaryWriter, field: number, value: string | number | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.Bit64).fixed64(BigInt(value));
}

function double(writer: BinaryWriter, field: number, value: number | string | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.Bit64).double(Number(value));
}
