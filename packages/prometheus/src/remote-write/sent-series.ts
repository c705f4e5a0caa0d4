import type { Steps } from '@hdrscope/kit';
import type { HistogramValue, Labels, Metric, NumberValue } from '../families.ts';
import { seriesKey } from '../labels.ts';
import type { FamilyFacts, LazyFamily, LazyMetrics } from '../lazy-family.ts';
import { exposedName } from '../names.ts';
import type { Presence } from './answer.ts';

/** A series, and whether the receiver has it without a marker. */
export interface SentSeries {
  readonly family: FamilyFacts;
  readonly labels: Labels;
  /** The kind of its value. Of a summary, the quantiles that it had at first. */
  readonly shape: Metric['value'];
  /** The snapshot that had it last. */
  seenIn: number;
  presence: Presence;
}

/** A series of a snapshot. */
export interface PresentSeries {
  readonly family: LazyFamily;
  readonly part: LazyMetrics;
  readonly state: object;
  readonly sent: SentSeries;
}

/**
 * Finds the series that have ended and that the receiver has, or may have: they get a stale marker, as series get that a target does
 * not expose any more. A series that begins again before the receiver has its marker gets none.
 * Source: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/#stale-markers
 */
export class SentSeriesLedger {
  /** By the name and the recipe of a family. */
  readonly #families = new Map<string, KnownFamily>();
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
        const { facts, series } = this.#knownOf(family, part);
        for (const state of part.states) {
          // Labels of series without a recipe may be made anew for each snapshot.
          const key = part.recipe === undefined ? seriesKey(part.labelsOf(state)) : part.identityOf(state);
          let sent = series.get(key);
          if (sent === undefined) {
            sent = newSeries(facts, part, state);
            series.set(key, sent);
            added.push(sent);
          }
          sent.seenIn = this.#snapshot;
          present.push({ family, part, state, sent });
          if (present.length % SERIES_PER_STEP === 0) yield;
        }
      }
    }
    yield* this.#endOthers();
    if (this.#ended.size > 0) yield* this.#goOn(added);
    return { present, ended: [...this.#ended.values()] };
  }

  /** Notes what became of a request with a series. */
  sent(series: SentSeries, presence: Presence): void {
    if (presence === 'written' || series.presence === 'none') series.presence = presence;
  }

  /** Notes that the receiver has the marker of a series. */
  marked(series: SentSeries): void {
    this.#ended.delete(keyOf(series));
  }

  #knownOf({ parts: _, ...facts }: LazyFamily, { recipe = '' }: LazyMetrics): KnownFamily {
    const key = `${exposedName(facts)} ${recipe}`;
    let known = this.#families.get(key);
    if (known === undefined) {
      known = { facts, series: new Map() };
      this.#families.set(key, known);
    }
    // Series from before keep the facts with which they were written.
    if (!areEqual(known.facts, facts)) known.facts = facts;
    return known;
  }

  /** A series that begins again needs no marker now. It needs one when it ends before the receiver has it anew. */
  *#goOn(added: readonly SentSeries[]): Steps<void> {
    for (const [i, series] of added.entries()) {
      if (i % SERIES_PER_STEP === 0) yield;
      const key = keyOf(series);
      series.presence = this.#ended.get(key)?.presence ?? series.presence;
      this.#ended.delete(key);
    }
  }

  *#endOthers(): Steps<void> {
    let count = 0;
    let possible = 0;
    for (const { presence } of this.#ended.values()) if (presence === 'possible') possible++;
    for (const [name, { series }] of this.#families) {
      for (const [key, sent] of series) {
        if (++count % SERIES_PER_STEP === 0) yield;
        if (sent.seenIn === this.#snapshot) continue;
        series.delete(key);
        if (sent.presence === 'none') continue;
        // An outage adds no written series, but it may add possible ones for as long as it lasts.
        if (sent.presence === 'possible' && ++possible > MOST_POSSIBLE) continue;
        this.#ended.set(keyOf(sent), sent);
      }
      if (series.size === 0) this.#families.delete(name);
    }
  }
}

/** A family of the last snapshot. */
interface KnownFamily {
  /** One object, which all series of the family share. */
  facts: FamilyFacts;
  /** By the identity or the labels of a series. */
  readonly series: Map<object | string, SentSeries>;
}

/** Limit of the ended series that wait for a marker although the receiver may not have them. */
const MOST_POSSIBLE = 10_000;

// Of 100,000 series, a known one took up to 0.5 µs and a new one 1.3 µs. `Slices` looks at the clock at each eighth step: after 0.7 ms of
// new series at most.
const SERIES_PER_STEP = 64;

function keyOf({ family, labels }: SentSeries): string {
  return `${exposedName(family)} ${seriesKey(labels)}`;
}

function areEqual(a: FamilyFacts, b: FamilyFacts): boolean {
  return FACTS.every((fact) => a[fact] === b[fact]);
}

const FACTS = ['name', 'isFixedName', 'help', 'unit', 'type'] as const satisfies (keyof FamilyFacts)[];

function newSeries(family: FamilyFacts, part: LazyMetrics, state: object): SentSeries {
  const shape = shapeOf(family, part, state);
  return { family, labels: part.labelsOf(state), shape, seenIn: 0, presence: 'none' };
}

const NUMBER: NumberValue = { kind: 'number', value: 0 };
const HISTOGRAM: HistogramValue = { kind: 'histogram', count: 0, sum: undefined };

/** Holds no counts: a series may wait for as long as an outage takes. */
function shapeOf({ type }: FamilyFacts, part: LazyMetrics, state: object): Metric['value'] {
  if (type === 'histogram') return HISTOGRAM;
  return type === 'summary' ? part.metricOf(state).value : NUMBER;
}
