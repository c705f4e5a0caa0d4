import { type HdrLayout, Histogram, type ReadonlyHistogram } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { type Attributes, canonicalText } from '../attributes.ts';
import type { FamilyOptions } from '../family-options.ts';
import { familyFor } from '../ingest/family-for.ts';
import { ingest } from '../ingest/ingest.ts';
import type { Reading } from '../ingest/reading.ts';
import { seriesError } from '../ingest/series-error.ts';
import type { Ingestion } from '../ingest/source.ts';
import type { Registry } from '../registry.ts';
import { familyKey } from '../snapshot.ts';
import type { ReceivedSeries, ReceivedState } from './wire.ts';

/** A remote registry, as far as it is in a registry. */
interface Instance {
  /** Of the last state that was taken. */
  sequence: number;
  readonly ingestion: Ingestion;
  /** By key, the histograms that were decoded last. Equal counts have equal encodings, so an idle series is not decoded again. */
  decoded: Map<string, Decoded>;
}

interface Decoded {
  readonly encoded: string;
  readonly histogram: ReadonlyHistogram;
}

/**
 * How many remote registries without a way to them are remembered: such a one may come back by another port, and must
 * not be counted anew then. What they counted stays in any case.
 */
const MOST_UNREACHABLE = 16;

/**
 * What remote registries have counted, as far as it is in a registry. States are cumulative, so of each only the increase
 * is added: a remote that is gone has left all that it reported, and one that is new adds all it has.
 */
export class RemoteStates {
  readonly #registry: Registry;
  readonly #instances = new Map<string, Instance>();
  /** In the order in which they were lost; at most `MOST_UNREACHABLE`. */
  readonly #unreachable = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Brings the registry up to a state. Returns the problems of what could not be taken; the rest is taken. */
  take(state: ReceivedState, attributes: Attributes): unknown[] {
    const instance = this.#instanceOf(state);
    if (state.sequence <= instance.sequence) return [];
    instance.sequence = state.sequence;
    const problems: unknown[] = [];
    const decoded = new Map<string, Decoded>();
    const readings = state.families.flatMap(({ scope, boundaries, series, ...rest }) => {
      const family: FamilyOptions = { ...rest, ...(scope && { scope }), ...(boundaries && { boundaries }) };
      try {
        const { layout } = familyFor(this.#registry, family);
        const decoding = { family, layout, attributes, before: instance.decoded, decoded, problems };
        return series.flatMap((one) => readingOf(one, decoding));
      } catch (error) {
        problems.push(error);
        return [];
      }
    });
    instance.decoded = decoded;
    return [...problems, ...instance.ingestion.take(readings)];
  }

  /** Takes note that there is no way to an instance any more. */
  lose(instance: string): void {
    this.#unreachable.delete(instance);
    this.#unreachable.add(instance);
    for (const longest of this.#unreachable) {
      if (this.#unreachable.size <= MOST_UNREACHABLE) return;
      this.#unreachable.delete(longest);
      this.#instances.delete(longest);
    }
  }

  #instanceOf({ instance: name }: ReceivedState): Instance {
    this.#unreachable.delete(name);
    let instance = this.#instances.get(name);
    if (instance === undefined) {
      const ingestion = ingest(this.#registry, { name }, { resets: 'never' });
      instance = { sequence: 0, ingestion, decoded: new Map() };
      this.#instances.set(name, instance);
    }
    return instance;
  }
}

/** How the series of a family are decoded. */
interface Decoding {
  readonly family: FamilyOptions;
  readonly layout: HdrLayout;
  /** Added to those of each series. */
  readonly attributes: Attributes;
  readonly before: ReadonlyMap<string, Decoded>;
  readonly decoded: Map<string, Decoded>;
  readonly problems: unknown[];
}

/** The reading of a series; one that cannot be decoded is a problem. */
function readingOf(series: ReceivedSeries, { before, decoded, problems, ...rest }: Decoding): Reading[] {
  const { family, layout } = rest;
  const key = keyOf(family, series, decoded);
  const { histogram: encoded, startTimeMs, ...facts } = series;
  const attributes = { ...series.attributes, ...rest.attributes };
  try {
    const known = before.get(key);
    const histogram = known?.encoded === encoded ? known.histogram : decodedHistogram(encoded, layout);
    decoded.set(key, { encoded, histogram });
    return [{ ...facts, key, family, attributes, counted: histogram, counter: { startTimeMs } }];
  } catch (cause) {
    problems.push(seriesError({ key, family, attributes: series.attributes }, 'malformed', cause));
    return [];
  }
}

/** @throws HdrscopeError `ERR_DECODE` when the histogram is broken, or over another layout than that of its family. */
function decodedHistogram(encoded: string, layout: HdrLayout): Histogram {
  const histogram = Histogram.decode(encoded, { storage: 'sparse' });
  if (histogram.layout.sharesSlotsWith(layout)) return histogram;
  const { significantDigits, lowestDiscernibleValue } = histogram.layout;
  const allowed = `of ${layout.significantDigits} significant digits in steps of 1`;
  throw mustBe('ERR_DECODE', 'the histogram', allowed, `${significantDigits}, ${lowestDiscernibleValue}`);
}

/** The key of a series in its instance. Attributes of a kind that is sent as text may read alike: their order numbers them. */
function keyOf(
  family: FamilyOptions,
  { attributes }: ReceivedSeries,
  taken: ReadonlyMap<string, unknown>,
): string {
  const text = `${familyKey(family)} ${canonicalText(attributes)}`;
  let nth = 0;
  while (taken.has(`${text} ${nth}`)) nth++;
  return `${text} ${nth}`;
}
