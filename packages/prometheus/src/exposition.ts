import type { Slices } from '@hdrscope/kit';
import type { Body } from './body.ts';
import type { Warn } from './families.ts';
import type { KeptBytes } from './kept-bytes.ts';
import type { LazyFamily } from './lazy-family.ts';
import { type KnownSeries, mergeSteps } from './merge-families.ts';
import { type ExpositionFormat, renderSteps } from './render.ts';
import { inSlices } from './steps.ts';

// A scraper that asks for a format now and then must not keep a copy of it in memory.
const MOST_SCRAPES_OF_OTHERS = 10;

/**
 * Renders the families of an endpoint. It keeps the bytes of the last exposition in each format, so that the next one makes
 * only the metrics that have changed. In protobuf a series takes some 300 bytes, in text some 3 kB; a format that was not
 * asked for in the last ten scrapes takes no memory.
 */
export class Exposition {
  readonly #warn: Warn;
  readonly #known: KnownSeries = new Map();
  readonly #kept = new Map<ExpositionFormat, KeptBytes & { scrapesOfOthers: number }>();

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  /** Merges families and writes them in a format. Rejects when `signal` is aborted. */
  async render(
    families: readonly LazyFamily[],
    format: ExpositionFormat,
    slices: Slices,
    signal?: AbortSignal,
  ): Promise<Body> {
    const merged = await inSlices(mergeSteps(families, this.#warn, this.#known), slices, signal);
    return inSlices(renderSteps(merged, format, this.#keptIn(format)), slices, signal);
  }

  #keptIn(format: ExpositionFormat): KeptBytes {
    for (const [other, kept] of this.#kept) {
      if (other !== format && ++kept.scrapesOfOthers > MOST_SCRAPES_OF_OTHERS) this.#kept.delete(other);
    }
    const kept = this.#kept.get(format) ?? { blocks: new Map(), scrapesOfOthers: 0 };
    kept.scrapesOfOthers = 0;
    this.#kept.set(format, kept);
    return kept;
  }
}
