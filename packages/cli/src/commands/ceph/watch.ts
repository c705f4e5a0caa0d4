import { countValues, toJsonText } from '@hdrscope/ceph/internal';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../../arguments.ts';
import { ExitCode, type Io } from '../../command.ts';
import {
  type ColumnOptions,
  columnsFor,
  columnsOption,
  type FigureColumn,
  percentilesFor,
} from '../../figures.ts';
import { addFormat, formatOf, type OutputOptions } from '../../output-options.ts';
import { RateRows } from '../../rate-rows.ts';
import { intervalOption, intervalsOption, percentilesOption } from '../../shared-options.ts';
import { axisFigures, formatAxisBounds, histogramFacts, histogramJson } from './figures.ts';
import {
  addHistogramOptions,
  assertSockets,
  type FollowedIncrease,
  followInputs,
  type HistogramOptions,
  openInputs,
  titleOf,
} from './histograms.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends HistogramOptions, ColumnOptions, OutputOptions<(typeof FORMATS)[number]> {
  readonly interval: number;
  readonly intervals?: number;
}

const DESCRIPTION = `Prints the values that daemons count from now on: for each interval, every histogram with new values, on
one line for each axis.

Standard error reports counters that begin anew, and daemons that go and come back. Differences are
never negative. Ctrl-C ends it.`;

/** The arguments of `hdrscope ceph watch`. */
export function parser(): Command {
  const command = createParser('hdrscope ceph watch', DESCRIPTION, [
    'hdrscope ceph watch /var/run/ceph/ceph-osd.0.asok',
    'hdrscope ceph watch /var/run/ceph/ceph-osd.*.asok --interval 10s --intervals 6 --percentiles 50,99.9',
    'hdrscope ceph watch /var/run/ceph/ceph-osd.0.asok --json',
  ])
    .argument('<socket...>', 'admin sockets of daemons, and folders of sockets')
    .addOption(intervalOption().default(1, '1s'))
    .addOption(intervalsOption());
  addFormat(command, FORMATS, 'json is a line for each histogram with new values');
  return addHistogramOptions(command)
    .addOption(columnsOption('text', ['stdev']))
    .addOption(percentilesOption());
}

/** `hdrscope ceph watch` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const inputs = await openInputs(operands, io);
  assertSockets(inputs, 'hdrscope ceph watch');
  const isJson = formatOf(options, FORMATS) === 'json';
  const percentiles = percentilesFor(options, !isJson);
  const write = isJson
    ? jsonWriter(io, percentiles)
    : writer(io, { ...options, percentiles }, columnsFor(options, ['count', 'rate'], []), inputs.length > 1);
  for await (const increases of followInputs(inputs, options, io)) await write(increases);
  return ExitCode.done;
}

type Writer = (increases: readonly FollowedIncrease[]) => Promise<void>;

function jsonWriter(io: Io, percentiles: readonly number[]): Writer {
  return async (increases) => {
    for (const one of increases) {
      const total = countValues(one);
      if (total === 0n) continue;
      const { seconds, isReset } = one;
      const facts = histogramFacts({ one, where: [] }, percentiles);
      const ratePerSec = Number(total) / seconds;
      const row = { seconds, ratePerSec, isReset, ...histogramJson(facts, percentiles) };
      await io.stdout.write(`${toJsonText(row, 'json')}\n`);
    }
  };
}

function writer(io: Io, options: Options, columns: readonly FigureColumn[], hasSource: boolean): Writer {
  const rows = new RateRows(columns, 'histogram and axis', io);
  return async (increases) => {
    const counted = increases.filter((one) => countValues(one) > 0n);
    await io.stdout.write(rows.interval(counted.flatMap(rowsOf)));
  };

  function rowsOf(one: FollowedIncrease): string[][] {
    const count = countValues(one);
    const { percentiles } = options;
    return histogramFacts({ one, where: [] }, percentiles).facts.map((facts, i) => {
      const { name, unit = 'none' } = facts.axis;
      const figures = axisFigures({ name, unit, count, seconds: one.seconds }, facts, percentiles);
      const title = i === 0 ? `${titleOf(one, hasSource)}: ${name}` : `  ${name}`;
      // All axes have the same values, so only the first line has the count.
      return rows.lines(title, figures, (bounds) => formatAxisBounds(bounds, { unit }), i > 0);
    });
  }
}
