import { deflate } from '../../src/encoding/zlib.node.ts';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { compressedOf } from './bytes.ts';
import { CaseMaker } from './fuzz-cases.ts';
import { randomIntegers } from './random.ts';
import { rawV2 } from './v2-bytes.ts';

/** The kinds of cases, from a cookie before random bytes to encodings that are nearly right. */
export const DOUBLE_KINDS = [
  'random',
  'header',
  'integers',
  'raw',
  'compressed',
  'recompressed',
  'text',
  'truncated',
] as const;
type Kind = (typeof DOUBLE_KINDS)[number];

export interface DoubleFuzzCase {
  readonly kind: Kind;
  readonly input: Uint8Array | string;
}

/** Kinds without zlib take less time, and reach more code. */
const OFTEN: readonly Kind[] = [
  ...DOUBLE_KINDS,
  ...Array.from({ length: 4 }, () => ['header', 'raw', 'raw'] as const).flat(),
];
const RAW = 0x0c72124e;
const COMPRESSED = 0x0c72124f;
const COMPRESSED_INTEGERS = 0x1c849314;
/** The cookie of the doubles, and that of the integers in them. */
const HEADERS_BYTES = 16 + 40;
// Each of these cases inflates to the limit.
const BOMB_EVERY = 1000;
/** Cases of integers have their first bomb here. */
const BOMB_AT = 5000;
const EDGES = [0, 1, 2, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xfe, 0xff];
const RATIOS = [2, 3, 10, 1000, 1e6, 1e9, 2 ** 40];

/** Makes cases. Equal seeds give equal cases. */
export class DoubleCaseMaker {
  readonly #next: () => number;
  readonly #integers: CaseMaker;
  readonly #raw: readonly Uint8Array[];
  readonly #compressed: readonly Uint8Array[];
  readonly #texts: readonly string[];

  constructor(seed: number) {
    this.#next = randomIntegers(seed);
    this.#integers = new CaseMaker(seed);
    this.#raw = Array.from({ length: 60 }, () => this.#histogram().encode());
    this.#compressed = this.#raw.map((raw) => this.#wrapped(raw));
    this.#texts = this.#compressed.map((bytes) => Buffer.from(bytes).toString('base64'));
  }

  next(): DoubleFuzzCase {
    const kind = this.#of(OFTEN);
    return { kind, input: this.#input(kind) };
  }

  #input(kind: Kind): Uint8Array | string {
    switch (kind) {
      case 'random':
        return this.#random();
      case 'header':
        return this.#header();
      case 'integers':
        return this.#behindHeader();
      case 'raw':
        return this.#mutated(this.#of(this.#raw));
      case 'compressed':
        return this.#mutated(this.#of(this.#compressed));
      case 'recompressed':
        return this.#wrapped(this.#mutated(this.#of(this.#raw)));
      case 'text':
        return this.#mutatedText(this.#of(this.#texts));
      case 'truncated':
        return this.#truncated();
    }
  }

  /** A valid cookie before random bytes; sometimes a right encoding. */
  #random(): Uint8Array {
    if (this.#below(50) === 0) return this.#of(this.#raw);
    const bytes = Uint8Array.from({ length: 4 + this.#below(90) }, () => this.#byte());
    new DataView(bytes.buffer).setUint32(0, this.#of([RAW, COMPRESSED]));
    return bytes;
  }

  /** Fields that mostly fit each other: any range, also a giant one, any conversion ratio, and a few counts. */
  #header(): Uint8Array {
    const significantDigits = this.#below(500) === 0 ? 5 : this.#of([0, 1, 2, 3]);
    const halfBits = [0, 4, 7, 10, 14, 17][significantDigits]!;
    const octaves = 2 + this.#below(64 - halfBits);
    const highest = (1n << BigInt(halfBits + octaves + this.#seldom())) - 1n;
    const highestToLowestRatio = BigInt.asIntN(64, 1n << BigInt(octaves - 2 + this.#seldom()));
    const integers = rawV2({
      significantDigits: significantDigits + this.#seldom(),
      lowest: BigInt(1 + this.#seldom()),
      highest: BigInt.asIntN(64, highest),
      ratio: this.#conversionRatio(),
      normalizingOffset: this.#next() | 0,
      payload: Uint8Array.from({ length: this.#below(12) }, () => this.#byte()),
    });
    return this.#headed(integers, RAW, significantDigits, highestToLowestRatio);
  }

  /** A case of integers, with a header of doubles that may fit it. */
  #behindHeader(): Uint8Array | string {
    const { input } = this.#integers.next(this.#below(BOMB_EVERY) === 0 ? BOMB_AT : 0);
    if (!(input instanceof Uint8Array)) return this.#mutatedText(this.#of(this.#texts));
    const digits = input.length < 16 ? 0 : input[15]!;
    const ratio = 1n << BigInt(1 + this.#below(40));
    return this.#headed(input, this.#of([RAW, COMPRESSED]), digits, ratio);
  }

  #headed(integers: Uint8Array, cookie: number, digits: number, ratio: bigint): Uint8Array {
    const bytes = new Uint8Array(16 + integers.length);
    const view = new DataView(bytes.buffer);
    view.setInt32(0, cookie);
    view.setInt32(4, digits);
    view.setBigInt64(8, ratio);
    bytes.set(integers, 16);
    return bytes;
  }

  #truncated(): Uint8Array | string {
    const kept = (length: number): number => length - this.#below(Math.min(60, length));
    if (this.#below(3) === 0) {
      const text = this.#of(this.#texts);
      return text.slice(0, kept(text.length));
    }
    const bytes = this.#of(this.#below(2) === 0 ? this.#raw : this.#compressed);
    return bytes.slice(0, kept(bytes.length));
  }

  #mutated(source: Uint8Array): Uint8Array<ArrayBuffer> {
    let bytes = Uint8Array.from(source);
    for (let changes = 1 + this.#below(3); changes > 0 && bytes.length > 0; changes--) {
      // Most faults in a header are refused at once.
      const from = this.#below(4) === 0 ? 0 : Math.min(HEADERS_BYTES, bytes.length - 1);
      const at = from + this.#below(bytes.length - from);
      const what = this.#below(8);
      if (what < 5) bytes[at] = this.#byte();
      else if (what === 5) bytes.copyWithin(at, at + 1);
      else if (what === 6) bytes = bytes.slice(0, at);
      else bytes.copyWithin(at + 1, at);
    }
    return bytes;
  }

  #mutatedText(text: string): string {
    const at = this.#below(text.length);
    const characters = 'AZaz09+/=-_ \n\0é😀';
    const character = characters[this.#below(characters.length)]!;
    return text.slice(0, at) + character + text.slice(at + this.#below(2));
  }

  #histogram(): DoubleHistogram {
    const isFixed = this.#below(2) === 0;
    const histogram = new DoubleHistogram({
      significantDigits: this.#below(4),
      storage: 'sparse',
      outOfRange: 'clamp',
      ...(isFixed && { highestToLowestValueRatio: this.#of(RATIOS) }),
    });
    const octave = this.#below(60) - 30;
    const octaves = 1 + this.#below(40);
    for (let values = this.#below(25); values > 0; values--) {
      histogram.record(2 ** (octave + octaves * (this.#next() / 2 ** 32)), 1 + this.#below(1000));
    }
    if (this.#below(3) === 0) histogram.record(0, 2 ** (20 + this.#below(32)));
    return histogram;
  }

  /** The compressed form of a raw encoding, which may be broken. */
  #wrapped(raw: Uint8Array): Uint8Array {
    const bytes = Uint8Array.from(raw.subarray(0, 16));
    if (bytes.length < 16) return bytes;
    new DataView(bytes.buffer).setInt32(0, COMPRESSED);
    const integers = compressedOf(COMPRESSED_INTEGERS, deflate(raw.subarray(16), 1));
    return Uint8Array.of(...bytes, ...integers);
  }

  #conversionRatio(): number {
    const ratio = 2 ** (this.#below(2100) - 1050);
    return this.#below(10) === 0
      ? this.#of([0, -1, ratio * 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      : ratio;
  }

  /** The number, sometimes off by one. */
  #seldom(): number {
    return this.#below(30) === 0 ? this.#of([-1, 1]) : 0;
  }

  #byte(): number {
    return this.#below(3) === 0 ? this.#of(EDGES) : this.#below(256);
  }

  #of<T>(all: readonly T[]): T {
    return all[this.#below(all.length)]!;
  }

  #below(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }
}
