import { inSlices, type Slices } from '@hdrscope/kit';
import type { Body } from './body.ts';
import { escapedFamily } from './escaping.ts';
import type { Warn } from './families.ts';
import type { KeptBytes } from './kept-bytes.ts';
import type { LazyFamily } from './lazy-family.ts';
import { type KnownSeries, mergeSteps } from './merge-families.ts';
import type { NegotiatedFormat } from './negotiation.ts';
import { renderSteps } from './render.ts';

// A scraper that asks for a format now and then must not keep a copy of it in memory.
const MOST_SCRAPES_OF_OTHERS = 10;

/**
 * Renders the families of an endpoint. It keeps the bytes of the last exposition in each format, so that the next one makes
 * only the metrics that have changed. In protobuf a series takes some 300 bytes, in text some 3 kB; a format that was not
 * asked for in the last ten scrapes takes no memory.
 */
export class Exposition {
  readonly #warn: Warn;
  readonly #kept = new Map<string, Kept>();

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  /** Merges families and writes them in a format. Rejects when `signal` is aborted. */
  async render(
    families: readonly LazyFamily[],
    wanted: NegotiatedFormat,
    slices: Slices,
    signal?: AbortSignal,
  ): Promise<Body> {
    const { format, escaping = 'underscores' } = wanted;
    const kept = this.#keptIn(`${format} ${escaping}`);
    // Names are escaped first, because two of them may become one.
    const escaped = families.map((family) => escapedFamily(family, escaping));
    const merged = await inSlices(mergeSteps(escaped, this.#warn, kept.series), slices, signal);
    return inSlices(renderSteps(merged, format, kept), slices, signal);
  }

  #keptIn(key: string): Kept {
    for (const [other, kept] of this.#kept) {
      if (other !== key && ++kept.scrapesOfOthers > MOST_SCRAPES_OF_OTHERS) this.#kept.delete(other);
    }
    const kept = this.#kept.get(key) ?? { blocks: new Map(), series: new Map(), scrapesOfOthers: 0 };
    kept.scrapesOfOthers = 0;
    this.#kept.set(key, kept);
    return kept;
  }
}

/** The exposition before in one format and escaping scheme. */
interface Kept extends KeptBytes {
  readonly series: KnownSeries;
  scrapesOfOthers: number;
}
