import { countValues, type SourcedIncrease, toJsonText } from '@hdrscope/ceph/internal';
import type { Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { columnsFor, columnsOption, type FigureColumn, percentilesFor } from '../../figures.ts';
import { intervalOption, intervalsOption, percentilesOption } from '../../options.ts';
import { RateRows } from '../../screen/rate-rows.ts';
import { axisFigures, formatAxisBounds, histogramFacts, histogramJson } from './figures.ts';
import { assertSockets, followInputs, HISTOGRAM_OPTIONS, openInputs, titleOf } from './histograms.ts';

const DESCRIPTION = `Prints the values that daemons count from now on: for each interval, every histogram with new values, on
one line for each axis.

Standard error reports counters that begin anew, and daemons that go and come back. Differences are
never negative. Ctrl-C ends it.`;

export const command = defineCommand({
  path: 'hdrscope ceph watch',
  description: DESCRIPTION,
  examples: [
    'hdrscope ceph watch /var/run/ceph/ceph-osd.0.asok',
    'hdrscope ceph watch /var/run/ceph/ceph-osd.*.asok --interval 10s --intervals 6 --percentiles 50,99.9',
    'hdrscope ceph watch /var/run/ceph/ceph-osd.0.asok --json',
  ],
  operands: { '<socket...>': 'admin sockets of daemons, and folders of sockets' },
  options: {
    interval: { ...intervalOption(), default: 1, fallback: '1s' },
    intervals: intervalsOption(),
    ...HISTOGRAM_OPTIONS,
    columns: columnsOption('text', ['stdev']),
    percentiles: percentilesOption(),
  },
  formats: ['text', 'json'],
  formatNotes: 'json is a line for each histogram with new values',
  async run({ options, operands, format }, io) {
    const inputs = await openInputs(operands, io);
    assertSockets(inputs, 'hdrscope ceph watch');
    const isJson = format === 'json';
    const percentiles = percentilesFor(options, !isJson);
    const columns = columnsFor(options, ['count', 'rate'], []);
    const write = isJson ? jsonWriter(io, percentiles) : writer(io, percentiles, columns, inputs.length > 1);
    for await (const increases of followInputs(inputs, options, io)) await write(increases);
  },
});

type Writer = (increases: readonly SourcedIncrease[]) => Promise<void>;

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

function writer(
  io: Io,
  percentiles: readonly number[],
  columns: readonly FigureColumn[],
  hasSource: boolean,
): Writer {
  const rows = new RateRows(columns, 'histogram and axis', io);
  return async (increases) => {
    const counted = increases.filter((one) => countValues(one) > 0n);
    await io.stdout.write(rows.interval(counted.flatMap(rowsOf)));
  };

  function rowsOf(one: SourcedIncrease): string[][] {
    const count = countValues(one);
    return histogramFacts({ one, where: [] }, percentiles).facts.map((facts, i) => {
      const { name, unit = 'none' } = facts.axis;
      const figures = axisFigures({ name, unit, count, seconds: one.seconds }, facts, percentiles);
      const title = i === 0 ? `${titleOf(one, hasSource)}: ${name}` : `  ${name}`;
      // All axes have the same values, so only the first line has the count.
      return rows.lines(title, figures, (bounds) => formatAxisBounds(bounds, { unit }), i > 0);
    });
  }
}
