import { type Figures, figuresJson, figuresOfSum, isEpoch, rateOf, scaled } from '@hdrscope/inputs/internal';
import type { LogSummary, Selection } from '@hdrscope/interval-log';
import { summarizeDividedLogs, type TagSummary } from '@hdrscope/interval-log/internal';
import { formatCount, formatTime } from '@hdrscope/kit';
import { type Io, Refusal } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { columnsFor, columnsOption, figureCells, jsonDocument, percentilesFor } from '../../figures.ts';
import { decimalText } from '../../format.ts';
import { nameOfPath } from '../../inputs/input.ts';
import { MalformedTally } from '../../inputs/line-tally.ts';
import { textUnitOption } from '../../inputs/percentile-input.ts';
import { explainTagLimit, SELECTION, selectionOf } from '../../inputs/selection-options.ts';
import { logUnitOption, percentilesOption } from '../../options.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { type Column, formatMarkdown, shownTable } from '../../screen/table.ts';
import { openLogs } from './input.ts';
import { NO_TAG, type RowOptions } from './interval-rows.ts';

const DESCRIPTION = `Counts, rates and percentiles of each tag, over one log or several together.

Times are seconds after the start of the first log. Malformed lines are left out and reported
on standard error; the exit code is 1 then.

Percentile text (.hgrm, its CSV, wrk2 --latency) is read as one interval without a tag and without a
time. A note on standard error says what such text does not contain.`;

export const command = defineCommand({
  path: 'hdrscope log summary',
  description: DESCRIPTION,
  examples: [
    'hdrscope log summary service.hlog',
    'hdrscope log summary --unit us --percentiles 50,99,99.99 ycsb.hlog',
    'hdrscope log summary --tag get --since 10m --until 20m monday.hlog tuesday.hlog',
    'zcat service.hlog.gz | hdrscope log summary --json -',
  ],
  operands: { '<file...>': 'logs, or percentile text; - is standard input' },
  options: {
    unit: logUnitOption(),
    textUnit: textUnitOption(),
    percentiles: percentilesOption(),
    columns: columnsOption('text and markdown'),
    ...SELECTION,
  },
  formats: ['text', 'markdown', 'json'],
  output: 'when done',
  async run({ options, operands, format }, io) {
    const percentiles = percentilesFor(options, format !== 'json');
    const selection = selectionOf(options);
    const { sources, texts, onBytes, finish } = await openLogs(operands, io, true, {
      text: { ...options, selection },
    });
    const log = texts.indexOf(undefined);
    if (log !== -1 && texts.some((text) => text !== undefined)) {
      throw new Refusal(
        `${nameOfPath(operands[log]!)} has times, and percentile text has no times: summarise them separately, or compare them`,
      );
    }
    const malformed = new MalformedTally();
    const asked = { ...selection, onBytes, onMalformed: malformed.add };
    const summary = await summarizeDividedLogs(sources, asked, io.divideLog)
      .catch(explainTagLimit)
      .finally(finish);
    if (format === 'json') await io.stdout.write(jsonDocument(toJson(summary, options)));
    else if (summary.tags.length === 0) await io.stderr.write(`hdrscope: ${nothing(selection)}\n`);
    else await io.stdout.write(formatSummary(summary, { ...options, percentiles }, format, io));
    return malformed.report(io);
  },
});

function nothing(selection: Selection): string {
  return Object.keys(selection).length === 0
    ? 'there are no intervals'
    : 'no interval is selected: leave out --tag, --no-tag, --since and --until to see all intervals';
}

function formatSummary(
  summary: LogSummary,
  options: RowOptions,
  format: 'text' | 'markdown',
  io: Io,
): string {
  const { unit } = options;
  const { startSec = 0, tags } = summary;
  const figures = tags.map((row) => tagFigures(row, options));
  const shown = columnsFor(options, ['count', 'rate', 'min', 'mean']);
  const cells = figureCells(shown, figures, unit.unit);
  const seconds = (value: number): string => decimalText(value, 3);
  const spans = options.columns === undefined ? SPANS : [];
  const rows = tags.map(({ tag, intervals, startSec: from, endSec: to }, at) => [
    tag ?? NO_TAG,
    ...[formatCount(intervals), ...[from - startSec, to - startSec, to - from].map(seconds)].slice(
      0,
      spans.length,
    ),
    ...cells[at]!,
  ]);
  const columns: Column[] = [{ title: 'tag', isText: true }, ...spans, ...shown];
  const start = isEpoch(startSec) ? `start ${formatTime(startSec)}` : 'the log has no start time';
  const headText = unit.unit === '' ? start : `${start}, values in ${unit.unit}`;
  const head = format === 'markdown' ? headText : wrapToScreen(headText, io);
  if (format === 'markdown') return `${head}\n\n${formatMarkdown(columns, rows).join('\n')}\n`;
  return `${head}\n\n${shownTable(columns, rows, io).join('\n')}\n`;
}

/** The columns of the intervals that a tag has, which `--columns` leaves out. */
const SPANS: readonly Column[] = [
  { title: 'intervals', spare: 4 },
  { title: 'from s', spare: 7 },
  { title: 'to s', spare: 6 },
  { title: 'length s', spare: 5 },
];

function tagFigures(summary: TagSummary, options: RowOptions): Figures {
  const { tag: name = NO_TAG, sum, startSec, endSec } = summary;
  const { unit, percentiles } = options;
  const shown = (value: number): number => scaled(value, unit);
  const shownAs = { name, unit: unit.unit, percentiles, shown, seconds: endSec - startSec };
  return figuresOfSum(sum, summary.histogram, shownAs);
}

function toJson({ startSec, tags }: LogSummary, options: RowOptions): object {
  return {
    startSec: startSec ?? null,
    tags: tags.map((row) => {
      const figures = tagFigures(row, options);
      return {
        ...figuresJson(figures),
        tag: row.tag ?? null,
        intervals: row.intervals,
        startSec: row.startSec,
        endSec: row.endSec,
        ratePerSec: rateOf(figures) ?? null,
      };
    }),
  };
}
