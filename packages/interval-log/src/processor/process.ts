import { HdrscopeError, percentileTextParts } from '@hdrscope/core';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { Correction } from './correction.ts';
import { printable } from './figures.ts';
import { intervalsBetween, type PlacedInterval } from './intervals.ts';
import type { ProcessorIo } from './io.ts';
import { type ProcessorOptions, type ProcessorSettings, settle } from './options.ts';
import { type Outputs, openOutputs } from './outputs.ts';
import { formatLogStart, formatTags } from './rows.ts';
import { Summing } from './summing.ts';
import { Table } from './table.ts';

/**
 * Makes of a log what Java's `HistogramLogProcessor` makes of it, byte for byte. Memory holds one interval, and those of
 * the moving window encoded.
 *
 * Where a line is malformed, the distribution of what stands above it is written, as Java does it where it takes such a
 * line for the end of the log; then the error is thrown.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_LOG_FORMAT` at a malformed line, and when there is no interval to
 *   process; `ERR_TOO_LARGE` when a correction would add too many values. An error of a file as it is.
 */
export async function processLog(options: ProcessorOptions, io: ProcessorIo): Promise<void> {
  const settings = settle(options);
  const { inputPath } = settings;
  if (inputPath === undefined) return processSource(io.stdin, settings, io);
  const log = await io.files.openLog(inputPath);
  try {
    await processSource(log.source, settings, io);
  } finally {
    // Nothing may have been read of it, and then nobody else closes it.
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
    await new Processing(settings, outputs, io).run(source);
  } finally {
    await outputs.close();
  }
}

async function tagsOf(source: LogSource, settings: ProcessorSettings): Promise<Set<string | undefined>> {
  const tags = new Set<string | undefined>();
  for await (const { interval } of intervalsBetween(source, settings)) tags.add(interval.tag);
  return tags;
}

/** One log on its way to its outputs. */
class Processing {
  readonly #settings: ProcessorSettings;
  readonly #outputs: Outputs;
  readonly #io: ProcessorIo;
  readonly #correction: Correction;
  readonly #summing: Summing;
  readonly #table: Table | undefined;
  #isStartTold = false;
  #hasWarned = false;

  constructor(settings: ProcessorSettings, outputs: Outputs, io: ProcessorIo) {
    this.#settings = settings;
    this.#outputs = outputs;
    this.#io = io;
    this.#correction = new Correction(settings.expectedInterval);
    this.#summing = new Summing(this.#correction);
    const { intervals, window } = outputs;
    if (intervals !== undefined) this.#table = new Table(settings, this.#correction, intervals, window);
  }

  async run(source: LogSource): Promise<void> {
    let malformed: HdrscopeError | undefined;
    try {
      for await (const placed of intervalsBetween(source, this.#settings)) {
        if (this.#isWanted(placed.interval)) await this.#process(placed);
      }
    } catch (error) {
      if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
      malformed = error;
    }
    await this.#writeDistribution();
    if (malformed !== undefined) throw malformed;
    if (this.#summing.total === undefined) throw this.#nothingFound();
  }

  #isWanted(interval: LogInterval): boolean {
    const { tag } = this.#settings;
    // To Java, which loses the tag of what it corrects, that is an interval without one.
    return tag === interval.tag || (tag === undefined && this.#correction.appliesTo(interval));
  }

  async #process({ interval, logStartSec }: PlacedInterval): Promise<void> {
    if (interval.tag !== this.#settings.tag) await this.#warnOfTags();
    if (this.#table === undefined) {
      this.#summing.addUnseen(interval);
      await this.#tellStart(logStartSec);
      return;
    }
    const histogram = this.#summing.add(interval);
    await this.#tellStart(logStartSec);
    await this.#table.add({ interval, logStartSec }, histogram, this.#summing.total!);
  }

  /** At the first interval before which a start other than 0 was told. */
  async #tellStart(logStartSec: number): Promise<void> {
    if (this.#isStartTold || logStartSec === 0) return;
    this.#isStartTold = true;
    const line = formatLogStart(logStartSec, this.#io.timeZone);
    await this.#outputs.distribution.add(line);
    await this.#outputs.intervals?.add(line);
  }

  async #warnOfTags(): Promise<void> {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    await this.#io.stderr.write(
      'Intervals of all tags are counted, as HdrHistogram does it where it corrects; -tag TAG counts those of one.\n',
    );
  }

  async #writeDistribution(): Promise<void> {
    const { total } = this.#summing;
    if (total === undefined) return;
    const { ticksPerHalfDistance, valueScale, csv } = this.#settings;
    const format = csv ? 'csv' : 'text';
    const parts = percentileTextParts(printable(total), { ticksPerHalfDistance, valueScale, format });
    for (const part of parts) await this.#outputs.distribution.add(part);
  }

  #nothingFound(): HdrscopeError {
    const { tag, startSec, endSec } = this.#settings;
    const tagged = tag === undefined ? 'without a tag' : `with the tag ${JSON.stringify(tag)}`;
    const until = endSec < Number.MAX_VALUE ? `${endSec} s` : 'its end';
    return new HdrscopeError(
      'ERR_LOG_FORMAT',
      `there is no interval ${tagged} from ${startSec} s after the start of the log to ${until}: -listtags tells the tags`,
    );
  }
}
