import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { Slices } from '@hdrscope/kit';
import { EMPTY_SNAPSHOT } from '@hdrscope/registry';
import { snapshotAt } from '@hdrscope/registry/internal';
import type { Delivery, Resource } from './delivery.ts';
import type { Item, MetricFacts } from './encoding.ts';

// A file is a header and messages, each after its length: facts about the delivery, then its points, some in each message. The messages
// are in the format of `structuredClone`, so points are read as they were, and encoded to the same bytes.
//
//   0  'hdrqueue'
//   8  version, a 32-bit integer, little-endian as all numbers
//  12  CRC-32 of all bytes but these four and the progress
//  16  1 if a receiver may have points of the delivery, else 0
//  20  how many values the delivery has, a double
//  28  how many of the next files of the same process have values of this delivery, and are not to be sent
//  32  the end of the points, in milliseconds since 1970, a double
//  40  the progress, which is written again after each request but the last. One that is torn or damaged is as if it were not there:
//      40  how many of the points, from the first one on, need not be sent any more, a 32-bit integer
//      44  how many values the others have, a double
//      52  CRC-32 of these twelve bytes
//  56  the first message
const MAGIC = Buffer.from('hdrqueue');
const VERSION = 1;
const CRC_AT = 12;
export const PROGRESS_AT = 40;
const PROGRESS_CRC_AT = 12;
const PROGRESS_BYTES = 16;
const HEADER_BYTES = PROGRESS_AT + PROGRESS_BYTES;

// `Slices` looks at the clock at each eighth message.
const POINTS_AT_ONCE = 16;
const CRC_BYTES = 65_536;

/** What is known of a delivery besides its points. */
interface Facts {
  readonly resource: Resource;
  readonly scopes: readonly Item['scope'][];
  /** Metrics, with the position of their scope. */
  readonly metrics: readonly (readonly [scope: number, metric: MetricFacts])[];
}

type StoredPoint = readonly [metric: number, point: Item['point']];

/** How far the delivery of a file is. */
export interface Progress {
  /** How many of the points in the file, from the first one on, the receiver has, or were given up. */
  readonly done: number;
  /** How many values the others have. */
  readonly values: number;
}

/** The header of a file. */
export interface QueueHeader extends Progress {
  /** Whether a receiver may have points of the delivery. */
  readonly isTried: boolean;
  /** How many of the next files of the same process are replaced by this one. */
  readonly replaced: number;
  /** The end of the points, in milliseconds since 1970. */
  readonly timeMs: number;
}

/** Makes the contents of a file with points of a delivery. Other work runs in between. */
export async function encodeDelivery(
  items: readonly Item[],
  resource: Resource,
  { isTried, replaced, values, timeMs }: Omit<QueueHeader, 'done'>,
): Promise<Buffer[]> {
  const slices = new Slices();
  const scopes = new Positions<Item['scope']>();
  const metrics = new Positions<MetricFacts>();
  const pairs: (readonly [number, MetricFacts])[] = [];
  const points: Buffer[] = [];
  for (let from = 0; from < items.length; from += POINTS_AT_ONCE) {
    const stored = items.slice(from, from + POINTS_AT_ONCE).map(({ scope, metric, point }): StoredPoint => {
      const at = metrics.of(metric);
      pairs[at] ??= [scopes.of(scope), metric];
      return [at, point];
    });
    // Bounded: a length and a message.
    points.push(...messageOf(stored));
    if (slices.isOver()) await slices.next();
  }
  const facts: Facts = { resource, scopes: scopes.values, metrics: pairs };
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(VERSION, MAGIC.length);
  header.writeUInt32LE(isTried ? 1 : 0, 16);
  header.writeDoubleLE(values, 20);
  header.writeUInt32LE(replaced, 28);
  header.writeDoubleLE(timeMs, 32);
  const parts = [header, ...messageOf(facts), ...points];
  header.writeUInt32LE(await checksum(parts), CRC_AT);
  return parts;
}

/** A file that cannot be sent: its checksum is wrong, or it is whole and of a later version of hdrscope or Node.js. */
export type UnreadableFile = 'damaged' | 'unknown';

/** Makes the progress of a file, which is at `PROGRESS_AT`. */
export function encodeProgress({ done, values }: Progress): Buffer {
  const bytes = Buffer.alloc(PROGRESS_BYTES);
  bytes.writeUInt32LE(done);
  bytes.writeDoubleLE(values, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, PROGRESS_CRC_AT)), PROGRESS_CRC_AT);
  return bytes;
}

function readProgress(bytes: Buffer): Progress | undefined {
  const own = bytes.subarray(PROGRESS_AT, HEADER_BYTES);
  if (own.readUInt32LE(PROGRESS_CRC_AT) !== crc32(own.subarray(0, PROGRESS_CRC_AT))) return undefined;
  return { done: own.readUInt32LE(0), values: own.readDoubleLE(4) };
}

/** Checks a whole file, and reads its header. */
export async function readHeader(bytes: Buffer): Promise<QueueHeader | UnreadableFile> {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'damaged';
  if (bytes.readUInt32LE(CRC_AT) !== (await checksum([bytes]))) return 'damaged';
  if (bytes.readUInt32LE(MAGIC.length) !== VERSION) return 'unknown';
  return {
    isTried: bytes.readUInt32LE(16) !== 0,
    replaced: bytes.readUInt32LE(28),
    timeMs: bytes.readDoubleLE(32),
    ...(readProgress(bytes) ?? { done: 0, values: bytes.readDoubleLE(20) }),
  };
}

/** Reads the points of a file that are still to be sent. Other work runs in between. */
export async function decodeDelivery(bytes: Buffer, mostBytes: number): Promise<Delivery | UnreadableFile> {
  const header = await readHeader(bytes);
  if (typeof header === 'string') return header;
  const slices = new Slices();
  const items: Item[] = [];
  let facts: Facts | undefined;
  try {
    for (let at = HEADER_BYTES; at < bytes.length; ) {
      const end = at + 4 + bytes.readUInt32LE(at);
      const message: unknown = deserialize(bytes.subarray(at + 4, end));
      at = end;
      if (facts === undefined) {
        facts = message as Facts;
        continue;
      }
      for (const [which, point] of message as StoredPoint[]) {
        const [scope, metric] = facts.metrics[which]!;
        items.push({ scope: facts.scopes[scope]!, metric, point });
      }
      if (slices.isOver()) await slices.next();
    }
  } catch {
    return 'unknown';
  }
  if (facts === undefined) return 'unknown';
  const { resource } = facts;
  const { timeMs } = header;
  items.splice(0, header.done);
  return {
    items,
    resource,
    done: 0,
    // Nobody knows which other requests were sent before the process ended.
    tried: header.isTried ? items.length : 0,
    settled: 0,
    mostBytes,
    snapshot: snapshotAt(EMPTY_SNAPSHOT, timeMs),
    numbers: { timeMs, counts: new Map() },
  };
}

function messageOf(value: unknown): Buffer[] {
  const bytes = serialize(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}

/** The checksum of a file, given as a whole or in parts. Its header is in the first part. */
async function checksum(parts: readonly Buffer[]): Promise<number> {
  const [first, ...others] = parts as [Buffer, ...Buffer[]];
  const slices = new Slices();
  let crc = crc32(first.subarray(0, CRC_AT));
  for (const part of [first.subarray(CRC_AT + 4, PROGRESS_AT), first.subarray(HEADER_BYTES), ...others]) {
    for (let at = 0; at < part.length; at += CRC_BYTES) {
      crc = crc32(part.subarray(at, at + CRC_BYTES), crc);
      if (slices.isOver()) await slices.next();
    }
  }
  return crc;
}

/** Numbers values in the order in which they come. */
class Positions<Value> {
  readonly values: Value[] = [];
  readonly #positions = new Map<Value, number>();

  of(value: Value): number {
    let position = this.#positions.get(value);
    if (position === undefined) {
      position = this.values.push(value) - 1;
      this.#positions.set(value, position);
    }
    return position;
  }
}
