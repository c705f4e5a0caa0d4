import { HdrscopeError } from '@hdrscope/core';
import { Budget, listNames, type Steps, wildcard } from '@hdrscope/kit';
import {
  type IngestHealth,
  type Ingestion,
  IngestMemory,
  ingest,
  type Reading,
  type Registry,
} from '@hdrscope/registry';
import { findUnknownUntil, keepReading, latestState } from '@hdrscope/registry/internal';
import { malformed, type SeriesProblem, unsupported } from '../scraper/buckets.ts';
import { checkHistogram } from '../scraper/check-histogram.ts';
import { LayoutPool } from '../scraper/layout-pool.ts';
import type { RawHistogram } from '../scraper/raw-histogram.ts';
import { chooseUnit } from '../scraper/read-exposition.ts';
import { ReadingMaker } from '../scraper/readings.ts';
import type { ScrapedFamily, ScrapedHistogram } from '../scraper/scraped.ts';
import { type AssembledHistogram, Assembly, keyFor } from './assembly.ts';
import { atKnownBounds, MOST_PARTS } from './classic-sets.ts';
import type { ReceiverSettings } from './options.ts';
import type { WriteRequest, WrittenHistogram, WrittenMetadata, WrittenSeries } from './read-request.ts';

/**
 * Why a histogram is refused:
 * - `unsupported`: its form cannot be counted: counts that are no integers, or that may fall, or no bounds.
 * - `malformed`: it contradicts itself, or an earlier state.
 * - `countTooLarge`: it has a count above 2^53 − 1.
 * - `tooManyStreams`: it is new, and as many are known as `maxStreams` allows.
 * - `conflicting`: its family counts in another way.
 */
export type WriteRefusalReason = keyof IngestHealth['refused'] | 'unsupported';

/** Counters of what a receiver has taken in. They only grow, except `streams` and `waiting`. */
export interface RemoteWriteIntakeHealth
  extends Pick<IngestHealth, 'values' | 'duplicates' | 'late' | 'open' | 'streams'> {
  /** How many histograms were accepted, native ones and assembled classic ones, duplicates and late ones included. */
  readonly histograms: number;
  /** Histograms that were refused, by reason. */
  readonly refused: Readonly<Record<WriteRefusalReason, number>>;
  /** Restarts: another start, or counts that fell. */
  readonly resets: number;
  /** Samples of gauges, counters and summaries, which are left out; and sums and counts that came before the first bucket of theirs. */
  readonly otherSamples: number;
  /** Numbers of classic histograms that wait for other parts of theirs. */
  readonly waiting: number;
  /**
   * Values that were counted between the last state of one kind and the first one of the other, where a sender has changed from classic to
   * native buckets, or back. Where they lie is unknown, and they are not added.
   */
  readonly lostValues: number;
}

/** Histograms that were refused. */
export interface WriteRefusals {
  /** How many: native histograms, assembled classic ones, and samples that belong to no histogram for their labels. */
  refused: number;
  /** The reasons, a sentence for each of the first ones. */
  readonly problems: string[];
}

/** What was taken of a request, and what was refused. */
export interface Written extends WriteRefusals {
  samples: number;
  histograms: number;
  exemplars: number;
  /** Refused classic histograms whose last part was in the request: their other parts may be of requests that were accepted. */
  readonly assembled: WriteRefusals;
}

const MOST_PROBLEMS = 10;
const MOST_LEFT_OUT = 1000;
const MOST_TYPES = 10_000;
/** As in Prometheus: the clock of a sender may be ahead. */
const MOST_AHEAD_MS = 600_000;
/** Slots of one request, by `SLOT_COST`. */
const MOST_ELEMENTS = 3_000_000;
const bodyBudget = (): Budget => new Budget('the body', { elements: MOST_ELEMENTS });
/** A native histogram that is at most so much older than a classic one came beside it: a classic one is assembled later. */
const SENT_TOGETHER_MS = 300_000;

/** The facts that a family keeps from its first histogram. */
type FamilyFacts = Pick<ScrapedFamily, 'name' | 'help' | 'unit'>;

/** The options of a receiver, without those of its requests. */
type IntakeSettings = Omit<ReceiverSettings, 'maxBytes' | 'maxElements' | 'maxPendingBytes'>;

/** A stretch of the past that is read in place of what is sent now. */
interface Past {
  /** What was counted before is left out: the first state of a histogram counts only when the histogram began later. */
  readonly sinceMs: number;
}

/** Adds written histograms to a registry. */
export class WriteIntake {
  readonly memory: IngestMemory;
  /** Names of families that are left out, at most 1000. */
  readonly leftOut: Set<string> = new Set();
  readonly #settings: IntakeSettings;
  readonly #ingestion: Ingestion;
  readonly #maker: ReadingMaker;
  readonly #layouts = new LayoutPool();
  readonly #assembly: Assembly;
  readonly #isChosen: (name: string) => boolean;
  /** What version 1 states about families, by name. */
  readonly #metadata = new Map<string, WrittenMetadata>();
  readonly #families = new Map<string, FamilyFacts>();
  readonly #refused: Record<WriteRefusalReason, number> = {
    ...{ unsupported: 0, malformed: 0, countTooLarge: 0, tooManyStreams: 0, conflicting: 0 },
  };
  readonly #past: Past | undefined;
  /** Values of histograms that came after the beginning of the past that is read. They were counted before it or since. */
  undatedValues = 0;
  #otherSamples = 0;
  #lostValues = 0;

  constructor(registry: Registry, settings: IntakeSettings, past?: Past) {
    this.#settings = settings;
    this.#past = past;
    const { maxStreams, forgetAfterMs, clock, dropAttributes, observer, metrics } = settings;
    const { attributes, cardinalityLimit, expireAfterMs } = settings;
    this.memory = settings.memory ?? new IngestMemory();
    this.#ingestion = ingest(
      registry,
      { name: 'remote write' },
      {
        ...{ maxStreams, forgetAfterMs, clock, dropAttributes, observer },
        ...{ memory: this.memory, epochs: 'side by side' },
      },
    );
    this.#maker = new ReadingMaker({
      ...{ attributes, honorLabels: true, cardinalityLimit, expireAfterMs, memory: this.memory },
    });
    this.#assembly = new Assembly({ maxHistograms: maxStreams, forgetAfterMs });
    const chosen = metrics?.map((pattern) => wildcard(pattern));
    this.#isChosen = (name) => chosen === undefined || chosen.some((one) => one.test(name));
  }

  get health(): RemoteWriteIntakeHealth {
    const { readings, values, duplicates, late, open, streams, ...health } = this.#ingestion.health;
    const refused = { ...this.#refused };
    for (const [reason, count] of Object.entries(health.refused)) {
      refused[reason as WriteRefusalReason] += count;
    }
    return {
      ...{ histograms: readings, values, late, open, streams, refused: Object.freeze(refused) },
      duplicates: duplicates + this.#assembly.repeated,
      resets: health.resets + health.newLives,
      otherSamples: this.#otherSamples,
      waiting: this.#assembly.held,
      lostValues: this.#lostValues,
    };
  }

  /** Adds what is new in a request. Nothing of another request may be taken before it is done. */
  *take({ series, metadata }: WriteRequest): Steps<Written> {
    const assembled = noRefusals();
    const written: Written = { samples: 0, histograms: 0, exemplars: 0, ...noRefusals(), assembled };
    const budget = bodyBudget();
    for (const one of metadata) this.#noteMetadata(one);
    const latestMs =
      this.#past === undefined ? this.#settings.clock.nowMs() + MOST_AHEAD_MS : Number.POSITIVE_INFINITY;
    for (const one of series) {
      written.exemplars += one.exemplars;
      const problemText = one.problem ?? (isAfter(one, latestMs) ? AHEAD : undefined);
      if (problemText === undefined) {
        written.samples += one.samples.length;
        for (const histogram of one.histograms) this.#takeNative(one, histogram, budget, written);
        this.#takeNumbers(one, written);
      } else {
        const problem = malformed(problemText);
        const count = Math.max(1, one.samples.length + one.histograms.length);
        this.#refuse(written, one.name === '' ? 'a series' : one.name, problem, count);
      }
      yield;
    }
    yield* this.#takeAssembled(this.#assembly.takeComplete(), budget, assembled);
    return written;
  }

  /** Adds classic histograms whose last part came so long ago, as they are. */
  *settle(idleMs: number): Steps<WriteRefusals> {
    const refusals = noRefusals();
    const idle = this.#assembly.takeIdle(this.#settings.clock.monotonicMs() - idleMs);
    yield* this.#takeAssembled(idle, bodyBudget(), refusals);
    return refusals;
  }

  *#takeAssembled(all: readonly AssembledHistogram[], budget: Budget, refusals: WriteRefusals): Steps<void> {
    for (const one of all) {
      this.#takeClassic(one, budget, refusals);
      yield;
    }
  }

  #noteMetadata(metadata: WrittenMetadata): void {
    const { family } = metadata;
    if (this.#metadata.size < MOST_TYPES || this.#metadata.has(family)) this.#metadata.set(family, metadata);
  }

  #takeNumbers({ name, labels, samples, metadata }: WrittenSeries, written: Written): void {
    const { length } = samples;
    if (length === 0) return;
    const nowMs = this.#settings.clock.monotonicMs();
    const place = this.#assembly.add({ name, labels, samples, metadata, nowMs }, (family) => {
      const { type } = this.#metadataFor(family, metadata);
      return this.#isChosen(family) && (type === 'unknown' || type === 'histogram');
    });
    if (place === 'histogram') return;
    if (place !== 'other') {
      written.samples -= length;
      this.#refuse(written, name, PLACE_PROBLEMS[place], length);
      return;
    }
    this.#noteGauge(name);
    this.#otherSamples += length;
    if (this.leftOut.size < MOST_LEFT_OUT) this.leftOut.add(name);
  }

  /** Only gauge histograms have `x_gcount` beside `x_bucket`. Version 1 states types once a minute. */
  #noteGauge(name: string): void {
    if (!name.endsWith('_gcount')) return;
    const family = name.slice(0, -'_gcount'.length);
    if (!this.#metadata.has(family))
      this.#noteMetadata({ family, type: 'gaugehistogram', help: '', unit: '' });
  }

  #metadataFor(family: string, stated: WrittenMetadata): WrittenMetadata {
    return stated.type === 'unknown' ? (this.#metadata.get(family) ?? stated) : stated;
  }

  #takeNative(
    { name, labels, metadata }: WrittenSeries,
    { raw, isStale, isGauge }: WrittenHistogram,
    budget: Budget,
    written: Written,
  ): void {
    const mayFall = isGauge || this.#metadataFor(name, metadata).type === 'gaugehistogram';
    if (isStale || !this.#isChosen(name)) {
      written.histograms++;
      return;
    }
    const histogram = mayFall ? GAUGE : this.#check({ ...raw, labels }, budget);
    if ('reason' in histogram) {
      this.#refuse(written, name, histogram);
      return;
    }
    this.#assembly.noteNative(keyFor(name, labels), raw.timestampMs!);
    const refusal = this.#add(this.#factsFor(name, metadata), histogram);
    if (refusal === undefined) written.histograms++;
    else noteRefusal(written, name, refusal);
  }

  #takeClassic(
    { family, key, raw, metadata, nativeMs }: AssembledHistogram,
    budget: Budget,
    refusals: WriteRefusals,
  ): void {
    if (this.#metadataFor(family, metadata).type === 'gaugehistogram') {
      this.#refuse(refusals, family, GAUGE);
      return;
    }
    // The native buckets of the same histogram are finer.
    if (nativeMs !== undefined && raw.timestampMs! - nativeMs <= SENT_TOGETHER_MS) return;
    const last = latestState(this.memory, key);
    const { coarse, isFiner } = atKnownBounds(raw, last?.counted.layout);
    const histogram = this.#check(raw, budget);
    const compared = isFiner ? this.#check(coarse, budget) : histogram;
    if ('reason' in histogram || 'reason' in compared) {
      this.#refuse(refusals, family, 'reason' in histogram ? histogram : (compared as SeriesProblem));
      return;
    }
    const facts = this.#factsFor(family, metadata);
    const refusal = this.#add(facts, compared);
    if (refusal !== undefined) noteRefusal(refusals, family, refusal);
    // The next state is compared with this one at all bounds, those included that the state before lacked. A late state takes no such place.
    else if (isFiner && (last?.sequence ?? -1n) < BigInt(raw.timestampMs!))
      this.#keep(this.#readingFor(facts, histogram));
  }

  /** Checks a histogram. One that would take too many slots is refused, so that nothing fails after a part of the request is taken. */
  #check(raw: RawHistogram, ofRequest: Budget): ScrapedHistogram | SeriesProblem {
    // A step of the past may have thousands of states, whose slots are held one state after another.
    const budget = this.#past === undefined ? ofRequest : bodyBudget();
    try {
      return checkHistogram(raw, this.#layouts, budget);
    } catch (error) {
      if (!(error instanceof HdrscopeError) || error.code !== 'ERR_TOO_LARGE') throw error;
      return malformed('has more buckets than are left to its request');
    }
  }

  /** @returns Why the histogram is refused; `undefined` when it is not. */
  #add(facts: FamilyFacts, histogram: ScrapedHistogram): string | undefined {
    const reading = this.#readingFor(facts, histogram);
    const last = latestState(this.memory, reading.key);
    const { layout, counts } = histogram.counted;
    const sinceMs = this.#past?.sinceMs ?? this.#unknownUntilMs();
    if (last === undefined && (histogram.createdMs ?? Number.NEGATIVE_INFINITY) < sinceMs) {
      if (this.#past !== undefined && histogram.timestampMs! > sinceMs) this.undatedValues += counts.total;
      this.#keep(reading);
      return undefined;
    }
    if (last === undefined || last.counted.layout.kind === layout.kind) {
      const [refusal] = this.#ingestion.take([reading]);
      return refusal && problemIn(refusal);
    }
    // Buckets of two kinds cannot be compared.
    const sequence = reading.counter?.sequence;
    if (sequence !== undefined && last.sequence !== undefined && sequence <= last.sequence) return undefined;
    const { total } = last.counted.counts;
    this.#lostValues += counts.total >= total ? counts.total - total : counts.total;
    this.#keep(reading);
    return undefined;
  }

  /** A first state counts in full when its histogram began later. */
  #unknownUntilMs(): number {
    const { since, clock } = this.#settings;
    return since === 'now' ? findUnknownUntil(this.memory, clock) : Number.NEGATIVE_INFINITY;
  }

  #readingFor(facts: FamilyFacts, histogram: ScrapedHistogram): Reading {
    const nowMs = this.#settings.clock.nowMs();
    const [reading] = this.#maker.readings({ ...facts, histograms: [histogram] }, nowMs);
    return reading!;
  }

  /** Makes a reading the one that later ones are compared with. */
  #keep(reading: Reading): void {
    const { clock, maxStreams, forgetAfterMs } = this.#settings;
    const limits = { maxStreams, forgetAfterMs, epochs: 'side by side' } as const;
    keepReading(this.memory, reading, clock.monotonicMs(), limits);
  }

  /** A family keeps the unit that it began with. Where another one is stated, its readings are refused as `conflicting`. */
  #factsFor(name: string, stated: WrittenMetadata): FamilyFacts {
    const known = this.#families.get(name);
    const { help, unit } = this.#metadataFor(name, stated);
    const facts = { name, help, unit: chooseUnit({ name, unit }) };
    if (known !== undefined) {
      // Version 1 states units once a minute, perhaps after the first values.
      const isOther = unit !== '' && known.unit !== '' && facts.unit !== known.unit;
      return isOther ? { ...known, unit: facts.unit } : known;
    }
    if (this.#families.size < MOST_TYPES) this.#families.set(name, facts);
    return facts;
  }

  #refuse(refusals: WriteRefusals, name: string, { reason, problem }: WriteProblem, count = 1): void {
    this.#refused[reason] += count;
    noteRefusal(refusals, name, problem, count);
  }
}

/** Why something is refused. */
interface WriteProblem {
  readonly reason: WriteRefusalReason;
  /** A clause that follows the name. */
  readonly problem: string;
}

/** Whether a series has a time after another one. All times after it would be late for good. */
function isAfter({ samples, histograms }: WrittenSeries, latestMs: number): boolean {
  return (
    samples.some(({ timeMs }) => timeMs > latestMs) ||
    histograms.some(({ raw }) => raw.timestampMs! > latestMs)
  );
}

const AHEAD = 'has a time in the future, more than 10 minutes ahead';

const noRefusals = (): WriteRefusals => ({ refused: 0, problems: [] });

function noteRefusal(refusals: WriteRefusals, name: string, problem: string, count = 1): void {
  refusals.refused += count;
  if (refusals.problems.length < MOST_PROBLEMS) refusals.problems.push(`${name} ${problem}`);
}

const PLACE_PROBLEMS: Readonly<Record<'tooManyStreams' | 'tooManyParts', WriteProblem>> = {
  tooManyStreams: {
    reason: 'tooManyStreams',
    problem: 'belongs to a new histogram, and the limit of histograms (maxStreams) is reached',
  },
  tooManyParts: malformed(`belongs to a histogram of more than ${MOST_PARTS} buckets`),
};

const GAUGE = unsupported('is a gauge histogram: its counts may fall, so increases are unknown');

function problemIn({ details, message }: HdrscopeError): string {
  return `is refused: ${typeof details.problem === 'string' ? details.problem : message}`;
}

/** The problems of a request in one line. */
export function describeProblems({ refused, problems }: WriteRefusals): string {
  const more = refused > problems.length ? `${refused} in all: ` : '';
  return `${more}${listNames(problems, 3, '; ')}`;
}
