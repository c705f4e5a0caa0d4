import type { RecountedBuckets } from '@hdrscope/core/internal';

/**
 * Counts in the least memory that a garbage-collected value can have: as a text with a character for each, of one byte up to 255
 * and of two up to 65,535. An array has eight bytes for each, and a typed array some hundred bytes besides.
 */
export type PackedCounts = string | readonly number[];

const LARGEST_CHARACTER = 0xffff;
// A call takes no more arguments than fit on the stack.
const MOST_CHARACTERS = 8192;

const PACKED: unique symbol = Symbol('packed');

/**
 * The buckets of an exponential histogram as the SDK has them. A reader keeps those of ten thousand series, and an exporter reads
 * them one after the other: so the counts are packed, and unpacked when they are read.
 */
export class PackedBuckets {
  readonly offset: number;
  /** A new array, unless the counts of no other buckets have been read in between. */
  declare readonly bucketCounts: number[];

  constructor(offset: number, packed: PackedCounts) {
    this.offset = offset;
    // Own properties, as those of a class would be missing in copies, in JSON and in messages to other threads.
    Object.defineProperty(this, 'bucketCounts', BUCKET_COUNTS);
    Object.defineProperty(this, PACKED, { value: packed, writable: true });
  }

  /** How many buckets there are. Not enumerable: the SDK's have no such property. */
  get length(): number {
    return packedIn(this).length;
  }

  /** @param counts Integers of at least 0. Later changes of the array do not matter. */
  static of(offset: number, counts: readonly number[]): PackedBuckets {
    return new PackedBuckets(offset, packed(counts));
  }

  /** These buckets with other counts of some of them. */
  with(recounted: RecountedBuckets): PackedBuckets {
    const after = recountedIn(this, recounted);
    return after === packedIn(this) ? this : new PackedBuckets(this.offset, after);
  }
}

/** The console exporter prints it as an object with an array, as it prints the SDK's. */
Object.defineProperty(PackedBuckets.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: PackedBuckets): object {
    return { ...this };
  },
});

// The counts that were read last. An encoder may read the property once for each count.
let lastRead: PackedBuckets | undefined;
let lastCounts: number[] = [];

const BUCKET_COUNTS: PropertyDescriptor & ThisType<PackedBuckets> = {
  enumerable: true,
  get() {
    if (lastRead !== this) {
      lastCounts = unpacked(packedIn(this));
      lastRead = this;
    }
    return lastCounts;
  },
};

function packedIn(buckets: PackedBuckets): PackedCounts {
  return (buckets as unknown as Record<typeof PACKED, PackedCounts>)[PACKED];
}

/** Changes some counts. A function, so that programs of readers that keep earlier values need not bundle it. */
export function changeBuckets(buckets: PackedBuckets, recounted: RecountedBuckets): void {
  if (lastRead === buckets) lastRead = undefined;
  (buckets as unknown as Record<typeof PACKED, PackedCounts>)[PACKED] = recountedIn(buckets, recounted);
}

function recountedIn(buckets: PackedBuckets, { offset, length, counts }: RecountedBuckets): PackedCounts {
  return withCounts(packedIn(buckets), offset - buckets.offset, counts, length);
}

/** The counts of buckets as they are kept: those of hdrscope without unpacking them. */
export function readPacked(buckets: { readonly bucketCounts: readonly number[] }): PackedCounts {
  return (buckets as unknown as Partial<Record<typeof PACKED, PackedCounts>>)[PACKED] ?? buckets.bucketCounts;
}

function withCounts(
  before: PackedCounts,
  first: number,
  counts: ArrayLike<number>,
  length: number,
): PackedCounts {
  if (typeof before !== 'string') {
    const array = before.slice();
    for (let i = 0; i < length; i++) array[first + i] = counts[i]!;
    return packed(array);
  }
  let from = 0;
  let to = length;
  while (from < to && before.charCodeAt(first + from) === counts[from]) from++;
  while (to > from && before.charCodeAt(first + to - 1) === counts[to - 1]) to--;
  if (from === to) return before;
  let between = '';
  for (let i = from; i < to; i++) {
    if (counts[i]! > LARGEST_CHARACTER) return withCounts(unpacked(before), first, counts, length);
    between += String.fromCharCode(counts[i]!);
  }
  const text = before.slice(0, first + from) + between + before.slice(first + to);
  // V8 keeps the parts of a text until somebody reads it.
  text.charCodeAt(0);
  return text;
}

function packed(counts: readonly number[]): PackedCounts {
  let largest = 0;
  for (let i = 0; i < counts.length; i++) if (counts[i]! > largest) largest = counts[i]!;
  const isText = largest <= LARGEST_CHARACTER && counts.length <= MOST_CHARACTERS;
  // Bounded: texts are short.
  return isText ? String.fromCharCode.apply(undefined, counts as number[]) : counts.slice();
}

function unpacked(counts: PackedCounts): number[] {
  if (typeof counts !== 'string') return counts.slice();
  const array = new Array<number>(counts.length);
  for (let i = 0; i < counts.length; i++) array[i] = counts.charCodeAt(i);
  return array;
}
