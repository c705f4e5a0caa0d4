import type { Attributes, Exemplar, FamilyOptions, IngestMemory, Reading } from '@hdrscope/registry';
import { type CounterState, canonicalText, latestEpoch } from '@hdrscope/registry/internal';
import type { ScrapedFamily, ScrapedHistogram } from './scraped.ts';

/** What readings of one target have in common. */
export interface TargetFacts {
  /** Attributes of all series, such as `job` and `instance`. */
  readonly attributes: Attributes;
  /** Whether a label keeps its name that is also the key of an attribute of the target. */
  readonly honorLabels: boolean;
  readonly cardinalityLimit: number;
  readonly expireAfterMs: number | undefined;
  readonly memory: IngestMemory;
}

/** Makes readings of the families of one answer after another. Readings of one family share its options. */
export class ReadingMaker {
  readonly #facts: TargetFacts;
  readonly #families = new Map<string, FamilyOptions>();

  constructor(facts: TargetFacts) {
    this.#facts = facts;
  }

  *readings(
    { name, help, unit, histograms }: ScrapedFamily,
    nowMs: number,
  ): Generator<Reading, void, undefined> {
    const identity = JSON.stringify([name, unit]);
    let family = this.#families.get(identity);
    if (family === undefined) {
      const { cardinalityLimit, expireAfterMs } = this.#facts;
      const limits = { cardinalityLimit, ...(expireAfterMs !== undefined && { expireAfterMs }) };
      family = { name, unit, description: help, ...limits };
      this.#families.set(identity, family);
    }
    for (const histogram of histograms) {
      const { labels, counted, sum, rejected, exemplars } = histogram;
      const key = `${name}${canonicalText(labels)}`;
      const lowest = counted.layout.upper(0);
      yield {
        ...{ key, family, counted, sum, rejected },
        attributes: this.#attributesFor(labels),
        // The lowest classic bucket is open downwards. Where its bound is at least 0, values below 0 are not expected.
        ...(counted.layout.kind === 'explicit' && lowest >= 0 && { within: { min: 0, max: undefined } }),
        exemplars: keepExemplars(exemplars, nowMs),
        counter: this.#counterFor(key, histogram, nowMs),
      };
    }
  }

  /** As in Prometheus, a label with the name of an attribute of the target gets `exported_` before its name. */
  #attributesFor(labels: Readonly<Record<string, string>>): Attributes {
    const { attributes, honorLabels } = this.#facts;
    if (honorLabels) return { ...attributes, ...labels };
    const own = Object.entries(labels).map(([name, value]) => {
      let free = name;
      while (Object.hasOwn(attributes, free)) free = `exported_${free}`;
      return [free, value] as const;
    });
    return { ...Object.fromEntries(own), ...attributes };
  }

  #counterFor(key: string, { createdMs, timestampMs }: ScrapedHistogram, nowMs: number): CounterState {
    return {
      epoch: nameLife(createdMs, latestEpoch(this.#facts.memory, key)),
      // The clock of the target may be ahead.
      startTimeMs: createdMs === undefined ? undefined : Math.min(createdMs, nowMs),
      ...(timestampMs !== undefined && { sequence: BigInt(Math.round(timestampMs)) }),
    };
  }
}

/** The exemplars that a series can have. It keeps the latest ones, so a clock that is ahead must not make one stay. */
function keepExemplars(exemplars: readonly Exemplar[], nowMs: number): readonly Exemplar[] | undefined {
  if (exemplars.length === 0) return undefined;
  return exemplars
    .filter(({ value }) => value >= 0 && Number.isFinite(value))
    .map((exemplar) => ({ ...exemplar, timeMs: Math.min(exemplar.timeMs, nowMs) }));
}

// Some targets compute the start from their age, so that it wanders. Nobody starts again within a second after a scrape.
const WANDERING_MS = 1000;

/**
 * The epoch of a histogram by its start. A start that was not stated before, or is stated no more, begins no other life: counts that
 * fall show a restart then.
 */
function nameLife(createdMs: number | undefined, latest: string | undefined): string {
  if (latest === undefined) return createdMs === undefined ? '' : `${createdMs}`;
  if (createdMs === undefined || latest === '') return latest;
  return Math.abs(createdMs - Number(latest)) <= WANDERING_MS ? latest : `${createdMs}`;
}
