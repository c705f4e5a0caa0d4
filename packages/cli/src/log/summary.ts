import { formatDecimal } from '@hdrscope/core/internal';
import { type LogSummary, type Selection, summarizeLogs, type TagSummary } from '@hdrscope/interval-log';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { painter } from '../colour.ts';
import { type Io, Refusal, UsageError } from '../command.ts';
import { formatCount, formatTime, percentileTitle } from '../format.ts';
import { nameOfPath } from '../inputs/input-file.ts';
import { MalformedTally } from '../inputs/malformed-tally.ts';
import { isEpoch } from '../inputs/moment.ts';
import { type TextUnit, textUnitOption } from '../inputs/percentile-input.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { explainTagLimit } from '../inputs/tag-limit.ts';
import { LOG_PERCENTILES, percentilesOption, unitOption } from '../shared-options.ts';
import { type Column, formatMarkdown, formatTable } from '../table.ts';
import { scaled, type ValueScale, valueFormat } from '../value-scale.ts';
import { openLogs } from './input.ts';

interface Options extends SelectingOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly unit: ValueScale;
  readonly textUnit?: TextUnit;
  readonly percentiles: readonly number[];
}

const DESCRIPTION = `Counts, rates and percentiles of each tag, over one log or several together.

Times are seconds after the start of the first log. Malformed lines are left out and reported
on standard error; the exit code is 1 then.

Percentile text (.hgrm, its CSV, wrk2 --latency) is read as one interval without a tag and without a
time. A note on standard error says what such text does not contain.`;

/** The arguments of `hdrscope log summary`. */
export function parser(): Command {
  const command = createParser('hdrscope log summary', DESCRIPTION, [
    'hdrscope log summary service.hlog',
    'hdrscope log summary --unit us --percentiles 50,99,99.99 ycsb.hlog',
    'hdrscope log summary --tag get --from 10m --to 20m monday.hlog tuesday.hlog',
    'zcat service.hlog.gz | hdrscope log summary --json -',
  ])
    .argument('<file...>', 'logs, or percentile text; - is standard input')
    .option('--json', 'prints JSON')
    .option('--markdown', 'prints a table of Markdown')
    .addOption(unitOption())
    .addOption(textUnitOption())
    .addOption(percentilesOption(LOG_PERCENTILES));
  return addSelection(command);
}

/** `hdrscope log summary` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  if (options.json && options.markdown) throw new UsageError('--json and --markdown exclude each other');

  const selection = selectionOf(options);
  const { sources, texts, onBytes, finish } = await openLogs(operands, io, true, { ...options, selection });
  const log = texts.indexOf(undefined);
  if (log !== -1 && texts.some((text) => text !== undefined)) {
    throw new Refusal(
      `${nameOfPath(operands[log]!)} has times and percentile text has not: summarise them separately, or compare them`,
    );
  }
  const malformed = new MalformedTally();
  const summary = await summarizeLogs(sources, {
    ...selection,
    onBytes,
    onMalformed: malformed.add,
  })
    .catch(explainTagLimit)
    .finally(finish);
  if (options.json) await io.stdout.write(`${JSON.stringify(toJson(summary, options), undefined, 2)}\n`);
  else if (summary.tags.length === 0) await io.stderr.write(`hdrscope: ${nothing(selection)}\n`);
  else await io.stdout.write(formatSummary(summary, options, io));
  return malformed.report(io);
}

function nothing(selection: Selection): string {
  return Object.keys(selection).length === 0
    ? 'there are no intervals'
    : 'no interval is selected: leave out --tag, --no-tag, --from and --to to see all intervals';
}

function formatSummary(summary: LogSummary, { unit, percentiles, markdown }: Options, io: Io): string {
  const { startSec = 0, tags } = summary;
  const values = tags.map(({ histogram }) => [
    histogram.min,
    histogram.mean,
    ...histogram.valuesAtPercentiles(percentiles),
    histogram.max,
  ]);
  const format = valueFormat(values.flat(), unit);
  const seconds = (value: number): string => formatDecimal(value, 3);
  const rows = tags.map((row, at) => {
    const { tag, intervals, histogram } = row;
    const duration = row.endSec - row.startSec;
    return [
      tag ?? NO_TAG,
      formatCount(intervals),
      seconds(row.startSec - startSec),
      seconds(row.endSec - startSec),
      seconds(duration),
      formatCount(histogram.totalCount),
      rateOf(row) === undefined ? '-' : formatDecimal(rateOf(row) ?? 0, 1),
      ...values[at]!.map((value) => (histogram.totalCount === 0 ? '-' : format(value))),
    ];
  });
  const columns: Column[] = [
    { title: 'tag', isText: true },
    ...['intervals', 'from s', 'to s', 'length s', 'count', 'rate/s', 'min', 'mean'].map((title) => ({
      title,
    })),
    ...[...percentiles.map(percentileTitle), 'max'].map((title) => ({ title })),
  ];
  const start = isEpoch(startSec) ? `start ${formatTime(startSec)}` : 'the log has no start time';
  const head = unit.unit === '' ? start : `${start}, values in ${unit.unit}`;
  if (markdown) return `${head}\n\n${formatMarkdown(columns, rows).join('\n')}\n`;
  const paint = painter(io, io.stdout);
  const [titles = '', ...lines] = formatTable(columns, rows);
  return `${head}\n\n${[paint('bold', titles), ...lines].join('\n')}\n`;
}

const NO_TAG = '(no tag)';

/** Values per second; `undefined` when no time passed. */
function rateOf({ startSec, endSec, histogram }: TagSummary): number | undefined {
  return endSec > startSec ? histogram.totalCount / (endSec - startSec) : undefined;
}

function toJson({ startSec, tags }: LogSummary, { unit, percentiles }: Options): object {
  return {
    startSec: startSec ?? null,
    unit: unit.unit,
    tags: tags.map((row) => {
      const { histogram } = row;
      const isEmpty = histogram.totalCount === 0;
      const value = (raw: number): number | null => (isEmpty ? null : scaled(raw, unit));
      const found = histogram.valuesAtPercentiles(percentiles);
      return {
        tag: row.tag ?? null,
        intervals: row.intervals,
        startSec: row.startSec,
        endSec: row.endSec,
        count: histogram.totalCount,
        ratePerSec: rateOf(row) ?? null,
        min: value(histogram.min),
        mean: value(histogram.mean),
        percentiles: Object.fromEntries(percentiles.map((percentile, at) => [percentile, value(found[at]!)])),
        max: value(histogram.max),
      };
    }),
  };
}
