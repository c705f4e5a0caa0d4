import { Slices } from '@hdrscope/kit';
import type { LogSource } from '../reader/input.ts';
import { LogParser } from '../reader/parser.ts';
import { pause, readBatches, reportMalformed } from '../reader/read.ts';
import { createSelector } from '../reader/selection.ts';
import type { KnownTimes } from '../reader/time.ts';
import { type LogPart, type PartQuestion, placeMalformed } from './part.ts';
import { readSummarySettings, type SummarizeOptions, type SummarySettings } from './summarize.ts';
import { type LogSummary, TagTotals } from './tag-totals.ts';

/** A log in parts, which other threads may summarise. */
export interface LogDivision {
  /** The parts in their order. All but the first begin after a `\n`, and with characters of ASCII. */
  readonly parts: readonly LogSource[];
  /** Lets other threads begin, with the last part. It is called once, when the times of the log are known. */
  begin(question: PartQuestion): void;
  /** What another thread has found in a part; `undefined` at once when none has begun with it, and none will. */
  take(part: number): Promise<LogPart | undefined>;
  /** Ends the work of other threads. */
  close(): void;
}

/** Divides a log; `undefined` when one thread reads it alone. */
export type DivideLog = (source: LogSource) => Promise<LogDivision | undefined>;

/**
 * Summarises logs as `summarizeLogs` does, and lets other threads summarise parts of them. The result is the same: a part of which that is not
 * sure is read here, after all that stands above it.
 *
 * @param divide `undefined` when there are no other threads.
 * @throws HdrscopeError as `summarizeLogs`.
 */
export async function summarizeDividedLogs(
  sources: Iterable<LogSource>,
  options: SummarizeOptions,
  divide: DivideLog | undefined,
): Promise<LogSummary> {
  const settings = readSummarySettings(sources, options);
  const totals = new TagTotals(settings.maxTags);
  for (const source of sources) {
    const division = (await divide?.(source)) ?? keepWhole(source);
    try {
      await new DividedReading(source, settings, totals).read(division);
    } finally {
      division.close();
    }
  }
  return totals.toSummary();
}

function keepWhole(source: LogSource): LogDivision {
  return { parts: [source], begin: () => {}, take: async () => undefined, close: () => {} };
}

class DividedReading {
  readonly #source: LogSource;
  readonly #settings: SummarySettings;
  readonly #totals: TagTotals;
  readonly #parser: LogParser;
  readonly #slices = new Slices();
  /** The times with which other threads have begun. */
  #known: KnownTimes | undefined;

  constructor(source: LogSource, settings: SummarySettings, totals: TagTotals) {
    this.#source = source;
    this.#settings = settings;
    this.#totals = totals;
    this.#parser = new LogParser(settings);
  }

  async read(division: LogDivision): Promise<void> {
    for (const [at, part] of division.parts.entries()) {
      const found = this.#areTimesKnown() ? await division.take(at) : undefined;
      if (found === undefined || !this.#takePart(found)) await this.#readPart(part, division);
    }
  }

  /** Whether other threads know the times as they are here. A later line may have stated others. */
  #areTimesKnown(): boolean {
    const { startSec, baseSec } = this.#parser.times;
    return this.#known?.startSec === startSec && this.#known?.baseSec === baseSec;
  }

  #takePart(part: LogPart): boolean {
    const linesAbove = this.#parser.lineCount;
    if (!this.#totals.takes(part) || !this.#parser.skip(part)) return false;
    for (const line of placeMalformed(part, linesAbove)) reportMalformed(this.#settings, line, this.#source);
    this.#totals.addPart(part);
    return true;
  }

  async #readPart(part: LogSource, division: LogDivision): Promise<void> {
    const isSelected = createSelector(this.#settings);
    for await (const entries of readBatches(part, this.#settings, this.#parser)) {
      for (const entry of entries) {
        if (entry?.kind === 'malformed') reportMalformed(this.#settings, entry, this.#source);
        else if (entry?.kind === 'interval') {
          if (this.#known === undefined) this.#begin(division);
          if (isSelected(entry)) this.#totals.add(entry, this.#source, this.#settings);
        }
        if (this.#slices.isOver()) await pause(this.#slices, this.#settings);
      }
    }
  }

  #begin(division: LogDivision): void {
    const { time, maxLineBytes, maxMalformed, maxTags, tags, since, until } = this.#settings;
    this.#known = this.#parser.times;
    const limits = { maxLineBytes, maxMalformed, maxTags };
    const selection = { tags: tags && [...tags], since, until };
    division.begin({ known: this.#known, time, ...limits, ...selection });
  }
}
