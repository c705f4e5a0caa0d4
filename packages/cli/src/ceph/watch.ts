import { countValues, measureAxis, toJsonText } from '@hdrscope/ceph/internal';
import { formatDecimal } from '@hdrscope/core/internal';
import { informativeAxes } from '@hdrscope/plot';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { formatCount } from '../format.ts';
import { addFormat, formatOf, type OutputOptions } from '../output-options.ts';
import { type RateRow, RateRows } from '../rate-rows.ts';
import { intervalOption, intervalsOption, percentilesOption } from '../shared-options.ts';
import { formatBounds } from './bounds-text.ts';
import { histogramFacts, histogramJson } from './dump-text.ts';
import { type FollowedIncrease, Follower } from './follow.ts';
import { addHistogramOptions, assertSome, type HistogramOptions, noteWriter, titleOf } from './histograms.ts';
import { assertSockets, openInputs } from './input.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends HistogramOptions, OutputOptions<(typeof FORMATS)[number]> {
  readonly interval: number;
  readonly intervals?: number;
  readonly percentiles: readonly number[];
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
  return addHistogramOptions(command).addOption(percentilesOption());
}

/** `hdrscope ceph watch` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const inputs = await openInputs(operands, io);
  assertSockets(inputs, 'hdrscope ceph watch');
  const follower = new Follower(inputs, options, io);
  const before = await follower.start();
  assertSome(before, inputs, options);
  await noteWriter(io)(before);
  const { percentiles } = options;
  const write =
    formatOf(options, FORMATS) === 'json'
      ? jsonWriter(io, percentiles)
      : writer(io, percentiles, inputs.length > 1);
  for (let left = options.intervals ?? Number.POSITIVE_INFINITY; left > 0; left--) {
    await write(await follower.advance(options.interval));
  }
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

function writer(io: Io, percentiles: readonly number[], hasSource: boolean): Writer {
  const rows = new RateRows(percentiles, 'histogram and axis', io);
  let hasTitles = false;
  return async (increases) => {
    const lines = hasTitles ? [] : [...rows.titles];
    hasTitles = true;
    const counted = increases.filter((one) => countValues(one) > 0n);
    const found =
      counted.length === 0 ? [rows.nothing] : counted.flatMap(rowsOf).map((row) => rows.lines(row));
    for (const line of found.flat()) lines.push(line);
    await io.stdout.write(`${lines.join('\n')}\n`);
  };

  function rowsOf(one: FollowedIncrease): RateRow[] {
    const total = countValues(one);
    const perSecond = formatDecimal(Number(total) / one.seconds, 1);
    return informativeAxes(one.histogram.layouts).map((at, i) => {
      const { axis, percentiles: bounds } = measureAxis(one, at, percentiles);
      const cells = bounds.map((each) => formatBounds(each, axis));
      // All axes have the same values, so only the first line has the count.
      const [count, rate] = i === 0 ? [formatCount(total), perSecond] : ['', ''];
      const title = i === 0 ? `${titleOf(one, hasSource)}: ${axis.name}` : `  ${axis.name}`;
      return { count, rate, cells, title };
    });
  }
}
