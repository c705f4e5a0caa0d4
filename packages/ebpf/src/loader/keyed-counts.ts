import type { Attributes } from '@hdrscope/registry';
import { MapReader } from '../bpf/map-reader.ts';
import { deleteElement, mapInfo } from '../bpf/maps.ts';
import { LITTLE_ENDIAN } from '../bpf/memory.ts';
import type { Bpf } from '../bpf/syscall.ts';
import { errnoOf } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { HistogramMetric, KernelHistogram } from '../source/source.ts';
import type { LoadedProgram } from './load-program.ts';

/** Where the maps of a program hold a histogram, in words of 64 bits. */
export interface ProgramHistogram {
  readonly name: string;
  readonly layout: KernelLayout;
  /** Per-CPU array with the counts of all keys together. */
  readonly map: string;
  /** Whether one value holds all slots, and the sum behind them. Otherwise each slot is an entry, and there is no sum. */
  readonly hasSum: boolean;
  /** Word of its first slot in the entry of a key. The sum follows the slots there too. */
  readonly at: number;
  readonly metric: HistogramMetric;
}

/**
 * The word at an index, exact below 2^53. Counts stay below it. A sum of nanoseconds passes it after 104 days of waiting, and is
 * then rounded to a double.
 */
export type Words = (index: number) => number;

/** The words in memory whose address is a multiple of 4. */
export function wordsIn(values: Uint8Array<ArrayBuffer>): Words {
  const halves = new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4);
  const [low, high] = LITTLE_ENDIAN ? [0, 1] : [1, 0];
  return (index) => halves[index * 2 + low]! + halves[index * 2 + high]! * 2 ** 32;
}

/** How the keys of a program are read. */
export interface KeyedOptions {
  /** Makes the reader of keys for one reading. It is called once for each new key. */
  readonly keys: () => (key: Uint8Array) => Attributes;
  /** Number of keys that the kernel keeps. */
  readonly maxKeys: number;
}

/** Attributes of the values whose key had no room. The registry counts them in the overflow series of the family. */
const OTHERS: Attributes = Object.freeze({ 'otel.metric.overflow': true });

/** When more than this share of the room is used, keys that no longer count are removed, until half of the room is free. */
const FULL = 3 / 4;
const AFTERWARDS = 1 / 2;

/** One entry of the hash. */
interface Entry {
  readonly series: Series;
  /** Its value when it was read last. */
  value: Uint8Array<ArrayBuffer>;
  /** The number of the read that found it changed. */
  changedAt: number;
}

/** The counts of one set of attributes. Several keys may have the same, such as a cgroup that was made again. */
interface Series {
  readonly attributes: Attributes;
  /** One for each histogram of the program. They only grow. */
  readonly totals: readonly Totals[];
  entries: number;
}

interface Totals {
  readonly counts: Float64Array;
  sum: number;
}

/**
 * Reads the counts of each key of a program, from the hash `by_key`. The kernel refuses new keys when the hash is full, so
 * keys that have not counted for the longest time are removed in time.
 *
 * Nothing is lost in the total: what was counted for a key without an entry, or between the last reading of an entry and
 * its removal, is the difference between the counts of all keys together and the counts that were read from entries.
 */
export class KeyedCounts {
  readonly #histograms: readonly ProgramHistogram[];
  readonly #options: KeyedOptions;
  readonly #fd: number;
  #map: { readonly reader: MapReader; readonly keySize: number } | undefined;
  /** By the bytes of the key. */
  readonly #entries = new Map<string, Entry>();
  /** By their attributes, as JSON. */
  readonly #series = new Map<string, Series>();
  /** Everything that was read from entries. */
  readonly #read: readonly Totals[];
  readonly #others: readonly Totals[];
  #reads = 0;

  constructor(program: LoadedProgram, histograms: readonly ProgramHistogram[], options: KeyedOptions) {
    this.#histograms = histograms;
    this.#options = options;
    this.#fd = program.maps.get('by_key')!.fd;
    this.#read = this.#empty();
    this.#others = this.#empty();
  }

  /**
   * Reads all entries.
   *
   * @param together The counts of all keys on each CPU, which were read before this call. The programs count in the entry
   *   first, so each of these counts is in its entry by now.
   */
  read(bpf: Bpf, together: readonly KernelHistogram[]): readonly KernelHistogram[] {
    this.#reads++;
    this.#readEntries(bpf);
    this.#addOthers(together);
    if (this.#entries.size > this.#options.maxKeys * FULL) this.#removeIdle(bpf);
    const all = [...this.#series.values()].flatMap(({ attributes, totals }) =>
      this.#shown(attributes, totals),
    );
    const others = this.#shown(OTHERS, this.#others).filter(({ counts }) =>
      counts.some((count) => count > 0),
    );
    return [...all, ...others];
  }

  #readEntries(bpf: Bpf): void {
    this.#map ??= openHash(bpf, this.#fd);
    const { reader, keySize } = this.#map;
    const count = reader.read(this.#fd);
    const toAttributes = this.#options.keys();
    for (let at = 0; at < count; at++) {
      const key = reader.keys.subarray(at * keySize, (at + 1) * keySize);
      const value = reader.values.subarray(at * reader.stride, (at + 1) * reader.stride);
      const text = Buffer.from(key.buffer, key.byteOffset, keySize).toString('latin1');
      const entry = this.#entries.get(text) ?? this.#newEntry(text, toAttributes(key), reader.stride);
      // Most entries have not changed since.
      if (Buffer.compare(entry.value, value) === 0) continue;
      this.#addIncrease(entry, value);
    }
  }

  #newEntry(text: string, attributes: Attributes, size: number): Entry {
    const identity = JSON.stringify(attributes);
    const series = this.#series.get(identity) ?? { attributes, totals: this.#empty(), entries: 0 };
    this.#series.set(identity, series);
    series.entries++;
    const entry: Entry = { series, value: new Uint8Array(size), changedAt: this.#reads };
    this.#entries.set(text, entry);
    return entry;
  }

  #addIncrease(entry: Entry, value: Uint8Array<ArrayBuffer>): void {
    const [before, now] = [wordsIn(entry.value), wordsIn(value)];
    for (const [i, { layout, at, hasSum }] of this.#histograms.entries()) {
      const { slotCount } = layout.slots;
      const [series, read] = [entry.series.totals[i]!, this.#read[i]!];
      for (let slot = 0; slot < slotCount; slot++) {
        const increase = now(at + slot) - before(at + slot);
        series.counts[slot]! += increase;
        read.counts[slot]! += increase;
      }
      if (!hasSum) continue;
      const increase = now(at + slotCount) - before(at + slotCount);
      series.sum += increase;
      read.sum += increase;
    }
    entry.value.set(value);
    entry.changedAt = this.#reads;
  }

  #addOthers(together: readonly KernelHistogram[]): void {
    for (const [i, { counts, sums }] of together.entries()) {
      const [others, read] = [this.#others[i]!, this.#read[i]!];
      const { length } = others.counts;
      for (let slot = 0; slot < length; slot++) {
        let total = 0;
        for (let at = slot; at < counts.length; at += length) total += counts[at]!;
        // Entries may hold values that had not been counted together yet.
        others.counts[slot] = Math.max(others.counts[slot]!, total - read.counts[slot]!);
      }
      const sum = sums?.reduce((all, one) => all + one, 0) ?? 0;
      others.sum = Math.max(others.sum, sum - read.sum);
    }
  }

  #removeIdle(bpf: Bpf): void {
    const idle = [...this.#entries].filter(([, { changedAt }]) => changedAt < this.#reads);
    idle.sort(([, a], [, b]) => a.changedAt - b.changedAt);
    const most = this.#entries.size - Math.floor(this.#options.maxKeys * AFTERWARDS);
    for (const [text, { series }] of idle.slice(0, Math.max(0, most))) {
      try {
        deleteElement(bpf, this.#fd, Buffer.from(text, 'latin1'));
      } catch (error) {
        // Somebody else has removed it, such as an administrator. Otherwise each later reading would fail here.
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
      this.#entries.delete(text);
      series.entries--;
      if (series.entries === 0) this.#series.delete(JSON.stringify(series.attributes));
    }
  }

  #shown(attributes: Attributes, totals: readonly Totals[]): KernelHistogram[] {
    return this.#histograms.map(({ name, layout, hasSum, metric }, i) => {
      const { counts, sum } = totals[i]!;
      return { name, attributes, layout, counts, sums: hasSum ? Float64Array.of(sum) : undefined, metric };
    });
  }

  #empty(): Totals[] {
    return this.#histograms.map(({ layout }) => ({
      counts: new Float64Array(layout.slots.slotCount),
      sum: 0,
    }));
  }
}

function openHash(bpf: Bpf, fd: number): { readonly reader: MapReader; readonly keySize: number } {
  const info = mapInfo(bpf, fd);
  return { reader: new MapReader(bpf, info), keySize: info.keySize };
}
