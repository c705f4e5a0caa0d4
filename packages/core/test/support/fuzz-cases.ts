import { deflate } from '../../src/encoding/zlib.node.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { compressedOf } from './bytes.ts';
import { fixedWords, type WordSize } from './fixed-words-bytes.ts';
import { randomIntegers } from './random.ts';
import { rawV2, zigZag } from './v2-bytes.ts';

/** The kinds of cases, from random bytes to encodings that are nearly right. */
export const KINDS = [
  'random',
  'header',
  'raw',
  'compressed',
  'recompressed',
  'text',
  'json',
  'truncated',
  'runs',
  'bomb',
] as const;
type Kind = (typeof KINDS)[number];

export interface FuzzCase {
  readonly kind: Kind;
  readonly input: unknown;
}

const COOKIES = [
  0x1c849313, 0x1c849314, 0x1c849301, 0x1c849308, 0x1c849328, 0x1c849348, 0x1c849388, 0x1c849329, 0x1c849349,
  0x1c849389, 0x1c849321, 0x1c849341, 0x1c849381, 0x1c849322, 0x1c849342, 0x1c849382, 0x1c849361, 0x0c72124e,
];
const EDGES = [0, 1, 2, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xfe, 0xff];
const WORD_SIZES: readonly WordSize[] = [2, 4, 8];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  -0,
  0,
  0.5,
  1,
  2,
  6,
  64,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e300,
  '',
  '0',
  '12',
  '-1',
  '9223372036854775807',
  '9223372036854775808',
  '1e5',
  'x',
  [],
  [1],
  [[0, 1]],
  [
    [1, 1],
    [0, 1],
  ],
  {},
  [null],
  Number.NaN,
  Number.POSITIVE_INFINITY,
  undefined,
  '9'.repeat(500),
];
// These cases are rare, because each inflates to the limit.
const BOMB_EVERY = 10_000;
// These have millions of slots, and each slot takes time.
const GIANT_EVERY = 1000;
const BOMB = compressedOf(0x1c849314, deflate(new Uint8Array(60e6)));
const GIANT = { significantDigits: 5, highest: 2n ** 63n - 1n };

/** Makes cases. Equal seeds give equal cases. */
export class CaseMaker {
  readonly #next: () => number;
  readonly #raw: readonly Uint8Array[];
  readonly #compressed: readonly Uint8Array[];
  readonly #texts: readonly string[];
  readonly #jsons: readonly string[];

  constructor(seed: number) {
    this.#next = randomIntegers(seed);
    const histograms = Array.from({ length: 40 }, () => this.#histogram());
    const words = Array.from({ length: 60 }, () => this.#fixedWords());
    this.#raw = [...histograms.map((histogram) => histogram.encode()), ...words];
    this.#compressed = this.#raw.map((raw) => this.#wrapped(raw));
    this.#texts = this.#compressed.map((bytes) => Buffer.from(bytes).toString('base64'));
    this.#jsons = histograms.map((histogram) => JSON.stringify(histogram));
  }

  next(index: number): FuzzCase {
    if (index % BOMB_EVERY === BOMB_EVERY / 2) return { kind: 'bomb', input: BOMB };
    const kind = KINDS[this.#below(KINDS.length - 1)]!;
    return { kind, input: this.#input(kind) };
  }

  #input(kind: Kind): unknown {
    switch (kind) {
      case 'random':
        return this.#random();
      case 'header':
        return this.#header();
      case 'raw':
        return this.#mutated(this.#of(this.#raw));
      case 'compressed':
        return this.#mutated(this.#of(this.#compressed));
      case 'recompressed':
        return this.#wrapped(this.#mutated(this.#of(this.#raw)));
      case 'text':
        return this.#mutatedText(this.#of(this.#texts));
      case 'json':
        return this.#mutatedJson(this.#of(this.#jsons));
      case 'truncated':
        return this.#truncated();
      case 'runs':
        return this.#runs();
      case 'bomb':
        return BOMB;
    }
  }

  /** A valid cookie before random bytes; sometimes a right encoding. */
  #random(): Uint8Array {
    if (this.#below(50) === 0) return this.#of(this.#raw);
    const bytes = Uint8Array.from({ length: 4 + this.#below(90) }, () => this.#byte());
    new DataView(bytes.buffer).setUint32(0, this.#of(COOKIES));
    return bytes;
  }

  /** A header of any range, also a giant one, and a few counts. */
  #header(): Uint8Array {
    const bits = BigInt(this.#below(66));
    const payload = Uint8Array.from({ length: this.#below(12) }, () => this.#byte());
    return rawV2({
      significantDigits: this.#below(GIANT_EVERY) === 0 ? 5 : this.#of([-1, 0, 1, 2, 3, 3, 6]),
      lowest: BigInt.asIntN(64, 1n << BigInt(this.#below(20) === 0 ? this.#below(65) : 0)),
      highest: BigInt.asIntN(64, (1n << bits) - BigInt(this.#below(2))),
      normalizingOffset: this.#next() | 0,
      payload,
    });
  }

  #truncated(): Uint8Array | string {
    const kept = (length: number): number => length - this.#below(Math.min(40, length));
    if (this.#below(3) === 0) {
      const text = this.#of(this.#texts);
      return text.slice(0, kept(text.length));
    }
    const bytes = this.#of(this.#below(2) === 0 ? this.#raw : this.#compressed);
    return bytes.slice(0, kept(bytes.length));
  }

  /** Runs and counts that end at the last slot, just beyond it, or far beyond it. */
  #runs(): Uint8Array {
    const isGiant = this.#below(GIANT_EVERY) === 0;
    const slots = isGiant ? 47 * 2 ** 17 : 64;
    const range = isGiant ? GIANT : { significantDigits: 1, highest: 100n };
    const payload: number[] = [];
    let left = slots + this.#below(3) - 1;
    for (let parts = this.#below(6); parts > 0 && left > 1; parts--) {
      const run = 1 + this.#below(left);
      payload.push(...zigZag(BigInt(-run)));
      left -= run;
    }
    if (left > 1) payload.push(...zigZag(BigInt(1 - left)));
    const count = 1n << BigInt(this.#below(60));
    payload.push(...zigZag(this.#below(10) === 0 ? -count : count));
    return rawV2({ ...range, payload });
  }

  #mutated(source: Uint8Array): Uint8Array<ArrayBuffer> {
    let bytes = Uint8Array.from(source);
    for (let changes = 1 + this.#below(3); changes > 0 && bytes.length > 0; changes--) {
      const at = this.#below(this.#below(2) === 0 ? bytes.length : Math.min(48, bytes.length));
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
    const what = this.#below(6);
    const characters = 'AZaz09+/=-_ \n\0é😀';
    const character = characters[this.#below(characters.length)]!;
    if (what === 0) return text.slice(0, at) + text.slice(at + 1);
    if (what === 1) return ` ${text}\n`;
    if (what === 2) return text.slice(0, at) + character + text.slice(at);
    return text.slice(0, at) + character + text.slice(at + 1);
  }

  #mutatedJson(text: string): unknown {
    const json = JSON.parse(text) as Record<string, unknown> & { counts: unknown[] };
    const odd = this.#of(ODD_VALUES);
    const what = this.#below(5);
    const names = Object.keys(json);
    if (what === 0) json[this.#of(names)] = odd;
    else if (what === 1) delete json[this.#of(names)];
    else if (what === 2) return this.#below(5) === 0 ? odd : json;
    else if (json.counts.length > 0) {
      const at = this.#below(json.counts.length);
      if (what === 3) json.counts[at] = odd;
      else (json.counts[at] as unknown[])[this.#below(3)] = odd;
    }
    return json;
  }

  #histogram(): Histogram {
    const histogram = new Histogram({
      significantDigits: this.#below(4),
      lowestDiscernibleValue: 1 + this.#below(3) * 1000,
      storage: 'sparse',
    });
    const bits = 1 + this.#below(50);
    for (let values = this.#below(25); values > 0; values--) {
      histogram.record(Math.floor(2 ** (bits * (this.#next() / 2 ** 32))), 1 + this.#below(1000));
    }
    if (this.#below(3) === 0) histogram.record(3, 2 ** (20 + this.#below(32)));
    if (this.#below(2) === 0) histogram.tag = 'A';
    if (this.#below(2) === 0) histogram.startTimeMs = this.#next();
    return histogram;
  }

  #fixedWords(): Uint8Array {
    const wordSize = this.#of(WORD_SIZES);
    const version = this.#below(2) as 0 | 1;
    const words = version === 0 ? 64 : this.#below(65);
    const counts = Array.from({ length: words }, () =>
      BigInt(this.#below(3) === 0 ? this.#below(32_768) : 0),
    );
    return fixedWords({ version, wordSize, counts });
  }

  #wrapped(raw: Uint8Array): Uint8Array {
    const cookie = raw.length < 4 ? 0 : new DataView(raw.buffer, raw.byteOffset).getInt32(0);
    return compressedOf(cookie + 1, deflate(raw, 1));
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
