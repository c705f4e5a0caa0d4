/**
 * Counts in the least memory that a garbage-collected value can have: as a text with a character for each, of one byte up to 255
 * and of two up to 65,535. An array has eight bytes for each, and a typed array some hundred bytes besides.
 */
type PackedCounts = string | readonly number[];

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
    Object.defineProperty(this, PACKED, { value: packed });
  }

  /** @param counts Integers of at least 0. Later changes of the array do not matter. */
  static of(offset: number, counts: readonly number[]): PackedBuckets {
    return new PackedBuckets(offset, packed(counts));
  }

  /** These buckets with further counts, and `undefined` when some of them belong to no bucket of these. */
  with(offset: number, added: readonly number[]): PackedBuckets | undefined {
    const first = offset - this.offset;
    if (added.length === 0) return this;
    const packed = packedIn(this);
    if (first < 0 || first + added.length > packed.length) return undefined;
    return new PackedBuckets(this.offset, withAdded(packed, first, added));
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

/** To replace one character of a text takes a fifth of the time of a new text. */
const MOST_REPLACED = 4;

function withAdded(counts: PackedCounts, first: number, added: readonly number[]): PackedCounts {
  let text = counts;
  let left = MOST_REPLACED;
  for (let i = 0; i < added.length; i++) {
    if (added[i] === 0) continue;
    const at = first + i;
    if (typeof text !== 'string' || left-- === 0 || text.charCodeAt(at) + added[i]! > LARGEST_CHARACTER) {
      return repacked(counts, first, added);
    }
    text = `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) + added[i]!)}${text.slice(at + 1)}`;
  }
  // V8 keeps the parts of a text until somebody reads it.
  if (typeof text === 'string') text.charCodeAt(0);
  return text;
}

function repacked(counts: PackedCounts, first: number, added: readonly number[]): PackedCounts {
  const array = unpacked(counts);
  for (let i = 0; i < added.length; i++) array[first + i]! += added[i]!;
  return packed(array);
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
