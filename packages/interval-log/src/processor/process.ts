import { HdrscopeError } from '@hdrscope/core';
import { percentileTextParts } from '@hdrscope/core/internal';
import { ownTag, TagLimits } from '../operations/totals.ts';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { Correction } from './correction.ts';
import { printable } from './figures.ts';
import { IntervalSum } from './interval-sum.ts';
import { IntervalTable } from './interval-table.ts';
import { intervalsBetween, type PlacedInterval } from './intervals.ts';
import type { ProcessorIo } from './io.ts';
import { type ProcessorOptions, type ProcessorSettings, settingsOf } from './options.ts';
import { type Outputs, openOutputs } from './outputs.ts';
import { formatLogStart, formatTags } from './rows.ts';
import { SkippedIntervals } from './skipped-intervals.ts';

/**
 * Writes what Java's `HistogramLogProcessor` writes about a log, byte for byte. Memory holds one interval, and the encoded
 * intervals of the moving window.
 *
 * At a malformed line the distribution of the lines above it is written, and then the error is thrown. Java takes a
 * malformed line for the end of the log. An error of a file is thrown unchanged.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range; `ERR_LOG_FORMAT` at a
 *   malformed line, and when the log has no interval to process; `ERR_TOO_LARGE` when a correction would add too many
 *   values, and when a list of tags would have more than 10,000.
 */
export async function processLog(options: ProcessorOptions, io: ProcessorIo): Promise<void> {
  const settings = settingsOf(options);
  const { inputPath } = settings;
  if (inputPath === undefined) return processSource(io.stdin, settings, io);
  const log = await io.files.openLog(inputPath);
  try {
    await processSource(log.source, settings, io);
  } finally {
    // The reader closes a log only if it has begun to read it.
    log.close();
  }
}

async function processSource(source: LogSource, settings: ProcessorSettings, io: ProcessorIo): Promise<void> {
  if (settings.listTags) {
    await io.stdout.write(formatTags(await tagsOf(source, settings)));
    return;
  }
  const outputs = await openOutputs(settings, io);
  try {
    await new ProcessorRun(settings, outputs, io).run(source);
  } finally {
    await outputs.close();
  }
}

async function tagsOf(source: LogSource, settings: ProcessorSettings): Promise<Set<string | undefined>> {
  const tags = new Set<string | undefined>();
  const limits = new TagLimits();
  for await (const { interval } of intervalsBetween(source, settings)) {
    if (tags.has(interval.tag)) continue;
    limits.addTag();
    tags.add(ownTag(interval.tag));
  }
  return tags;
}

/** One run of the processor. */
class ProcessorRun {
  readonly #settings: ProcessorSettings;
  readonly #outputs: Outputs;
  readonly #io: ProcessorIo;
  readonly #correction: Correction;
  readonly #sum: IntervalSum;
  readonly #table: IntervalTable | undefined;
  readonly #skipped = new SkippedIntervals();
  #hasWrittenStart = false;
  #hasWarned = false;

  constructor(settings: ProcessorSettings, outputs: Outputs, io: ProcessorIo) {
    this.#settings = settings;
    this.#outputs = outputs;
    this.#io = io;
    this.#correction = new Correction(settings.expectedInterval);
    this.#sum = new IntervalSum(this.#correction);
    const { intervals, window } = outputs;
    if (intervals !== undefined) {
      this.#table = new IntervalTable(settings, this.#correction, intervals, window);
    }
  }

  async run(source: LogSource): Promise<void> {
    let malformed: HdrscopeError | undefined;
    const onOutside = (interval: LogInterval): void => {
      if (this.#isWanted(interval)) this.#skipped.addOutsideRange(interval);
      else this.#skipped.addOtherTag();
    };
    try {
      for await (const placed of intervalsBetween(source, this.#settings, onOutside)) {
        if (this.#isWanted(placed.interval)) await this.#process(placed);
        else this.#skipped.addOtherTag();
      }
    } catch (error) {
      if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
      malformed = error;
    }
    await this.#writeDistribution();
    if (malformed !== undefined) throw malformed;
    if (this.#sum.total === undefined) throw this.#skipped.error(this.#settings);
  }

  #isWanted(interval: LogInterval): boolean {
    const { tag } = this.#settings;
    // Java loses the tag of an interval that it corrects, and then takes it for one without a tag.
    return tag === interval.tag || (tag === undefined && this.#correction.appliesTo(interval));
  }

  async #process({ interval, logStartSec }: PlacedInterval): Promise<void> {
    if (interval.tag !== this.#settings.tag) await this.#warnOfTags();
    if (this.#table === undefined) {
      this.#sum.addFast(interval);
      await this.#writeStart(logStartSec);
      return;
    }
    const histogram = this.#sum.add(interval);
    await this.#writeStart(logStartSec);
    await this.#table.add({ interval, logStartSec }, histogram, this.#sum.total!);
  }

  /** Writes the start of the log once, at the first interval of a log that starts at another time than 0. */
  async #writeStart(logStartSec: number): Promise<void> {
    if (this.#hasWrittenStart || logStartSec === 0) return;
    this.#hasWrittenStart = true;
    const line = formatLogStart(logStartSec, this.#io.timeZone);
    await this.#outputs.distribution.add(line);
    await this.#outputs.intervals?.add(line);
  }

  async #warnOfTags(): Promise<void> {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    await this.#io.stderr.write(
      'The correction counts intervals of all tags, as HdrHistogram does; -tag TAG counts intervals of one tag.\n',
    );
  }

  async #writeDistribution(): Promise<void> {
    const { total } = this.#sum;
    if (total === undefined) return;
    const { ticksPerHalfDistance, valueScale, csv } = this.#settings;
    const format = csv ? 'csv' : 'text';
    const parts = percentileTextParts(printable(total), { ticksPerHalfDistance, valueScale, format });
    for (const part of parts) await this.#outputs.distribution.add(part);
  }
}
