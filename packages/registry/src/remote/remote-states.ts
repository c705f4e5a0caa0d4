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

/** A remote registry, and the state of it that was taken last. */
interface Instance {
  /** The number of the last state that was taken. */
  sequence: number;
  readonly ingestion: Ingestion;
  /**
   * The histograms of the last state, by key. Equal counts have equal encodings, so an idle series is not decoded
   * again.
   */
  decoded: Map<string, Decoded>;
}

interface Decoded {
  readonly encoded: string;
  readonly histogram: ReadonlyHistogram;
}

/**
 * How many unreachable remote registries are remembered. One of them may come back by another port, and its counts
 * must not be added again then. The counts of forgotten ones stay.
 */
const MOST_UNREACHABLE = 16;

/**
 * The states of remote registries, which are added to one registry. States are cumulative, so only their increase is
 * added: the counts of an ended remote stay, and a new remote adds all its counts.
 */
export class RemoteStates {
  readonly #registry: Registry;
  readonly #instances = new Map<string, Instance>();
  /** In the order in which they became unreachable; at most `MOST_UNREACHABLE`. */
  readonly #unreachable = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * Adds the increase of a state. Returns the problems of the parts that could not be taken; the other parts are
   * taken.
   */
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

  /** Records that no port leads to an instance any more. */
  markUnreachable(instance: string): void {
    this.#unreachable.delete(instance);
    this.#unreachable.add(instance);
    for (const oldest of this.#unreachable) {
      if (this.#unreachable.size <= MOST_UNREACHABLE) return;
      this.#unreachable.delete(oldest);
      this.#instances.delete(oldest);
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

/** The context in which the series of a family are decoded. */
interface Decoding {
  readonly family: FamilyOptions;
  readonly layout: HdrLayout;
  /** Added to the attributes of each series. */
  readonly attributes: Attributes;
  readonly before: ReadonlyMap<string, Decoded>;
  readonly decoded: Map<string, Decoded>;
  readonly problems: unknown[];
}

/** The reading of a series. A series that cannot be decoded gives no reading, and is added to the problems. */
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

/** @throws HdrscopeError `ERR_DECODE` when the histogram is broken, or has another layout than its family. */
function decodedHistogram(encoded: string, layout: HdrLayout): Histogram {
  const histogram = Histogram.decode(encoded, { storage: 'sparse' });
  if (histogram.layout.sharesSlotsWith(layout)) return histogram;
  const { significantDigits, lowestDiscernibleValue } = histogram.layout;
  const allowed = `of ${layout.significantDigits} significant digits in steps of 1`;
  throw mustBe('ERR_DECODE', 'the histogram', allowed, `${significantDigits}, ${lowestDiscernibleValue}`);
}

/**
 * The key of a series in its instance. Attributes of a type that is sent as text may have the same text, so their
 * order in the state numbers them.
 */
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
