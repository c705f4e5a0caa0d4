import type { NumberPlace } from '@hdrscope/inputs';
import { NUMBER_UNITS } from '@hdrscope/inputs/internal';
import type { Plot } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { type Command, Option } from 'commander';
import { type Arguments, choiceOption, createParser, integerParser } from '../arguments.ts';
import { type Io, Refusal } from '../command.ts';
import { parseConfidence } from '../comparison.ts';
import type { Input, InputKind } from '../inputs/input.ts';
import { addNumberOptions } from '../inputs/numbers.ts';
import { openInputs } from '../inputs/open-inputs.ts';
import { type TextUnit, textUnitOption } from '../inputs/percentile-input.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { type Objective, parseObjective } from '../objective.ts';
import { addFormat, addOutput } from '../output-options.ts';
import { addAscii, percentilesOption } from '../shared-options.ts';
import { asCurves, type SourcedPlot } from './counted-curves.ts';
import { columnsOf, type DrawingOptions, FORMATS, plotFormatOf, writePlots } from './drawing.ts';
import { plotsOfJson } from './json-input.ts';
import { readBars, readComparison, readCurves, readHeatMap, readOverTime } from './kinds.ts';
import {
  assertFits,
  assertKind,
  type CurveValues,
  dressed,
  isEmpty,
  type PlotOptions,
  verdictsOn,
} from './options.ts';
import { plotUnits, type Reading, readingOf, type ValueInput } from './reading.ts';

const KINDS: readonly Plot['kind'][] = ['percentiles', 'comparison', 'over-time', 'heat-map', 'bars'];

const TAKEN: readonly InputKind[] = ['log', 'percentiles', 'encoded', 'numbers', 'recorded', 'json'];

interface Options extends SelectingOptions, DrawingOptions, PlotOptions, NumberPlace {
  readonly kind?: Plot['kind'];
  readonly confidence?: number;
  readonly percentiles: readonly number[];
  readonly unit?: CountedUnit;
  readonly textUnit?: TextUnit;
  readonly counter?: string;
}

/** The options, how many columns the picture has, and what takes the values of its curves. */
type ReadOptions = Options & {
  readonly columns: number;
  readonly onCurve: (values: CurveValues) => void;
};

const DESCRIPTION = `Draws histograms on the terminal, or as a picture in the file of -o.

Files are recognised by their content: an interval log, percentile text (.hgrm, its CSV, wrk2
--latency), histograms in Base64, a text with one number per line, the JSON of hdrscope record, the
requests of k6 (--out json, --out csv) and oha (--output-format csv), a dump of Ceph, the output of
hdrscope ebpf read --json or of this command with --json; all of them plain or gzipped. --column reads a column of a table, --field a field of JSON.

  percentiles  a curve for each file, or each tag of a log with several, by 1/(1 - percentile);
               of a dump or the kernel's slots as well, with the bounds of each slot
  comparison   two files, before and after a change: both curves, and the differences of percentiles
  over-time    percentiles of each interval of logs; of all logs and tags together
  heat-map     values over time, of all logs and tags together; both axes of a dump
  bars         how often values were counted

Numbers have the unit that is written with them (12ms), else --unit, else none. Beside a log, --text-unit
states the unit of numbers and of percentile text. Numbers are counted as hdrscope record counts them, and
have no times. Below a text with --slo, a line says for each curve whether it keeps the objective.`;

/** The arguments of `hdrscope plot`. */
export function parser(): Command {
  const command = createParser('hdrscope plot', DESCRIPTION, [
    'hdrscope plot service.hlog --slo p99.9=50ms',
    'hdrscope plot before.hgrm after.hgrm wrk2.txt -o latency.svg',
    'hdrscope plot yesterday.txt today.txt.gz --unit ms',
    'hdrscope plot --kind comparison before.hlog after.hlog -o change.html',
    'hdrscope plot --kind heat-map --tag get --from 10m service.hlog.gz -o get.png',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --json | hdrscope plot -',
  ]).argument('<file...>', 'files in any of these forms; - is standard input');
  addFormat(addOutput(command), FORMATS, '', "by the file's ending, and text on the terminal")
    .addOption(
      choiceOption('--kind <kind>', 'the kind of plot', KINDS).default(
        undefined,
        'JSON: the kind in the file; others: percentiles',
      ),
    )
    .addOption(
      new Option('--slo <objective>', 'draws a line at an objective, as in p99.9=50ms; may be repeated')
        .argParser((text, others: Objective[] = []) => [...others, parseObjective(text)])
        .default([], 'none'),
    )
    .addOption(
      new Option('--confidence <part>', 'draws confidence intervals, as in 0.95')
        .argParser(parseConfidence)
        .default(undefined, 'none; of a comparison 0.99'),
    )
    .addOption(percentilesOption('for comparison and over-time: '))
    .addOption(
      choiceOption(
        '--unit <unit>',
        'the unit of the values, and of numbers that have none',
        NUMBER_UNITS,
      ).default(undefined, 'logs: ns; numbers and the kernel: none'),
    )
    .addOption(
      textUnitOption('beside a log, the unit of percentile text and numbers', 'text: ms; numbers: --unit'),
    )
    .addOption(
      new Option('--counter <name>', 'for a dump of Ceph: the counter').default(
        undefined,
        'the one with most counts',
      ),
    )
    .option('--log', 'draws a logarithmic axis of values, also where they span less than a decade')
    .option('--linear', 'draws a linear axis of values, also where they span a decade')
    .option('--title <text>', 'the title of the plot')
    .addOption(
      new Option('--width <number>', 'in pixels; for text in characters')
        .argParser(integerParser('--width', 1))
        .default(undefined, '920; for text the width of the terminal, or 80'),
    )
    .addOption(
      new Option('--height <number>', 'in pixels; for text in lines')
        .argParser(integerParser('--height', 1))
        .default(undefined, 'what suits the kind'),
    )
    .addOption(
      choiceOption('--theme <theme>', 'for svg and png', ['light', 'dark']).default(undefined, 'light'),
    );
  return addSelection(addNumberOptions(addAscii(command)));
}

/** `hdrscope plot` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const format = plotFormatOf(options);
  const { kind, unit, textUnit } = options;
  const { inputs, totalBytes } = await openInputs(
    operands,
    { takes: TAKEN, otherwise: 'log', numbers: options, command: 'hdrscope plot' },
    io,
  );
  const isCompared = kind === 'comparison';
  const units = plotUnits(inputs, { unit, textUnit, numberOptions: options, isCompared });
  const selection = selectionOf(options);
  const reading = readingOf({ ...units, textUnit, selection, numberOptions: options }, totalBytes, io);
  const columns = columnsOf(format, options, io);
  const values: CurveValues[] = [];
  const plots = await readPlots(
    inputs,
    reading,
    { ...options, columns, onCurve: (one) => values.push(one) },
    io,
  )
    .finally(reading.finish)
    .catch(async (error: unknown) => {
      // Malformed lines may be the reason why there are no values.
      if (error instanceof Refusal) await reading.report();
      throw error;
    });
  const [first, ...others] = plots;
  if (first === undefined || plots.every(isEmpty)) {
    await reading.report();
    throw new Refusal('there is nothing to draw: the files have no values, or none is selected');
  }
  const verdicts = plots.flatMap((plot) => verdictsOn(plot, values));
  await writePlots([first, ...others], format, options, verdicts, io);
  return reading.report();
}

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
