import { formatPercentiles } from '@hdrscope/core';
import { convertToV2, type LogSource, type Selection, sumLogs } from '@hdrscope/interval-log';
import { decodeIntervals, type OperationOptions } from '@hdrscope/interval-log/internal';
import { Refusal } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { columnsFor, columnsOption, percentilesFor } from '../../figures.ts';
import { textUnitOption } from '../../inputs/percentile-input.ts';
import { selectionOf, TAGS } from '../../inputs/selection-options.ts';
import { logUnitOption, percentilesOption } from '../../options.ts';
import { runLines } from './input.ts';
import { csvHeader, csvRow, ndjsonRow, type RowOptions } from './interval-rows.ts';

const FORMATS = ['v2', 'ndjson', 'csv', 'hgrm'] as const;
type Format = (typeof FORMATS)[number];

const DESCRIPTION = `Writes a log in another format:

  v2      the same log with every histogram in the V2 encoding, which all HdrHistograms read
  ndjson  a line of JSON per interval: times, tag, count, percentiles, and the encoded histogram
  csv     the same as a table
  hgrm    the percentile distribution of all intervals together, for plotters of HdrHistogram's text

Percentile text (.hgrm, its CSV, wrk2 --latency) becomes one interval without a tag. It has no time,
so its start and its length are written as 0.`;

export const command = defineCommand({
  path: 'hdrscope log convert',
  description: DESCRIPTION,
  examples: [
    'hdrscope log convert --format v2 old.hlog -o new.hlog',
    'hdrscope log convert --format csv --tag get service.hlog > get.csv',
    'hdrscope log convert service.hlog -o service.hgrm',
    'hdrscope log convert --format v2 --unit us wrk2-report.txt -o wrk2.hlog',
  ],
  operands: { '<file>': 'a log, or percentile text; - is standard input' },
  options: {
    unit: logUnitOption('not needed for v2 of a log; '),
    textUnit: textUnitOption(),
    percentiles: percentilesOption('for ndjson and csv: '),
    columns: columnsOption('csv'),
    ...TAGS,
  },
  formats: FORMATS,
  isFormatRequired: true,
  output: 'by command',
  async run({ options, operands, format }, io) {
    const { unit, textUnit } = options;
    const rows = { ...options, percentiles: percentilesFor(options, format === 'csv') };
    const selection = selectionOf(options);
    return runLines(
      operands,
      options.output,
      io,
      ([source], reading) => CONVERSIONS[format](source!, { ...selection, ...reading }, rows),
      {
        text: {
          ...{ unit, selection, ...(textUnit && { textUnit }) },
          ...(format !== 'hgrm' && { timeNote: TIME_NOTE }),
        },
      },
    );
  },
});

const TIME_NOTE = 'it has no time: the start and the length of its interval are written as 0';

type Conversion = (
  source: LogSource,
  reading: Selection & OperationOptions,
  options: RowOptions,
) => AsyncIterable<string>;

const CONVERSIONS: Readonly<Record<Format, Conversion>> = {
  v2: convertToV2,
  async *ndjson(source, reading, options) {
    for await (const decoded of decodeIntervals(source, reading)) yield ndjsonRow(decoded, options);
  },
  async *csv(source, reading, options) {
    const columns = columnsFor(options, ['count', 'min', 'mean']);
    yield csvHeader(columns, options);
    for await (const decoded of decodeIntervals(source, reading)) yield csvRow(decoded, columns, options);
  },
  async *hgrm(source, reading, { unit }) {
    const total = await sumLogs([source], reading);
    if (total === undefined) throw new Refusal('the log has no interval, and percentile text needs one');
    yield formatPercentiles(total, { valueScale: unit.divisor });
  },
};
