import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { snappy } from '../../src/remote-write/snappy.ts';

/** A series of a request, for both versions, by a writer that shares only the specification with the reader. */
export interface SeriesToWrite {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples?: readonly {
    readonly value: number | 'stale';
    readonly timeMs: number;
    readonly startMs?: number;
  }[];
  readonly histograms?: readonly HistogramToWrite[];
  readonly exemplars?: number;
  /** The number of the type in the metadata of version 2. */
  readonly type?: number;
  readonly unit?: string;
  readonly createdMs?: number;
}

export interface HistogramToWrite {
  readonly count?: number;
  readonly floatCount?: number;
  readonly sum: number | 'stale';
  readonly schema?: number;
  readonly zeroThreshold?: number;
  readonly zeroCount?: number;
  readonly spans?: readonly (readonly [offset: number, length: number])[];
  readonly counts?: readonly number[];
  readonly hint?: number;
  readonly timeMs: number;
  readonly startMs?: number;
  readonly customValues?: readonly number[];
}

export interface MetadataToWrite {
  readonly family: string;
  readonly type: number;
  readonly unit?: string;
}

const { Varint, Bit64, LengthDelimited } = WireType;

export const TYPES = {
  1: 'application/x-protobuf',
  2: 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
} as const;

/** A request of version 1 or 2, compressed. */
export function writeRequest(
  version: 1 | 2,
  series: readonly SeriesToWrite[],
  metadata: readonly MetadataToWrite[] = [],
): Uint8Array {
  return snappy(version === 1 ? encode1(series, metadata) : encode2(series));
}

export function encode1(
  series: readonly SeriesToWrite[],
  metadata: readonly MetadataToWrite[] = [],
): Uint8Array {
  const writer = new BinaryWriter();
  for (const { labels, samples = [], histograms = [], exemplars = 0 } of series) {
    writer.tag(1, LengthDelimited).fork();
    for (const [name, value] of Object.entries(labels)) {
      writer.tag(1, LengthDelimited).fork();
      writer.tag(1, LengthDelimited).string(name).tag(2, LengthDelimited).string(value).join();
    }
    writeSamples(writer, samples);
    for (let i = 0; i < exemplars; i++) writer.tag(3, LengthDelimited).fork().join();
    for (const histogram of histograms) writeHistogram(writer, 4, histogram);
    writer.join();
  }
  for (const { family, type, unit = '' } of metadata) {
    writer.tag(3, LengthDelimited).fork().tag(1, Varint).int32(type);
    writer.tag(2, LengthDelimited).string(family).tag(5, LengthDelimited).string(unit).join();
  }
  return writer.finish();
}

function encode2(series: readonly SeriesToWrite[]): Uint8Array {
  const writer = new BinaryWriter();
  const symbols: string[] = [''];
  const ref = (text: string): number => {
    const known = symbols.indexOf(text);
    return known >= 0 ? known : symbols.push(text) - 1;
  };
  for (const {
    labels,
    samples = [],
    histograms = [],
    exemplars = 0,
    type = 0,
    unit = '',
    createdMs,
  } of series) {
    writer.tag(5, LengthDelimited).fork();
    writer.tag(1, LengthDelimited).fork();
    for (const [name, value] of Object.entries(labels)) writer.uint32(ref(name)).uint32(ref(value));
    writer.join();
    writeSamples(writer, samples);
    for (const histogram of histograms) writeHistogram(writer, 3, histogram);
    for (let i = 0; i < exemplars; i++) writer.tag(4, LengthDelimited).fork().join();
    writer.tag(5, LengthDelimited).fork().tag(1, Varint).int32(type).tag(4, Varint).uint32(ref(unit)).join();
    if (createdMs !== undefined) writer.tag(6, Varint).int64(createdMs);
    writer.join();
  }
  // After the series that refer to them: fields of a message may come in any order.
  for (const symbol of symbols) writer.tag(4, LengthDelimited).string(symbol);
  return writer.finish();
}

function writeSamples(writer: BinaryWriter, samples: NonNullable<SeriesToWrite['samples']>): void {
  for (const { value, timeMs, startMs } of samples) {
    writer.tag(2, LengthDelimited).fork();
    writeDouble(writer.tag(1, Bit64), value);
    writer.tag(2, Varint).int64(timeMs);
    if (startMs !== undefined) writer.tag(3, Varint).int64(startMs);
    writer.join();
  }
}

function writeDouble(writer: BinaryWriter, value: number | 'stale'): void {
  if (value === 'stale') writer.fixed64(0x7ff0_0000_0000_0002n);
  else writer.double(value);
}

function writeHistogram(writer: BinaryWriter, field: number, histogram: HistogramToWrite): void {
  const { count = 0, floatCount, sum, schema = 0, zeroThreshold = 0, zeroCount = 0 } = histogram;
  const { spans = [], counts = [], hint = 0, timeMs, startMs, customValues = [] } = histogram;
  writer.tag(field, LengthDelimited).fork();
  if (floatCount === undefined) writer.tag(1, Varint).uint64(count);
  else writer.tag(2, Bit64).double(floatCount);
  writeDouble(writer.tag(3, Bit64), sum);
  writer.tag(4, Varint).sint32(schema).tag(5, Bit64).double(zeroThreshold).tag(6, Varint).uint64(zeroCount);
  for (const [offset, length] of spans) {
    writer.tag(11, LengthDelimited).fork().tag(1, Varint).sint32(offset).tag(2, Varint).uint32(length).join();
  }
  let before = 0;
  writer.tag(12, LengthDelimited).fork();
  for (const one of counts) {
    writer.sint64(one - before);
    before = one;
  }
  writer.join();
  writer.tag(14, Varint).int32(hint).tag(15, Varint).int64(timeMs);
  writer.tag(16, LengthDelimited).fork();
  for (const value of customValues) writer.double(value);
  writer.join();
  if (startMs !== undefined) writer.tag(17, Varint).int64(startMs);
  writer.join();
}

/** The series of a classic histogram at one time. */
export function classicSeries(
  family: string,
  labels: Readonly<Record<string, string>>,
  cumulative: Readonly<Record<string, number>>,
  timeMs: number,
  more: Partial<SeriesToWrite> & { readonly sum?: number; readonly startMs?: number } = {},
): SeriesToWrite[] {
  const { sum = 0, startMs, ...others } = more;
  const one = (suffix: string, own: Readonly<Record<string, string>>, value: number): SeriesToWrite => ({
    labels: { __name__: `${family}${suffix}`, ...labels, ...own },
    samples: [{ value, timeMs, ...(startMs !== undefined && { startMs }) }],
    ...others,
  });
  const bounds = Object.keys(cumulative);
  return [
    ...bounds.map((le) => one('_bucket', { le }, cumulative[le]!)),
    one('_sum', {}, sum),
    one('_count', {}, cumulative['+Inf']!),
  ];
}
