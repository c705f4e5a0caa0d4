import type { HistogramValue, Labels, Metric, NumberValue } from '../families.ts';
import { seriesKey } from '../labels.ts';
import type { FamilyFacts, LazyFamily, LazyMetrics } from '../lazy-family.ts';
import { exposedName } from '../names.ts';
import type { Steps } from '../steps.ts';

/** A series, and whether the receiver has it. */
export interface SentSeries {
  readonly family: FamilyFacts;
  readonly labels: Labels;
  /** The kind of its value. Of a summary, the quantiles that it had at first. */
  readonly shape: Metric['value'];
  /** The snapshot that had it last. */
  seenIn: number;
  /** Whether the receiver has judged a request with it. */
  isWritten: boolean;
}

/** A series of a snapshot. */
export interface PresentSeries {
  readonly family: LazyFamily;
  readonly part: LazyMetrics;
  readonly state: object;
  readonly sent: SentSeries;
}

/**
 * Finds the series that have ended since they were written: they get a stale marker, as series get that a target does not expose any
 * more. A series that begins again before the receiver has its marker gets none.
 * Source: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/#stale-markers
 */
export class SentSeriesLedger {
  /** By the name and the recipe of a family, then by the identity or the labels of a series. */
  readonly #families = new Map<string, Map<object | string, SentSeries>>();
  /** Series whose markers the receiver lacks, by name and labels. */
  readonly #ended = new Map<string, SentSeries>();
  #snapshot = 0;

  /** Begins a snapshot: all of its series, and those that have ended. */
  *begin(families: readonly LazyFamily[]): Steps<{ present: PresentSeries[]; ended: SentSeries[] }> {
    this.#snapshot++;
    const present: PresentSeries[] = [];
    const added: SentSeries[] = [];
    for (const family of families) {
      for (const part of family.parts) {
        const known = this.#knownOf(family, part);
        for (const state of part.states) {
          // Labels of series without a recipe may be made anew for each snapshot.
          const key = part.recipe === undefined ? seriesKey(part.labelsOf(state)) : part.identityOf(state);
          let sent = known.get(key);
          if (sent === undefined) {
            sent = newSeries(family, part, state);
            known.set(key, sent);
            added.push(sent);
          }
          sent.seenIn = this.#snapshot;
          present.push({ family, part, state, sent });
          if (present.length % SERIES_PER_STEP === 0) yield;
        }
      }
    }
    yield* this.#endOthers();
    if (this.#ended.size > 0) for (const one of added) this.#ended.delete(keyOf(one));
    return { present, ended: [...this.#ended.values()] };
  }

  /** Notes that the receiver has the marker of a series. */
  marked(series: SentSeries): void {
    this.#ended.delete(keyOf(series));
  }

  #knownOf(family: LazyFamily, { recipe = '' }: LazyMetrics): Map<object | string, SentSeries> {
    const key = `${exposedName(family)} ${recipe}`;
    const known = this.#families.get(key) ?? new Map<object | string, SentSeries>();
    this.#families.set(key, known);
    return known;
  }

  *#endOthers(): Steps<void> {
    let count = 0;
    for (const [name, known] of this.#families) {
      for (const [key, sent] of known) {
        if (++count % SERIES_PER_STEP === 0) yield;
        if (sent.seenIn === this.#snapshot) continue;
        known.delete(key);
        if (sent.isWritten) this.#ended.set(keyOf(sent), sent);
      }
      if (known.size === 0) this.#families.delete(name);
    }
  }
}

// To look one up takes some nanoseconds, less than a step.
const SERIES_PER_STEP = 256;

function keyOf({ family, labels }: SentSeries): string {
  return `${exposedName(family)} ${seriesKey(labels)}`;
}

function newSeries({ parts: _, ...family }: LazyFamily, part: LazyMetrics, state: object): SentSeries {
  const shape = shapeOf(family, part, state);
  return { family, labels: part.labelsOf(state), shape, seenIn: 0, isWritten: false };
}

const NUMBER: NumberValue = { kind: 'number', value: 0 };
const HISTOGRAM: HistogramValue = { kind: 'histogram', count: 0, sum: undefined };

/** Holds no counts: a series may wait for as long as an outage takes. */
function shapeOf({ type }: FamilyFacts, part: LazyMetrics, state: object): Metric['value'] {
  if (type === 'histogram') return HISTOGRAM;
  return type === 'summary' ? part.metricOf(state).value : NUMBER;
}
