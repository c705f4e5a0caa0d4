import { type Counted, HdrscopeError } from '@hdrscope/core';
import { wildcard } from '@hdrscope/kit';
import type { Attributes } from '../attributes.ts';
import type { Family } from '../family.ts';
import type { FamilyOptions } from '../family-options.ts';
import type { Registry } from '../registry.ts';
import { familyFor, inexactCount } from './family-for.ts';
import { type IngestHealth, type IngestTally, newTally, type ReadingRefusal } from './health.ts';
import { IngestMemory, type Life } from './memory.ts';
import type { CounterState, Reading } from './reading.ts';
import { isEmpty, type ReadingIncrease, readingIncrease, wholeReading } from './reading-increase.ts';
import { findUnknownUntil } from './remembered.ts';
import { seriesError } from './series-error.ts';
import type { IngestSettings } from './source.ts';

/** Adds the readings of a source to a registry. */
export class Intake {
  readonly tally: IngestTally = newTally();
  readonly memory: IngestMemory;
  readonly #registry: Registry;
  readonly #options: IngestSettings;
  readonly #drops: readonly { readonly family: RegExp; readonly keys: ReadonlySet<string> }[];
  /** By the options object that the readings of one family share. */
  readonly #families = new WeakMap<FamilyOptions, Family>();

  constructor(registry: Registry, options: IngestSettings) {
    this.#registry = registry;
    this.#options = options;
    this.memory = options.memory ?? new IngestMemory();
    this.memory.unknownUntilMs ??= options.clock.monotonicMs();
    this.#drops = Object.entries(options.dropAttributes ?? {}).map(([name, keys]) => ({
      family: wildcard(name),
      keys: new Set(keys),
    }));
  }

  health(): IngestHealth {
    const { tally, memory } = this;
    return Object.freeze({ ...tally, refused: { ...tally.refused }, streams: memory.size });
  }

  /**
   * See `Ingestion.take`.
   *
   * @param begin When their read began, by the clock of the options: nothing was counted in them before. @default now
   */
  take(readings: Iterable<Reading>, begin?: number): HdrscopeError[] {
    const { clock, since, isWhole, epochs } = this.#options;
    const { memory, tally } = this;
    const isFirstAnswer = since === 'now' && epochs !== 'side by side' && !memory.hasAnswered;
    const nowMs = clock.monotonicMs();
    const refusals: HdrscopeError[] = [];
    const readKeys = isWhole ? new Set<string>() : undefined;
    const newLivesBefore = tally.newLives;
    for (const reading of readings) {
      readKeys?.add(reading.key);
      try {
        this.#takeOne(reading, isFirstAnswer, nowMs, begin ?? nowMs);
        tally.readings++;
      } catch (error) {
        const { reason, cause } = refusalOf(error);
        tally.refused[reason]++;
        refusals.push(seriesError(reading, reason, cause));
      }
    }
    memory.hasAnswered = true;
    tally.reads++;
    if (readKeys !== undefined) this.#forgetAllBut(readKeys, tally.newLives > newLivesBefore);
    return refusals;
  }

  #takeOne(reading: Reading, isFirstAnswer: boolean, nowMs: number, beganMs: number): void {
    const { key, counter = {} } = reading;
    const { memory, tally } = this;
    const options = this.#options;
    const life = memory.lifeOf(key, counter.epoch ?? '');
    if (life !== undefined && this.#isRepeatedOrLate(counter, life)) return;
    if (!memory.hasRoomFor(key, nowMs, options)) {
      const message = `the stream is new, and the limit of ${memory.size} streams (maxStreams) is reached`;
      throw new Refusal('tooManyStreams', new HdrscopeError('ERR_TOO_LARGE', message));
    }
    const isNewLife = life === undefined && memory.has(key);
    let increase: ReadingIncrease;
    try {
      increase =
        life?.last === undefined
          ? wholeReading(reading)
          : readingIncrease(reading, life.last, options.resets, nowMs - life.seenMs);
    } catch (error) {
      // What a counter has counted that grew too fast is unknown: the next reading is compared with this one.
      if (counter.mostPerSecond !== undefined) memory.keep(reading, beganMs, options);
      throw error;
    }
    const isBaseline = isFirstAnswer || (life === undefined && this.#mayHaveCounted(counter));
    if (!isBaseline && !isEmpty(increase)) this.#add(reading, increase);
    // Not earlier: a reading that could not be added must count when it comes again.
    memory.keep(reading, beganMs, options);
    if (increase.isReset) tally.resets++;
    tally.uncertain += increase.uncertain ?? 0;
    if (isNewLife) tally.newLives++;
  }

  /** Whether the counts of a counter that is not known may have been counted before: it began too early, or nobody knows when. */
  #mayHaveCounted({ temporality, startTimeMs }: CounterState): boolean {
    const { since, clock, epochs } = this.#options;
    if (since !== 'now' || epochs !== 'side by side' || temporality === 'delta') return false;
    return startTimeMs === undefined || startTimeMs < findUnknownUntil(this.memory, clock);
  }

  #isRepeatedOrLate({ sequence, temporality }: CounterState, { sequences }: Life): boolean {
    if (sequence === undefined) return false;
    if (sequences.includes(sequence)) {
      this.tally.duplicates++;
      return true;
    }
    if (temporality === 'delta' || sequences.every((known) => known < sequence)) return false;
    this.tally.late++;
    return true;
  }

  #add({ family: options, attributes }: Reading, { counted, facts }: ReadingIncrease): void {
    const family = this.#familyFor(options, counted);
    const added = this.#options.attributes;
    const all = added === undefined ? attributes : { ...attributes, ...added };
    const series = family.with(this.#dropped(family.name, all));
    const { count, open, straddling } = series.addCounted(counted, facts);
    const { tally } = this;
    const values = counted.counts.total;
    tally.values += values;
    tally.open += open;
    tally.inexact += Math.min(inexactCount(family, counted, straddling), count);
    this.#options.observer?.added?.(values);
  }

  #familyFor(options: FamilyOptions, { layout }: Counted): Family {
    const known = this.#families.get(options);
    if (known !== undefined) return known;
    try {
      const family = familyFor(this.#registry, options, layout);
      this.#families.set(options, family);
      return family;
    } catch (error) {
      throw new Refusal('conflicting', error);
    }
  }

  /** The attributes that are left of those of a series. */
  #dropped(name: string, attributes: Attributes): Attributes {
    if (this.#drops.length === 0) return attributes;
    const drops = this.#drops.filter(({ family }) => family.test(name));
    return Object.fromEntries(
      Object.entries(attributes).filter(([key]) => !drops.some(({ keys }) => keys.has(key))),
    );
  }

  #forgetAllBut(keys: ReadonlySet<string>, isNewLife: boolean): void {
    for (const key of this.memory.keys()) {
      if (keys.has(key)) continue;
      this.memory.forget(key);
      // Keys that are missing in a new life ended with the life before it.
      if (!isNewLife) this.tally.evicted++;
    }
  }
}

/** Adds the reason to the error that made a reading impossible to take. */
class Refusal extends Error {
  readonly reason: ReadingRefusal;

  constructor(reason: ReadingRefusal, cause: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

function refusalOf(error: unknown): Pick<Refusal, 'reason' | 'cause'> {
  if (error instanceof Refusal) return error;
  const isOverflow = error instanceof HdrscopeError && error.code === 'ERR_COUNT_OVERFLOW';
  return { reason: isOverflow ? 'countTooLarge' : 'malformed', cause: error };
}
