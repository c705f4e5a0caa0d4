import { HdrscopeError } from '@hdrscope/core';
import { visible } from '@hdrscope/core/internal';
import { isEpoch } from '@hdrscope/inputs/internal';
import {
  type FollowNote,
  followLog,
  type LogEntry,
  type LogInterval,
  readEntries,
} from '@hdrscope/interval-log';
import { followNoteText, selects } from '@hdrscope/interval-log/internal';
import { formatTime } from '@hdrscope/kit';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { columnsFor, columnsOption, type FigureColumn, figureCells, percentilesFor } from '../../figures.ts';
import { decimalText } from '../../format.ts';
import { SELECTION, selectionOf } from '../../inputs/selection-options.ts';
import { DURATION } from '../../moment.ts';
import { integer, logUnitOption, percentilesOption } from '../../options.ts';
import { lineLength, painter } from '../../screen/screen.ts';
import { rowBlock } from '../../screen/table.ts';
import { assertLog, openLogs } from './input.ts';
import { intervalFigures, ndjsonRow, type RowOptions } from './interval-rows.ts';

const DESCRIPTION = `Prints the percentiles of a log's last intervals, a line each, and with -f of new intervals.

With -f the file may be truncated, replaced by another (rotated), or missing at first. A line
counts when it is complete.`;

export const command = defineCommand({
  path: 'hdrscope log tail',
  description: DESCRIPTION,
  examples: [
    'hdrscope log tail -f service.hlog',
    'hdrscope log tail -f --json service.hlog',
    'hdrscope log tail -n 100 --tag get service.hlog',
    'ssh host cat service.hlog | hdrscope log tail -',
  ],
  operands: { '<file>': 'a log; - is standard input' },
  options: {
    follow: { short: '-f', help: 'goes on as the file grows, until Ctrl-C' },
    lines: {
      short: '-n',
      value: '<count>',
      help: 'how many of the intervals that the log already has',
      parse: integer(0),
      default: 10,
    },
    unit: logUnitOption(),
    columns: columnsOption('text'),
    percentiles: percentilesOption(),
    poll: { ...DURATION, help: 'with -f: how often the file is checked', default: 0.25, fallback: '250ms' },
    ...SELECTION,
  },
  formats: ['text', 'json'],
  formatNotes: 'json is a line for each interval, as log convert --format ndjson writes',
  async run({ options, operands: [path = '-'], format }, io) {
    const isFollowed = options.follow === true && path !== '-';
    if (isFollowed) await assertLog(path, io);
    const entries = isFollowed
      ? followLog(path, { signal: io.signal, pollMs: options.poll * 1000 })
      : await readOnce(path, io);
    const isSelected = selects(selectionOf(options));
    const printer = new Printer(options, format === 'json', io);
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
  },
});

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
  readonly #options: RowOptions;
  readonly #io: Io;
  readonly #isJson: boolean;
  readonly #columns: readonly FigureColumn[];
  #hasPrinted = false;

  constructor(options: RowOptions, isJson: boolean, io: Io) {
    this.#isJson = isJson;
    this.#options = { ...options, percentiles: percentilesFor(options, !this.#isJson) };
    this.#io = io;
    this.#columns = columnsFor(options, ['count']);
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
    const style = this.#style;
    if (!this.#hasPrinted && !this.#isJson && style !== undefined) {
      await stdout.write(`${painter(this.#io, stdout)('bold', this.#titles(interval, style))}\n`);
    }
    this.#hasPrinted = true;
    await stdout.write(row);
    return ExitCode.done;
  }

  /** The widest style that fits on the screen; `undefined` when none does. */
  get #style(): RowStyle | undefined {
    const columns = lineLength(this.#io);
    const cells = this.#columns.map(() => '');
    return [WIDE, NARROW].find(
      (style) => formatRow(['', '', ''], cells, this.#columns, style).length <= columns,
    );
  }

  #titles({ startSec }: LogInterval, style: RowStyle): string {
    const { unit } = this.#options.unit;
    const last = this.#columns.findLastIndex(({ text }) => text === undefined);
    const titles = this.#columns.map(({ title }, at) =>
      at === last && unit !== '' ? `${title} ${unit}` : title,
    );
    const start = isEpoch(startSec) ? 'start' : 'start s';
    return formatRow([start, 'length s', 'tag'], titles, this.#columns, style);
  }

  #row(interval: LogInterval): string {
    const { startSec, lengthSec, tag = '' } = interval;
    const decoded = { interval, histogram: interval.histogram() };
    if (this.#isJson) return ndjsonRow(decoded, this.#options);
    const figures = intervalFigures(decoded, this.#options);
    const [cells = []] = figureCells(this.#columns, [figures], this.#options.unit.unit);
    const start = isEpoch(startSec) ? formatTime(startSec) : decimalText(startSec, 3);
    const length = decimalText(lengthSec, 3);
    const columns = lineLength(this.#io);
    const style = this.#style;
    const line = style && formatRow([start, length, visible(tag)], cells, this.#columns, style);
    // A wide value may not fit where its column does.
    if (line !== undefined && line.length <= columns) return `${line}\n`;
    const titles = [{ title: '' }, { title: 'length s' }, ...this.#columns];
    return `${rowBlock(titles, [`${start} ${tag}`, length, ...cells], columns).join('\n')}\n`;
  }
}

/** The widths of columns, which are fixed because rows come one by one. */
interface RowStyle {
  /** Without the date on a narrow screen. */
  readonly start: number;
  /** 0 when lengths are left out. */
  readonly length: number;
  readonly tag: number;
  readonly count: number;
  readonly value: number;
}

const WIDE: RowStyle = { start: 27, length: 9, tag: 14, count: 11, value: 11 };
const NARROW: RowStyle = { start: 8, length: 0, tag: 8, count: 7, value: 10 };

function formatRow(
  [start = '', length = '', tag = '']: readonly string[],
  cells: readonly string[],
  columns: readonly FigureColumn[],
  style: RowStyle,
): string {
  const padded = cells.map((cell, at) =>
    cell.padStart(columns[at]!.text === undefined ? style.value : style.count),
  );
  const figures = [tag.padEnd(style.tag), ...padded].join(' ');
  if (style.length > 0) return `${start.padEnd(style.start)} ${length.padStart(style.length)}  ${figures}`;
  const [, time = start] = /^\S+ (\d+:\d+:\d+)/.exec(start) ?? [];
  return `${time.padEnd(style.start)} ${figures}`;
}
