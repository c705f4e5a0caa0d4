import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** A reader of `io.prometheus.client.MetricFamily` that shares only the specification with the writer. */
export interface DecodedFamily {
  name: string;
  help: string;
  type: number;
  unit: string;
  metrics: DecodedMetric[];
}

export interface DecodedMetric {
  labels: [name: string, value: string][];
  value?: number;
  kind?: 'gauge' | 'counter' | 'untyped';
  exemplar?: DecodedExemplar;
  createdMs?: number;
  timestampMs?: number;
  summary?: { count: bigint; sum: number; quantiles: { rank: number; value: number }[]; createdMs?: number };
  histogram?: DecodedHistogram;
}

export interface DecodedHistogram {
  count: bigint;
  sum: number;
  schema?: number;
  zeroThreshold?: number;
  zeroCount?: bigint;
  positive: DecodedSide;
  negative: DecodedSide;
  buckets: { cumulative: bigint; upperBound: number; exemplar?: DecodedExemplar }[];
  createdMs?: number;
  exemplars: DecodedExemplar[];
}

export interface DecodedSide {
  spans: [offset: number, length: number][];
  deltas: bigint[];
}

export interface DecodedExemplar {
  labels: [name: string, value: string][];
  value: number;
  timestampMs: number;
}

type Fields = Readonly<Record<number, (reader: BinaryReader) => void>>;

export function decodeFamilies(bytes: Uint8Array): DecodedFamily[] {
  const reader = new BinaryReader(bytes);
  const families: DecodedFamily[] = [];
  while (reader.pos < reader.len) {
    const family: DecodedFamily = { name: '', help: '', type: -1, unit: '', metrics: [] };
    message(reader, {
      1: (r) => (family.name = r.string()),
      2: (r) => (family.help = r.string()),
      3: (r) => (family.type = r.int32()),
      4: (r) => family.metrics.push(metric(r)),
      5: (r) => (family.unit = r.string()),
    });
    families.push(family);
  }
  return families;
}

/** The count of every bucket in the spans, by Prometheus's index, with the zeros of filled gaps. */
export function bucketsOf({ spans, deltas }: DecodedSide): Map<number, bigint> {
  const buckets = new Map<number, bigint>();
  let index = 0;
  let count = 0n;
  let next = 0;
  for (const [offset, length] of spans) {
    index += offset;
    for (let i = 0; i < length; i++) {
      count += deltas[next++]!;
      buckets.set(index++, count);
    }
  }
  if (next !== deltas.length) throw new Error(`must have ${next} deltas, has ${deltas.length}`);
  return buckets;
}

function metric(reader: BinaryReader): DecodedMetric {
  const result: DecodedMetric = { labels: [] };
  const number = (kind: 'gauge' | 'counter' | 'untyped') => (r: BinaryReader) => {
    result.kind = kind;
    message(r, {
      1: (inner) => (result.value = inner.double()),
      2: (inner) => (result.exemplar = exemplar(inner)),
      3: (inner) => (result.createdMs = timestamp(inner)),
    });
  };
  message(reader, {
    1: (r) => result.labels.push(label(r)),
    2: number('gauge'),
    3: number('counter'),
    4: (r) => (result.summary = summary(r)),
    5: number('untyped'),
    6: (r) => (result.timestampMs = Number(r.int64())),
    7: (r) => (result.histogram = histogram(r)),
  });
  return result;
}

function summary(reader: BinaryReader): NonNullable<DecodedMetric['summary']> {
  const result: NonNullable<DecodedMetric['summary']> = { count: 0n, sum: 0, quantiles: [] };
  message(reader, {
    1: (r) => (result.count = BigInt(r.uint64())),
    2: (r) => (result.sum = r.double()),
    3: (r) => {
      const quantile = { rank: 0, value: 0 };
      message(r, {
        1: (inner) => (quantile.rank = inner.double()),
        2: (inner) => (quantile.value = inner.double()),
      });
      result.quantiles.push(quantile);
    },
    4: (r) => (result.createdMs = timestamp(r)),
  });
  return result;
}

function histogram(reader: BinaryReader): DecodedHistogram {
  const side = (): DecodedSide => ({ spans: [], deltas: [] });
  const result: DecodedHistogram = {
    count: 0n,
    sum: 0,
    positive: side(),
    negative: side(),
    buckets: [],
    exemplars: [],
  };
  message(reader, {
    1: (r) => (result.count = BigInt(r.uint64())),
    2: (r) => (result.sum = r.double()),
    3: (r) => result.buckets.push(bucket(r)),
    5: (r) => (result.schema = r.sint32()),
    6: (r) => (result.zeroThreshold = r.double()),
    7: (r) => (result.zeroCount = BigInt(r.uint64())),
    9: (r) => result.negative.spans.push(span(r)),
    10: (r) => packed(r, result.negative.deltas),
    12: (r) => result.positive.spans.push(span(r)),
    13: (r) => packed(r, result.positive.deltas),
    15: (r) => (result.createdMs = timestamp(r)),
    16: (r) => result.exemplars.push(exemplar(r)),
  });
  return result;
}

function bucket(reader: BinaryReader): DecodedHistogram['buckets'][number] {
  const result: DecodedHistogram['buckets'][number] = { cumulative: 0n, upperBound: 0 };
  message(reader, {
    1: (r) => (result.cumulative = BigInt(r.uint64())),
    2: (r) => (result.upperBound = r.double()),
    3: (r) => (result.exemplar = exemplar(r)),
  });
  return result;
}

function span(reader: BinaryReader): [number, number] {
  const result: [number, number] = [0, 0];
  message(reader, { 1: (r) => (result[0] = r.sint32()), 2: (r) => (result[1] = r.uint32()) });
  return result;
}

function packed(reader: BinaryReader, into: bigint[]): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) into.push(BigInt(reader.sint64()));
}

function label(reader: BinaryReader): [string, string] {
  const result: [string, string] = ['', ''];
  message(reader, { 1: (r) => (result[0] = r.string()), 2: (r) => (result[1] = r.string()) });
  return result;
}

function exemplar(reader: BinaryReader): DecodedExemplar {
  const result: DecodedExemplar = { labels: [], value: Number.NaN, timestampMs: Number.NaN };
  message(reader, {
    1: (r) => result.labels.push(label(r)),
    2: (r) => (result.value = r.double()),
    3: (r) => (result.timestampMs = timestamp(r)),
  });
  return result;
}

function timestamp(reader: BinaryReader): number {
  let [seconds, nanos] = [0, 0];
  message(reader, { 1: (r) => (seconds = Number(r.int64())), 2: (r) => (nanos = r.int32()) });
  return seconds * 1000 + nanos / 1e6;
}

/** Reads a length-delimited message. An unknown field fails the test. */
function message(reader: BinaryReader, fields: Fields): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    const read = fields[field];
    if (read === undefined) throw new Error(`unknown field ${field} of wire type ${WireType[wireType]}`);
    read(reader);
  }
  if (reader.pos !== end) throw new Error(`a message must end at ${end}, ends at ${reader.pos}`);
}
