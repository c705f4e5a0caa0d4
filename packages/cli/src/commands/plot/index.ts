import { hasRequests, isSketch } from '@hdrscope/inputs/internal';
import type { ObjectiveLine, Plot } from '@hdrscope/plot';
import {
  asCurves,
  type CurveValues,
  hasCounts,
  isEmptyPlot,
  type SourcedPlot,
  verdictsOn,
} from '@hdrscope/plot/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { CONFIDENCE } from '../../comparison/index.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { listForHelp, listReadBy } from '../../inputs/forms.ts';
import type { Input, InputKind } from '../../inputs/input.ts';
import { NUMBER_PLACE } from '../../inputs/numbers.ts';
import { openInputs } from '../../inputs/open-inputs.ts';
import { textUnitOption } from '../../inputs/percentile-input.ts';
import { SELECTION, selectionOf } from '../../inputs/selection-options.ts';
import { SKETCH_OPTIONS } from '../../inputs/sketches.ts';
import { type Objective, parseObjective, thresholdIn } from '../../objective.ts';
import { ASCII, integer, LOG_FORMAT, percentilesOption, unitOption } from '../../options.ts';
import { assertDrawable, columnsOf, FORMATS, writePlots } from './drawing.ts';
import { plotsOfJson } from './json-input.ts';
import { readBars, readComparison, readCurves, readHeatMap, readOverTime } from './kinds.ts';
import { plotUnits, type Reading, readingOf, type ValueInput } from './reading.ts';

const KINDS = [
  'percentiles',
  'comparison',
  'over-time',
  'heat-map',
  'bars',
] as const satisfies Plot['kind'][];

// Requests and sketches become figures, and JSON may be a dump of Ceph, slots of the kernel or a plot.
const TAKEN: readonly InputKind[] = [
  ...listReadBy<InputKind>('plot').filter((form) => !hasRequests(form) && !isSketch(form)),
  'json',
];

const DESCRIPTION = `Draws histograms on the terminal, or as a picture in the file of -o.

Files are recognised by their content, plain or gzipped: ${listForHelp('plot')}, the output of hdrscope ebpf read
--json, or of this command with --json. --column reads a column of a table, --field a field of JSON.

  percentiles  a curve for each file, or each tag of a log with several, by 1/(1 - percentile);
               of a dump or the kernel's slots as well, with the bounds of each slot
  comparison   two files, before and after a change: both curves, and the differences of percentiles
  over-time    percentiles of each interval of logs; of all logs and tags together
  heat-map     values over time, of all logs and tags together; both axes of a dump
  bars         how often values were counted

Numbers have the unit that is written with them (12ms), else --unit, else none. Beside a log, --text-unit
states the unit of numbers and of percentile text. Numbers are counted as hdrscope record counts them, and
have no times. Below a text with --slo, a line says for each curve whether it keeps the objective.`;

const OPTIONS = defineOptions({
  kind: {
    value: '<kind>',
    help: 'the kind of plot',
    choices: KINDS,
    fallback: 'JSON: the kind in the file; others: percentiles',
  },
  slo: {
    value: '<objective>',
    help: 'draws a line at an objective, as in p99.9=50ms; may be repeated',
    parse: (text: string) => parseObjective(text),
    isRepeated: true,
    fallback: 'none',
  },
  confidence: {
    ...CONFIDENCE,
    help: 'draws confidence intervals, as in 0.95',
    fallback: 'none; of a comparison 0.99',
  },
  percentiles: percentilesOption('for comparison and over-time: '),
  unit: unitOption(
    'the unit of the values, and of numbers that have none',
    'logs: ns; numbers and the kernel: none',
  ),
  textUnit: textUnitOption(
    'beside a log, the unit of percentile text and numbers',
    'text: ms; numbers: --unit',
  ),
  counter: {
    value: '<name>',
    help: 'for a dump of Ceph: the counter',
    fallback: 'the one with most counts',
  },
  log: { help: 'draws a logarithmic axis of values, also where they span less than a decade' },
  linear: { help: 'draws a linear axis of values, also where they span a decade' },
  title: { value: '<text>', help: 'the title of the plot' },
  width: {
    value: '<number>',
    help: 'in pixels; for text in characters',
    parse: integer(1),
    fallback: '920; for text the width of the terminal, or 80',
  },
  height: {
    value: '<number>',
    help: 'in pixels; for text in lines',
    parse: integer(1),
    fallback: 'what suits the kind',
  },
  theme: { value: '<theme>', help: 'for svg and png', choices: ['light', 'dark'], fallback: 'light' },
  ...ASCII,
  logFormat: LOG_FORMAT,
  ...NUMBER_PLACE,
  ...SELECTION,
  ...SKETCH_OPTIONS,
});

/** The options, how many columns the picture has, and what takes the values of its curves. */
type ReadOptions = OptionsOf<typeof OPTIONS> & {
  readonly columns: number;
  readonly onCurve: (values: CurveValues) => void;
};

export const command = defineCommand({
  path: 'hdrscope plot',
  description: DESCRIPTION,
  examples: [
    'hdrscope plot service.hlog --slo p99.9=50ms',
    'hdrscope plot before.hgrm after.hgrm wrk2.txt -o latency.svg',
    'hdrscope plot yesterday.txt today.txt.gz --unit ms',
    'hdrscope plot --kind comparison before.hlog after.hlog -o change.html',
    'hdrscope plot --kind heat-map --tag get --since 10m service.hlog.gz -o get.png',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --layout queue-depth --json | hdrscope plot -',
  ],
  operands: { '<file...>': 'files in any of these forms; - is standard input' },
  options: OPTIONS,
  formats: FORMATS,
  output: 'by command',
  async run({ options, operands, format }, io) {
    assertDrawable(format, options);
    const { kind, unit, textUnit, logFormat } = options;
    const selection = selectionOf(options);
    const { inputs, progress } = await openInputs(
      operands,
      {
        ...{ takes: TAKEN, otherwise: 'log', selection, logFormat, numbers: options, sketches: options },
        command: 'hdrscope plot',
      },
      io,
    );
    const isCompared = kind === 'comparison';
    const units = plotUnits(inputs, { unit, textUnit, numberOptions: options, isCompared });
    const reading = readingOf({ ...units, textUnit, selection, numberOptions: options }, progress, io);
    const columns = columnsOf(format, options, io);
    const values: CurveValues[] = [];
    const drawing = { ...options, columns, onCurve: (one: CurveValues) => values.push(one) };
    const plots = await reading.finishAfter(readPlots(inputs, reading, drawing, io));
    const [first, ...others] = plots;
    if (first === undefined || plots.every(isEmptyPlot)) {
      await reading.report();
      throw new Refusal('there is nothing to draw: the files have no values, or none is selected');
    }
    const verdicts = plots.flatMap((plot) => verdictsOn(plot, values));
    await writePlots([first, ...others], format, options, verdicts, io);
    return reading.report();
  },
});

async function readPlots(
  inputs: readonly Input[],
  reading: Reading,
  options: ReadOptions,
  io: Io,
): Promise<Plot[]> {
  const values = inputs.filter((input): input is ValueInput => input.kind !== 'json');
  const ofValues: Plot[] = values.length === 0 ? [] : await plotsOfValues(values, reading, options);
  const { unit, counter, kind, columns } = options;
  const { onBytes } = reading;
  const ofJson: SourcedPlot[] = [];
  for (const input of inputs) {
    if (input.kind !== 'json') continue;
    for (const plot of await plotsOfJson(input, { unit, counter, onBytes }, io)) {
      assertKind(plot, kind, input.name);
      ofJson.push({ plot, file: input.title });
    }
  }
  const plots =
    kind === 'percentiles'
      ? asCurves(ofValues, ofJson, columns)
      : [...ofValues, ...ofJson.map(({ plot }) => plot)];
  assertFits(plots, options);
  return plots.map((plot) => dressed(plot, options));
}

async function plotsOfValues(
  inputs: readonly ValueInput[],
  reading: Reading,
  { kind = 'percentiles', confidence, percentiles, columns, onCurve }: ReadOptions,
): Promise<Plot[]> {
  const { unit } = reading;
  switch (kind) {
    case 'percentiles':
      return [{ kind, unit, curves: await readCurves(inputs, reading, { confidence, columns, onCurve }) }];
    case 'comparison':
      return [
        await readComparison(inputs, reading, { percentiles, confidence: confidence ?? 0.99, columns }),
      ];
    case 'over-time':
      return [{ ...(await readOverTime(inputs, reading, percentiles)), ...titleOf(inputs) }];
    case 'heat-map':
      return [{ ...(await readHeatMap(inputs, reading)), ...titleOf(inputs) }];
    case 'bars':
      return readBars(inputs, reading);
  }
}

/** A plot of one file has its name. */
function titleOf([first, ...others]: readonly ValueInput[]): { readonly title?: string } {
  return first === undefined || others.length > 0 ? {} : { title: first.title };
}

// Options of every plot.

/** Options of every plot. */
export interface PlotOptions {
  readonly title?: string;
  readonly slo: readonly Objective[];
  readonly log?: boolean;
  readonly linear?: boolean;
}

/** A finished plot can be drawn as its own kind, and as percentiles when it has counts of values. @throws Refusal for another kind. */
export function assertKind(plot: Plot, asked: Plot['kind'] | undefined, path: string): void {
  const kinds: Plot['kind'][] = hasCounts(plot) ? [plot.kind, 'percentiles'] : [plot.kind];
  if (asked === undefined || kinds.includes(asked)) return;
  throw new Refusal(`${path} can be drawn with --kind ${kinds.join(' or ')} only, got ${asked}`);
}

const WITH_SLO: readonly Plot['kind'][] = ['percentiles', 'over-time', 'bars'];
const WITH_VALUE_AXIS: readonly Plot['kind'][] = ['percentiles', 'over-time', 'comparison'];

/** @throws UsageError for an option that no plot would use. */
export function assertFits(plots: readonly Plot[], { slo, log = false, linear = false }: PlotOptions): void {
  const noneIs = (kinds: readonly Plot['kind'][]): boolean => !plots.some(({ kind }) => kinds.includes(kind));
  if (slo.length > 0 && noneIs(WITH_SLO))
    throw new UsageError(`--slo goes with --kind ${WITH_SLO.join(', ')}`);
  if (log && linear) throw new UsageError('--log and --linear exclude each other');
  if ((log || linear) && noneIs(WITH_VALUE_AXIS)) {
    throw new UsageError(`--${log ? 'log' : 'linear'} goes with --kind ${WITH_VALUE_AXIS.join(', ')}`);
  }
}

/** The plot with the title, the objectives and the axis of the command line. */
export function dressed(plot: Plot, { title, slo, log = false, linear = false }: PlotOptions): Plot {
  const titled = title === undefined ? plot : { ...plot, title };
  const isScaled = (log || linear) && titled.kind !== 'heat-map' && titled.kind !== 'bars';
  const scaled: Plot = isScaled ? { ...titled, valueAxis: log ? 'log' : 'linear' } : titled;
  if (slo.length === 0 || scaled.kind === 'heat-map' || scaled.kind === 'comparison') return scaled;
  const slos = objectiveLines(slo, scaled.unit);
  return { ...scaled, slos };
}

// Objectives.

/** Objectives as lines of a plot. @throws UsageError when an objective has another unit than the plot. */
function objectiveLines(objectives: readonly Objective[], unit: CountedUnit): ObjectiveLine[] {
  return objectives.map((objective) => ({
    value: thresholdIn(objective, unit),
    ...(objective.percentile !== undefined && { percentile: objective.percentile }),
  }));
}
