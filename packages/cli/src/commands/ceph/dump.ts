import { type Axis, formatHistogramDump, parseHistogramLoggers } from '@hdrscope/ceph';
import { type AxisFacts, axisNames, findAxis } from '@hdrscope/ceph/internal';
import type { ValueRange } from '@hdrscope/core/joint';
import { withName } from '@hdrscope/inputs/internal';
import { valuesText } from '@hdrscope/kit';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { boundsCells, columnsFor, columnsOption, type FigureColumn, percentilesFor } from '../../figures.ts';
import { amountIn, percentilesOption } from '../../options.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { lineLength, painter } from '../../screen/screen.ts';
import { formatTable, rowBlock } from '../../screen/table.ts';
import {
  axisFigures,
  countOf,
  exactDocument,
  formatAxisBounds,
  type HistogramFacts,
  histogramFacts,
  histogramJson,
  type SelectedHistogram,
} from './figures.ts';
import {
  askDump,
  assertSome,
  CEPH_INPUTS,
  type CephInput,
  HISTOGRAM_OPTIONS,
  type HistogramOptions,
  haveSeveralSources,
  noteWriter,
  openInputs,
  parseOptions,
  readHistograms,
  type Sourced,
  titleOf,
  writeNotes,
} from './histograms.ts';

const DESCRIPTION = `Prints the counts of daemons: the percentiles and the mean of every axis of a histogram.

Each is printed as two bounds between which it certainly lies, the second exclusive: a slot of Ceph spans
an octave, so the exact value is not known. The means of an OSD's own socket are exact, from the sums of its
perf dump; --json says by sumSource what each sum is known from.`;

export const command = defineCommand({
  path: 'hdrscope ceph dump',
  description: DESCRIPTION,
  examples: [
    'hdrscope ceph dump /var/run/ceph/ceph-osd.0.asok',
    "hdrscope ceph dump dump.json --counter op_w_latency_in_bytes_histogram --where 'size=4KiB..8KiB'",
    'ceph tell osd.* perf histogram dump | hdrscope ceph dump --json -',
  ],
  operands: CEPH_INPUTS,
  options: {
    ...HISTOGRAM_OPTIONS,
    where: {
      value: '<axis=from..to>',
      help: "only values in that range of an axis, as in 'Request size (bytes)=4KiB..8KiB' or size=1MiB..; the end is exclusive",
      allowed: "an axis and values, as in 'Request size (bytes)=4KiB..8KiB', size=..64KiB or latency=1ms..",
      parse: readWhere,
      isRepeated: true,
      fallback: 'all',
    },
    columns: columnsOption('text', ['rate', 'stdev']),
    percentiles: percentilesOption(),
  },
  formats: ['text', 'json', 'raw'],
  formatNotes: 'raw is the dump as the daemon writes it',
  output: 'when done',
  async run({ options, operands, format }, io) {
    const percentiles = percentilesFor(options, format === 'text');
    const inputs = await openInputs(operands, io);
    if (format === 'raw') {
      if (options.where.length > 0) {
        throw new UsageError('--raw prints the dump of the daemon: it cannot be combined with --where');
      }
      await printRaw(inputs, options, io);
      return;
    }
    const histograms = (await Promise.all(inputs.map((input) => readHistograms(input, options)))).flat();
    assertSome(histograms, inputs, options);
    const selected = await applyWhere(histograms, options.where, io);
    await noteWriter(io)(selected.map(({ one }) => one));
    const all = selected.map((each) => histogramFacts(each, percentiles));
    for (const { one } of all.filter(({ facts }) => facts.some(({ count }) => count === undefined))) {
      const title = titleOf(one, haveSeveralSources(histograms));
      await io.stderr.write(`hdrscope: ${title} has no percentiles: they need at most 2^53 - 1 values\n`);
    }
    const columns = columnsFor(options, [], ['mean']);
    await io.stdout.write(
      format === 'json' ? dumpJson(all, percentiles) : dumpText(all, columns, percentiles, io),
    );
  },
});

/** Prints dumps. The name of the daemon precedes each of several dumps, as in the output of `ceph tell`. */
async function printRaw(inputs: readonly CephInput[], options: HistogramOptions, io: Io): Promise<void> {
  const dumps = await Promise.all(
    inputs.map(async (input) => {
      const text = await askDump(input, options);
      const imported = await withName(input.name, () => parseHistogramLoggers(text, parseOptions(options)));
      await writeNotes(input, imported[0]?.notes, io);
      return imported.map(({ daemon, loggers }) => ({ daemon: daemon ?? input.name, loggers }));
    }),
  );
  const all = dumps.flat();
  for (const { daemon, loggers } of all) {
    const counters = loggers.flatMap((logger) => logger.counters);
    const isNext = counters.some(
      ({ histogram, sums }) => sums !== undefined || histogram.axes.some(({ scale }) => scale === 'explicit'),
    );
    const dump = formatHistogramDump(loggers, { release: isNext ? 'next' : 'tentacle' });
    await io.stdout.write(all.length > 1 ? `${daemon}: ${dump}` : dump);
  }
}

/** A table for each histogram, for people. All tables have the same column widths. */
function dumpText(
  all: readonly HistogramFacts[],
  figureColumns: readonly FigureColumn[],
  percentiles: readonly number[],
  io: Io,
): string {
  const paint = painter(io, io.stdout);
  const width = lineLength(io);
  const hasSource = haveSeveralSources(all.map(({ one }) => one));
  const counted = all.filter((known) => countOf(known) !== 0n);
  const columns = [{ title: '  axis', isText: true }, ...figureColumns];
  const rowOf = (facts: AxisFacts): string[] => {
    const { name, unit = 'none' } = facts.axis;
    const figures = axisFigures({ name, unit, count: facts.count }, facts, percentiles);
    return [
      `  ${name}`,
      ...boundsCells(figureColumns, figures, (bounds) => formatAxisBounds(bounds, { unit })),
    ];
  };
  const cells = counted.flatMap(({ facts }) => facts.map(rowOf));
  const [head = '', ...lines] = formatTable(columns, cells);
  const hasRoom = [head, ...lines].every((line) => line.length <= width);
  const parts = all.map((known) => {
    const title = titleOf(known.one, hasSource);
    const count = countOf(known);
    if (count === 0n) return `${title}: nothing was counted\n`;
    const total = count === undefined ? 'too many values' : valuesText(count);
    const rows = lines.splice(0, known.facts.length);
    const blocks = known.facts.flatMap((facts) => rowBlock(columns, rowOf(facts), width));
    const heading = wrapToScreen(`${title}: ${total}`, io).replace(title, paint('bold', title));
    return `${heading}\n${(hasRoom ? [head, ...rows] : blocks).join('\n')}\n`;
  });
  return parts.join('');
}

/** JSON for programs, with exact counts. Open bounds are `null`. */
function dumpJson(all: readonly HistogramFacts[], percentiles: readonly number[]): string {
  return exactDocument(
    all.map((facts) => ({ ...histogramJson(facts, percentiles), notes: facts.one.notes })),
  );
}

/** A condition of the command line: a range of values on one axis. */
interface WhereCondition {
  readonly axis: string;
  /** Inclusive, as in `4KiB`. Empty when the range begins with the underflow. */
  readonly from: string;
  /** Exclusive. Empty when the range ends with the overflow. */
  readonly to: string;
}

function readWhere(text: string): WhereCondition | undefined {
  const sign = text.lastIndexOf('=');
  const dots = text.indexOf('..', sign + 1);
  if (sign < 1 || dots === -1 || text.length === sign + 3) return undefined;
  return { axis: text.slice(0, sign), from: text.slice(sign + 1, dots), to: text.slice(dots + 2) };
}

/**
 * Applies conditions to each histogram. Histograms without one of the axes are left out, and reported on standard error.
 *
 * @throws Refusal when no histogram has all of the axes; UsageError when a value does not suit its axis.
 */
async function applyWhere(
  histograms: readonly Sourced[],
  conditions: readonly WhereCondition[],
  io: Io,
): Promise<SelectedHistogram[]> {
  const found: SelectedHistogram[] = [];
  const lacking: string[] = [];
  for (const one of histograms) {
    const where = conditions.map((condition) => rangeOf(one, condition));
    if (where.every((range) => range !== undefined)) found.push({ one, where });
    else lacking.push(`${one.logger}.${one.counter} has ${axisNames(one.histogram.axes)}`);
  }
  if (histograms.length > 0 && found.length === 0) {
    throw new Refusal(
      `--where: no histogram has such an axis, or several axes match: ${[...new Set(lacking)].join('; ')}`,
    );
  }
  for (const text of new Set(lacking)) await io.stderr.write(`hdrscope: left out by --where: ${text}\n`);
  return found;
}

function rangeOf(
  { histogram: { axes } }: Sourced,
  { axis, from, to }: WhereCondition,
): ValueRange | undefined {
  const at = findAxis(axes, axis);
  if (at === undefined) return undefined;
  const [start, end] = [from, to].map((text) => (text === '' ? undefined : valueOn(axes[at]!, text)));
  return {
    axis: at,
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: end }),
  };
}

function valueOn({ name, unit = 'none' }: Axis, text: string): number {
  const value = amountIn(text, unit);
  if (value !== undefined) return value;
  const allowed = { ns: '1.5ms', us: '1.5ms', ms: '1.5ms', s: '1.5ms', bytes: '4KiB', none: '8' }[unit];
  throw new UsageError(`--where: values of "${name}" must be written like ${allowed}, got '${text}'`);
}
