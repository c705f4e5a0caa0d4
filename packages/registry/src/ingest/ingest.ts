import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import type { Attributes } from '../attributes.ts';
import { systemClock } from '../clock.ts';
import type { Family } from '../family.ts';
import type { FamilyOptions } from '../family-options.ts';
import { joinedError } from '../problems.ts';
import type { Registry } from '../registry.ts';
import { familyFor, keepsApart } from './family-for.ts';
import { type IngestTally, newTally, type ReadingRefusal } from './health.ts';
import { IngestMemory } from './memory.ts';
import type { Reading } from './reading.ts';
import { seriesError } from './series-error.ts';
import type { Ingestion, IngestOptions, ReadableSource } from './source.ts';
import { isNothing, type Step, stepSince, wholeOf } from './step.ts';

/**
 * Brings what a source counts into a registry: the one way in. A source with `read` is read whenever the registry is gathered, one read at a
 * time; readings that come by themselves go to `take`. Series only ever grow: what is new in a reading is added as counts, and restarts,
 * resets, repeats and readings that come late add nothing twice.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts
 * import { countedIn, explicitLayout } from '@hdrscope/core';
 * import { createRegistry, ingest } from '@hdrscope/registry';
 *
 * const layout = explicitLayout([0.1, 0.5]);
 * let counts = [7, 2, 0]; // what somebody else counts, and shows as a whole
 * const read = () => [
 *   { key: 'job', family: { name: 'job.duration', unit: 's' }, attributes: {}, counted: countedIn(layout, counts) },
 * ];
 * const registry = createRegistry();
 * const jobs = ingest(registry, { name: 'jobs', read });
 * await registry.gather();
 * counts = [1, 0, 0]; // it was started again
 * const [family] = (await registry.gather()).families;
 * family!.series[0]!.histogram.totalCount; //=> 10
 * [jobs.health.resets, family!.boundaries]; //=> [1, [0.1, 0.5]]
 * await jobs.close();
 * ```
 */
export function ingest(registry: Registry, source: ReadableSource, options: IngestOptions = {}): Ingestion {
  const intake = new Intake(registry, options);
  const { observer, timeoutMs, sourceName: name = source.name } = options;
  let running: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      const problems = intake.take(await source.read!());
      if (problems.length > 0) throw joinedError(problems);
      observer?.succeeded?.();
    } catch (error) {
      intake.tally.readErrors++;
      observer?.failed?.(error);
      throw error;
    }
  };
  // One at a time: answers that overtake each other would look like counters that began anew.
  const collect = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
  const isRead = source.read !== undefined;
  const remove = isRead
    ? registry.add({ name, collect }, timeoutMs === undefined ? {} : { timeoutMs })
    : () => {};
  return {
    get health() {
      return Object.freeze({
        ...intake.tally,
        refused: { ...intake.tally.refused },
        streams: intake.memory.size,
      });
    },
    memory: intake.memory,
    take: (readings) => intake.take(readings),
    async close() {
      remove();
      await running?.catch(() => {});
      await source.close?.();
    },
  };
}

/** Adds readings to a registry. */
class Intake {
  readonly tally: IngestTally = newTally();
  readonly memory: IngestMemory;
  readonly #registry: Registry;
  readonly #options: IngestOptions;
  /** By the options that readings of one family share. */
  readonly #families = new WeakMap<FamilyOptions, Family>();

  constructor(registry: Registry, options: IngestOptions) {
    const { since = 'beginning' } = options;
    if (since !== 'beginning' && since !== 'now') {
      throw mustBe('ERR_INVALID_OPTION', 'since', "'beginning' or 'now'", since);
    }
    this.#registry = registry;
    this.#options = options;
    this.memory = options.memory ?? new IngestMemory();
  }

  take(readings: Iterable<Reading>): HdrscopeError[] {
    const { clock = systemClock, since, isWhole = false } = this.#options;
    const { memory, tally } = this;
    const isBaseline = since === 'now' && !memory.hasAnswered;
    const nowMs = clock.monotonicMs();
    const problems: HdrscopeError[] = [];
    const seen = new Set<string>();
    const livesBefore = tally.newLives;
    for (const reading of readings) {
      if (isWhole) seen.add(reading.key);
      try {
        this.#takeOne(reading, isBaseline, nowMs);
        tally.readings++;
      } catch (error) {
        const problem = refusalOf(reading, error);
        tally.refused[problem.details.reason as ReadingRefusal]++;
        problems.push(problem);
      }
    }
    memory.hasAnswered = true;
    tally.reads++;
    if (isWhole) this.#forgetOthers(seen, tally.newLives > livesBefore);
    return problems;
  }

  #takeOne(reading: Reading, isBaseline: boolean, nowMs: number): void {
    const { key, counter = {} } = reading;
    const { memory, tally } = this;
    const { epoch = '', sequence, temporality } = counter;
    const { life, isNewLife } = memory.find(key, epoch);
    if (life !== undefined && sequence !== undefined) {
      if (life.sequences.includes(sequence)) {
        tally.duplicates++;
        return;
      }
      if (temporality !== 'delta' && life.sequences.some((known) => sequence < known)) {
        tally.late++;
        return;
      }
    }
    if (!memory.hasRoomFor(key, nowMs, this.#options)) {
      const message = `the stream is new, and the limit of ${memory.size} streams (maxStreams) is reached`;
      throw new Refused('tooManyStreams', new HdrscopeError('ERR_TOO_LARGE', message));
    }
    const step =
      life?.last === undefined
        ? wholeOf(reading)
        : stepSince(life.last, reading, this.#options.resets ?? 'together');
    if (!isBaseline && !isNothing(step)) this.#add(reading, step);
    // Only now: what could not be added is still to be added.
    memory.keep(reading, nowMs, this.#options);
    if (step.isReset) tally.resets++;
    if (isNewLife) tally.newLives++;
  }

  #add({ family: options, attributes }: Reading, { counted, facts }: Step): void {
    const family = this.#familyFor(options, counted);
    const all: Attributes = { ...attributes, ...this.#options.attributes };
    const { count, open } = family.with(all).add(counted, facts);
    const { tally } = this;
    tally.values += counted.counts.total;
    tally.open += open;
    if (!keepsApart(family, counted.layout)) tally.inexact += count;
    this.#options.observer?.added?.(counted.counts.total);
  }

  #familyFor(options: FamilyOptions, { layout }: Step['counted']): Family {
    const known = this.#families.get(options);
    if (known !== undefined) return known;
    try {
      const family = familyFor(this.#registry, options, layout);
      this.#families.set(options, family);
      return family;
    } catch (error) {
      throw new Refused('conflicting', error);
    }
  }

  #forgetOthers(seen: ReadonlySet<string>, isNewLife: boolean): void {
    for (const key of this.memory.keys()) {
      if (seen.has(key)) continue;
      this.memory.forget(key);
      // What belonged to a life that has ended has gone with it.
      if (!isNewLife) this.tally.evicted++;
    }
  }
}

/** A reading that cannot be taken. */
class Refused extends Error {
  readonly reason: ReadingRefusal;

  constructor(reason: ReadingRefusal, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.reason = reason;
  }
}

function refusalOf(reading: Reading, error: unknown): HdrscopeError {
  const cause = error instanceof Refused ? error.cause : error;
  const isOverflow = cause instanceof HdrscopeError && cause.code === 'ERR_COUNT_OVERFLOW';
  const reason = error instanceof Refused ? error.reason : isOverflow ? 'countTooLarge' : 'malformed';
  return seriesError(reading, reason, cause, error as Error);
}
