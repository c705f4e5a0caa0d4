import { HdrscopeError } from '@hdrscope/core';
import { formatDecimal, visible } from '@hdrscope/core/internal';
import {
  type FollowNote,
  followLog,
  type LogEntry,
  type LogInterval,
  readEntries,
  selects,
} from '@hdrscope/interval-log';
import { type Command, Option } from 'commander';
import { type Arguments, createParser, integerParser } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { formatCount, formatTime, percentileTitle } from '../format.ts';
import { isEpoch } from '../inputs/moment.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { LOG_PERCENTILES, percentilesOption, unitOption } from '../shared-options.ts';
import { type ValueScale, valueFormat } from '../value-scale.ts';
import { followNoteText } from './follow-note.ts';
import { assertLog, openLogs } from './input.ts';
import { ndjsonRow } from './interval-rows.ts';

const DESCRIPTION = `Prints the percentiles of a log's last intervals, a line each, and with -f of new intervals.

With -f the file may be truncated, replaced by another (rotated), or missing at first. A line
counts when it is complete.`;

interface Options extends SelectingOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly unit: ValueScale;
  readonly percentiles: readonly number[];
  readonly poll: number;
  readonly json?: boolean;
}

/** The arguments of `hdrscope log tail`. */
export function parser(): Command {
  const command = createParser('hdrscope log tail', DESCRIPTION, [
    'hdrscope log tail -f service.hlog',
    'hdrscope log tail -f --json service.hlog',
    'hdrscope log tail -n 100 --tag get service.hlog',
    'ssh host cat service.hlog | hdrscope log tail -',
  ])
    .argument('<file>', 'a log; - is standard input')
    .option('-f, --follow', 'goes on as the file grows, until Ctrl-C')
    .option(
      '-n, --lines <count>',
      'how many of the intervals that the log already has',
      integerParser('--lines', 0),
      10,
    )
    .addOption(unitOption())
    .addOption(percentilesOption(LOG_PERCENTILES))
    .option('--json', 'prints a line of JSON for each interval, as hdrscope log convert --to ndjson')
    .addOption(
      new Option('--poll <duration>', 'with -f: how often the file is checked')
        .argParser((text) => parseDuration(text, '--poll'))
        .default(0.25, '250ms'),
    );
  return addSelection(command);
}

/** `hdrscope log tail` */
export async function run({ options, operands: [path = '-'] }: Arguments<Options>, io: Io): Promise<number> {
  const isFollowed = options.follow === true && path !== '-';
  if (isFollowed) await assertLog(path, io);
  const entries = isFollowed
    ? followLog(path, { signal: io.signal, pollMs: options.poll * 1000 })
    : await readOnce(path, io);
  const isSelected = selects(selectionOf(options));
  const printer = new Printer(options, io);
  const last: LogInterval[] = [];
  let exitCode: number = ExitCode.done;
  let hasCaughtUp = false;
  for await (const entry of entries) {
    io.signal.throwIfAborted();
    if (entry.kind === 'interval') {
      if (!isSelected(entry)) continue;
      if (hasCaughtUp) exitCode = Math.max(exitCode, await printer.print(entry));
      else if (last.push(entry) > options.lines) last.shift();
    } else if (entry.kind === 'caught-up') {
      hasCaughtUp = true;
      for (const interval of last.splice(0)) exitCode = Math.max(exitCode, await printer.print(interval));
    } else if (entry.kind === 'malformed') {
      exitCode = ExitCode.refused;
      await io.stderr.write(`hdrscope: ${entry.error.message}\n`);
    } else {
      const note = followNoteText(entry, path);
      if (note !== undefined) await io.stderr.write(`hdrscope: ${note}\n`);
    }
  }
  if (!isFollowed && !printer.hasPrinted && exitCode === ExitCode.done) {
    await io.stderr.write('hdrscope: no interval is selected\n');
  }
  return exitCode;
}

async function* caughtUpAtEnd(entries: AsyncIterable<LogEntry>): AsyncGenerator<LogEntry | FollowNote, void> {
  yield* entries;
  yield { kind: 'caught-up' };
}

async function readOnce(path: string, io: Io): Promise<AsyncIterable<LogEntry | FollowNote>> {
  const {
    sources: [source],
    onBytes,
  } = await openLogs([path], io, false);
  return caughtUpAtEnd(readEntries(source!, { onBytes }));
}

/** Prints intervals as they come, in columns of fixed width. */
class Printer {
  readonly #options: Options;
  readonly #io: Io;
  #hasPrinted = false;

  constructor(options: Options, io: Io) {
    this.#options = options;
    this.#io = io;
  }

  get hasPrinted(): boolean {
    return this.#hasPrinted;
  }

  /** @returns `ExitCode.refused` when a line was left out. */
  async print(interval: LogInterval): Promise<number> {
    const { stdout, stderr } = this.#io;
    let row: string;
    try {
      row = this.#row(interval);
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      await stderr.write(`hdrscope: ${error.message}\n`);
      return ExitCode.refused;
    }
    if (!this.#hasPrinted && this.#options.json !== true) {
      const { unit, percentiles } = this.#options;
      const titles = [...percentiles.map(percentileTitle), unit.unit === '' ? 'max' : `max ${unit.unit}`];
      const time = isEpoch(interval.startSec) ? 'start' : 'start s';
      const line = formatRow(time, 'length s', 'tag', 'count', titles);
      await stdout.write(`${painter(this.#io, stdout)('bold', line)}\n`);
    }
    this.#hasPrinted = true;
    await stdout.write(row);
    return ExitCode.done;
  }

  #row(interval: LogInterval): string {
    const { unit, percentiles } = this.#options;
    const { startSec, lengthSec, tag = '' } = interval;
    const histogram = interval.histogram();
    if (this.#options.json === true) return ndjsonRow({ interval, histogram }, this.#options);
    const found = [...histogram.valuesAtPercentiles(percentiles), histogram.max];
    const isEmpty = histogram.totalCount === 0;
    const format = valueFormat(found, unit);
    return `${formatRow(
      isEpoch(startSec) ? formatTime(startSec) : formatDecimal(startSec, 3),
      formatDecimal(lengthSec, 3),
      visible(tag),
      formatCount(histogram.totalCount),
      found.map((value) => (isEmpty ? '-' : format(value))),
    )}\n`;
  }
}

function formatRow(
  time: string,
  length: string,
  tag: string,
  count: string,
  values: readonly string[],
): string {
  const cells = values.map((value) => ` ${value.padStart(11)}`).join('');
  return `${time.padEnd(27)} ${length.padStart(9)}  ${tag.padEnd(14)} ${count.padStart(11)}${cells}`;
}
