import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { unsnappy } from './snappy.ts';

/** A series of an `io.prometheus.write.v2.Request`, by a reader that shares only the specification with the writer. */
export interface WrittenSeries {
  labels: [name: string, value: string][];
  samples: { value: number; isStale: boolean; timeMs: number; startMs: number }[];
  histograms: WrittenHistogram[];
  exemplars: { labels: [name: string, value: string][]; value: number; timeMs: number }[];
  type: number;
  help: string;
  unit: string;
}

export interface WrittenHistogram {
  count: number;
  sum: number;
  isStale: boolean;
  schema: number;
  zeroThreshold: number;
  zeroCount: number;
  /** Counts by index. */
  positive: [index: number, count: number][];
  negative: [index: number, count: number][];
  customValues: number[];
  timeMs: number;
  startMs: number;
}

export function decodeRequest(bytes: Uint8Array): WrittenSeries[] {
  const reader = new BinaryReader(unsnappy(bytes));
  const symbols: string[] = [];
  const places: [start: number, end: number][] = [];
  fields(reader, reader.len, {
    4: () => symbols.push(reader.string()),
    5: () => {
      const end = reader.uint32() + reader.pos;
      places.push([reader.pos, end]);
      reader.pos = end;
    },
  });
  if (symbols[0] !== '') throw new Error('the first symbol must be empty');
  if (new Set(symbols).size !== symbols.length) throw new Error('symbols must be different');
  return places.map(([start, end]) => {
    reader.pos = start;
    return seriesIn(reader, end, symbols);
  });
}

function seriesIn(reader: BinaryReader, end: number, symbols: readonly string[]): WrittenSeries {
  const series: WrittenSeries = {
    labels: [],
    samples: [],
    histograms: [],
    exemplars: [],
    type: 0,
    help: '',
    unit: '',
  };
  const symbol = (): string => {
    const ref = reader.uint32();
    if (ref >= symbols.length) throw new Error(`there is no symbol ${ref}`);
    return symbols[ref]!;
  };
  const labels = (): [string, string][] => {
    const found = packed(reader, () => [symbol(), symbol()] as [string, string]);
    const names = found.map(([name]) => name);
    const sorted = [...new Set(names)].sort();
    if (JSON.stringify(sorted) !== JSON.stringify(names))
      throw new Error(`labels are not in order: ${names}`);
    if (found.some((label) => label.includes(''))) throw new Error('no label may be empty');
    return found;
  };
  fields(reader, end, {
    1: () => (series.labels = labels()),
    2: () => {
      const sample = { value: Number.NaN, isStale: false, timeMs: 0, startMs: 0 };
      message(reader, {
        1: () => {
          sample.isStale = isStaleAt(reader);
          sample.value = reader.double();
        },
        2: () => (sample.timeMs = Number(reader.int64())),
        3: () => (sample.startMs = Number(reader.int64())),
      });
      series.samples.push(sample);
    },
    3: () => series.histograms.push(histogramIn(reader)),
    4: () => {
      const exemplar: WrittenSeries['exemplars'][number] = { labels: [], value: 0, timeMs: 0 };
      message(reader, {
        1: () => (exemplar.labels = labels()),
        2: () => (exemplar.value = reader.double()),
        3: () => (exemplar.timeMs = Number(reader.int64())),
      });
      series.exemplars.push(exemplar);
    },
    5: () =>
      message(reader, {
        1: () => (series.type = reader.int32()),
        3: () => (series.help = symbol()),
        4: () => (series.unit = symbol()),
      }),
  });
  return series;
}

/** Whether the next 8 bytes are those of a stale marker. */
function isStaleAt(reader: BinaryReader): boolean {
  const { pos } = reader;
  const bits = BigInt(reader.fixed64());
  reader.pos = pos;
  return bits === 0x7ff0_0000_0000_0002n;
}

function histogramIn(reader: BinaryReader): WrittenHistogram {
  const read = {
    count: -1,
    sum: 0,
    isStale: false,
    schema: 0,
    zeroThreshold: 0,
    zeroCount: -1,
    timeMs: 0,
    startMs: 0,
  };
  const sides = { positive: { spans: [], deltas: [] }, negative: { spans: [], deltas: [] } } as Record<
    'positive' | 'negative',
    { spans: [number, number][]; deltas: number[] }
  >;
  let customValues: number[] = [];
  const spanOf = (side: 'positive' | 'negative') => () => {
    const span: [number, number] = [0, 0];
    message(reader, { 1: () => (span[0] = reader.sint32()), 2: () => (span[1] = reader.uint32()) });
    sides[side].spans.push(span);
  };
  const deltasOf = (side: 'positive' | 'negative') => () =>
    (sides[side].deltas = packed(reader, () => Number(reader.sint64())));
  message(reader, {
    1: () => (read.count = Number(reader.uint64())),
    3: () => {
      read.isStale = isStaleAt(reader);
      read.sum = reader.double();
    },
    4: () => (read.schema = reader.sint32()),
    5: () => (read.zeroThreshold = reader.double()),
    6: () => (read.zeroCount = Number(reader.uint64())),
    8: spanOf('negative'),
    9: deltasOf('negative'),
    11: spanOf('positive'),
    12: deltasOf('positive'),
    15: () => (read.timeMs = Number(reader.int64())),
    16: () => (customValues = packed(reader, () => reader.double())),
    17: () => (read.startMs = Number(reader.int64())),
  });
  const [positive, negative] = [bucketsOf(sides.positive), bucketsOf(sides.negative)];
  return { ...read, positive, negative, customValues };
}

function bucketsOf({ spans, deltas }: { spans: [number, number][]; deltas: number[] }): [number, number][] {
  const buckets: [number, number][] = [];
  let index = 0;
  let count = 0;
  for (const [offset, length] of spans) {
    index += offset;
    for (let i = 0; i < length; i++) {
      count += deltas.shift()!;
      if (count > 0) buckets.push([index, count]);
      index++;
    }
  }
  if (deltas.length > 0) throw new Error(`the spans lack ${deltas.length} buckets`);
  return buckets;
}

type Fields = Readonly<Record<number, () => unknown>>;

function message(reader: BinaryReader, known: Fields): void {
  fields(reader, reader.uint32() + reader.pos, known);
}

function fields(reader: BinaryReader, end: number, known: Fields): void {
  while (reader.pos < end) {
    const [field] = reader.tag();
    const read = known[field];
    if (read === undefined) throw new Error(`the message has no field ${field}`);
    read();
  }
}

function packed<Item>(reader: BinaryReader, read: () => Item): Item[] {
  const end = reader.uint32() + reader.pos;
  const items: Item[] = [];
  while (reader.pos < end) items.push(read());
  return items;
}

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly series: WrittenSeries[];
}

/** What a receiver does with a request. */
export type Reply = (request: ReceivedRequest, response: ServerResponse) => void;

/** Takes all, and names the numbers. */
export const take: Reply = ({ series }, response) => {
  const count = (of: (one: WrittenSeries) => readonly unknown[]) =>
    String(series.reduce((sum, one) => sum + of(one).length, 0));
  response.writeHead(204, {
    'x-prometheus-remote-write-samples-written': count(({ samples }) => samples),
    'x-prometheus-remote-write-histograms-written': count(({ histograms }) => histograms),
    'x-prometheus-remote-write-exemplars-written': count(({ exemplars }) => exemplars),
  });
  response.end();
};

/** A receiver on loopback, which refuses what Prometheus refuses: samples that are not newer than those before. */
export async function startReceiver(reply: Reply = take) {
  const requests: ReceivedRequest[] = [];
  /** The last time of each series. */
  const times = new Map<string, number>();
  const faults: string[] = [];
  const receiver = {
    requests,
    faults,
    reply,
    url: '',
    /** Is from now on a receiver without samples. */
    forget: () => times.clear(),
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = { headers: request.headers, series: decodeRequest(Buffer.concat(chunks)) };
    requests.push(received);
    receiver.reply(received, response);
    const { statusCode: status } = response;
    const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
    for (const { labels, samples, histograms } of received.series) {
      const key = JSON.stringify(labels);
      for (const { timeMs, startMs } of [...samples, ...histograms]) {
        if (timeMs <= (times.get(key) ?? 0)) faults.push(`${key} goes back to ${timeMs}`);
        if (startMs >= timeMs) faults.push(`${key} starts at ${startMs}, after ${timeMs}`);
        if (!isRefused) times.set(key, timeMs);
      }
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/write`;
  return receiver;
}
