import { canonicalText } from '@hdrscope/registry/internal';
import type { RawHistogram } from '../scraper/raw-histogram.ts';
import { readNumber } from '../scraper/sample-line.ts';
import { type ClassicPart, ClassicSets } from './classic-sets.ts';
import type { WrittenMetadata, WrittenSeries } from './read-request.ts';

/** A classic histogram whose parts are together. */
export interface AssembledHistogram {
  readonly family: string;
  /** Identifies the histogram: its family and its labels. */
  readonly key: string;
  readonly raw: RawHistogram;
  readonly metadata: WrittenMetadata;
  /** When native buckets of the same histogram were sent last; `undefined` when they were not. */
  readonly nativeMs: number | undefined;
}

/** A histogram in pieces. */
interface Entry {
  readonly family: string;
  readonly sets: ClassicSets;
  readonly metadata: WrittenMetadata;
}

/** Sums and counts of families whose buckets have not come: most are of summaries. */
type Strays = Pick<WrittenSeries, 'samples' | 'metadata'>;

/** The limits of an assembly. */
interface AssemblyLimits {
  readonly maxHistograms: number;
  readonly forgetAfterMs: number;
}

/** A series of numbers, and when it came. */
export type NumberSeries = Pick<WrittenSeries, 'name' | 'labels' | 'samples' | 'metadata'> & {
  readonly nowMs: number;
};

const MOST_STRAYS = 10_000;
/** Numbers that wait for others. Beyond, the histograms that came first are taken as they are. */
const MOST_HELD = 2_000_000;
const PART_NAME = /^(.+)_(bucket|sum|count|created)$/s;

/** Identifies a histogram. Its readings have the same key. */
export function keyFor(family: string, labels: Readonly<Record<string, string>>): string {
  return `${family}${canonicalText(labels)}`;
}

/** Puts series of numbers together that are parts of classic histograms. */
export class Assembly {
  readonly #limits: AssemblyLimits;
  /** By key; the one that was touched last is the last. */
  readonly #entries = new Map<string, Entry>();
  readonly #strays = new Map<string, Map<string, Strays>>();
  /** The keys of the request that is being taken. */
  readonly #touched = new Set<string>();
  /** The last time of native buckets, by key. */
  readonly #natives = new Map<string, number>();
  /** Samples of sets that were taken before, or have that part already. */
  repeated = 0;
  #held = 0;

  constructor(limits: AssemblyLimits) {
    this.#limits = limits;
  }

  /** How many numbers wait. */
  get held(): number {
    return this.#held;
  }

  /**
   * Adds the samples of a series.
   *
   * @param isWanted Whether a family counts.
   * @returns What the series is a part of, as far as is known; or the limit that keeps it out.
   */
  add(
    series: NumberSeries,
    isWanted: (family: string) => boolean,
  ): 'histogram' | 'other' | 'tooManyStreams' | 'tooManyParts' {
    const { name, labels, samples, metadata, nowMs } = series;
    const [, family = '', suffix = ''] = PART_NAME.exec(name) ?? [];
    if (family === '' || !isWanted(family)) return 'other';
    if (suffix !== 'bucket') {
      const key = keyFor(family, labels);
      const entry = this.#entries.get(key);
      if (entry === undefined) {
        this.#keepStray(key, suffix, { samples, metadata });
        return metadata.type === 'histogram' ? 'histogram' : 'other';
      }
      this.#addSamples(key, entry, suffix as ClassicPart, samples, nowMs);
      return 'histogram';
    }
    const { le, ...others } = labels;
    const bound = le === undefined ? undefined : readNumber(le);
    if (bound === undefined || Number.isNaN(bound)) return 'other';
    const key = keyFor(family, others);
    const entry = this.#entryFor(key, family, others, metadata, nowMs);
    if (entry === undefined) return 'tooManyStreams';
    if (entry.sets.isFullFor(bound)) return 'tooManyParts';
    this.#addSamples(key, entry, bound, samples, nowMs);
    return 'histogram';
  }

  /** Takes the histograms of the request that have all their parts. */
  takeComplete(): AssembledHistogram[] {
    const taken = [...this.#touched].flatMap((key) => this.#take(key, (sets) => sets.takeComplete()));
    this.#touched.clear();
    for (const key of this.#entries.keys()) {
      if (this.#held <= MOST_HELD) break;
      for (const one of this.#take(key, (sets) => sets.takeAll())) taken.push(one);
    }
    return taken;
  }

  /** Takes the histograms that no part has come of since a time, as they are. */
  takeIdle(sinceMs: number): AssembledHistogram[] {
    const taken: AssembledHistogram[] = [];
    for (const [key, { sets }] of this.#entries) {
      if (sets.touchedMs > sinceMs) break;
      if (sets.held === 0) continue;
      for (const one of this.#take(key, () => sets.takeAll())) taken.push(one);
    }
    return taken;
  }

  /** Notes that native buckets of a histogram have come. */
  noteNative(key: string, timeMs: number): void {
    const isKnown = this.#natives.delete(key);
    if (!isKnown && this.#natives.size >= this.#limits.maxHistograms) {
      const [oldest] = this.#natives.keys();
      this.#natives.delete(oldest!);
    }
    this.#natives.set(key, timeMs);
  }

  #entryFor(
    key: string,
    family: string,
    labels: Readonly<Record<string, string>>,
    metadata: WrittenMetadata,
    nowMs: number,
  ): Entry | undefined {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= this.#limits.maxHistograms && !this.#forgetOldest(nowMs)) return undefined;
    const entry: Entry = { family, sets: new ClassicSets(labels), metadata };
    this.#entries.set(key, entry);
    for (const [suffix, { samples }] of this.#strays.get(key) ?? []) {
      this.#addSamples(key, entry, suffix as ClassicPart, samples, nowMs);
    }
    this.#strays.delete(key);
    return entry;
  }

  #addSamples(
    key: string,
    entry: Entry,
    part: ClassicPart,
    samples: WrittenSeries['samples'],
    nowMs: number,
  ): void {
    const { sets } = entry;
    const before = sets.held;
    for (const sample of samples) if (!sets.add(part, sample)) this.repeated++;
    this.#held += sets.held - before;
    sets.touchedMs = nowMs;
    this.#touched.add(key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  #keepStray(key: string, suffix: string, stray: Strays): void {
    let strays = this.#strays.get(key);
    if (strays === undefined) {
      if (this.#strays.size >= MOST_STRAYS) {
        const [oldest] = this.#strays.keys();
        this.#strays.delete(oldest!);
      }
      strays = new Map();
    } else this.#strays.delete(key);
    // Sums and counts that came before the first bucket, of one request.
    strays.set(suffix, stray);
    this.#strays.set(key, strays);
  }

  #take(key: string, take: (sets: ClassicSets) => RawHistogram[]): AssembledHistogram[] {
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    const { family, sets, metadata } = entry;
    const before = sets.held;
    const raws = take(sets);
    this.#held += sets.held - before;
    const nativeMs = this.#natives.get(key);
    return raws.map((raw) => ({ family, key, raw, metadata, nativeMs }));
  }

  #forgetOldest(nowMs: number): boolean {
    const [oldest] = this.#entries;
    if (oldest === undefined || nowMs - oldest[1].sets.touchedMs < this.#limits.forgetAfterMs) return false;
    this.#held -= oldest[1].sets.held;
    this.#entries.delete(oldest[0]);
    return true;
  }
}
